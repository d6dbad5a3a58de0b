/** Writes the body of a reply to a sink: applies the rate limit, detects stalls, and compares bytes that were fetched before. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import { LinkProtocol, type LocalIo } from "../Errors.ts"
import { countBytes } from "../telemetry/Counters.ts"
import { makePace, monotonicMillis } from "../telemetry/MonotonicTime.ts"
import { LinkBroken, type LinkReply } from "./LinkHost.ts"
import { LinkPool } from "./LinkPool.ts"
import { isDoubtful, type RangeAsked, type ReplyHead } from "./RangeReply.ts"
import { Restart } from "./VersionWatch.ts"

/** Where fetched bytes go: the part of a whole file, or a buffer. */
export interface ByteSink {
  /** First byte that the sink can hold. */
  readonly begin: number
  /** Takes bytes that lie at `offset`; they are overwritten after it returns. */
  readonly write: (offset: number, bytes: Uint8Array) => Effect.Effect<void, LocalIo>
  /** Bytes that it took before. */
  readonly read: (offset: number, length: number) => Effect.Effect<Uint8Array, LocalIo>
}

export interface BodyContext {
  /** For messages. */
  readonly fileName: string
  readonly sink: ByteSink
}

/**
 * Takes the bytes `[at, end)` of the file (`end` null: all that come) and returns where they ended. Bytes before
 * `position` are compared with those that the sink has; `position` moves with each byte that is new.
 *
 * Fails with `LinkBroken` for a body that stalls, is too slow or too short, `LinkProtocol` for one that is too long, and
 * `Restart` when bytes differ from those fetched before.
 */
export const receive = Effect.fnUntraced(function* (
  { fileName, sink }: BodyContext,
  reply: LinkReply,
  body: { readonly at: number; readonly end: number | null },
  position: Ref.Ref<number>
) {
  const { limit, settings } = yield* LinkPool
  let at = body.at
  const next = Effect.timeoutOrElse(reply.next, {
    duration: settings.idle,
    orElse: () => Effect.fail(stallError(reply.host, "no byte", settings.idle))
  })
  const take = Effect.fnUntraced(function* (bytes: Uint8Array) {
    const start = at
    at += bytes.length
    const known = Math.min(bytes.length, Math.max(0, (yield* Ref.get(position)) - start))
    if (known > 0 && !sameBytes(yield* sink.read(start, known), bytes.subarray(0, known))) {
      return yield* new Restart({ cause: "Changed", reason: "its bytes differ from those fetched before" })
    }
    if (known === bytes.length) return
    yield* sink.write(start + known, bytes.subarray(known))
    yield* Ref.set(position, at)
  })

  const isTooSlow = makePace()
  while (true) {
    const asked = yield* monotonicMillis
    const batch = yield* next
    if (batch === null) break
    if (body.end !== null && at + batch.length > body.end) {
      const reason = "sent more bytes than it announced"
      return yield* new LinkProtocol({ file: fileName, host: reply.host, reason })
    }
    yield* countBytes("link", batch.length)
    // Waiting for the disk, a reader or the rate limit is no fault of the host.
    if (isTooSlow((yield* monotonicMillis) - asked, batch.length)) {
      return yield* brokenLink(reply.host, "Slow", "sends less than 1 KiB per second")
    }
    for (let from = 0; from < batch.length; from += limit.portion) {
      const portion = batch.subarray(from, from + limit.portion)
      yield* take(portion)
      yield* limit.spend(portion.length)
    }
  }
  if (body.end !== null && at < body.end) return yield* brokenLink(reply.host, "Short", "ended the file too early")
  return at
})

/** The reply as `judge` wants it, with its beginning where that decides what it is; the body still comes whole. */
export const withBeginning = (asked: RangeAsked, reply: LinkReply): Effect.Effect<LinkReply & ReplyHead, LinkBroken> =>
  isDoubtful(asked, reply)
    ? Effect.map(reply.next, (first) => {
        if (first === null) return { ...reply, start: new Uint8Array(0), next: Effect.succeed(null) }
        let held = true
        const next = Effect.suspend(() => {
          if (!held) return reply.next
          held = false
          return Effect.succeed(first)
        })
        return { ...reply, start: first, next }
      })
    : Effect.succeed(reply)

/** Of a refusal; codes come at its beginning. */
const longestRefusal = 4096
const refusalPatience = "2 seconds"

/**
 * The code by which a store says why it refuses, such as `AccessDenied`: in XML (S3, Azure) or JSON, or a gateway of ours. Null where
 * none is found in the first bytes, or they do not come.
 */
export const statedCode = (reply: LinkReply): Effect.Effect<string | null> =>
  Effect.gen(function* () {
    let text = ""
    while (text.length < longestRefusal) {
      const batch = yield* reply.next
      if (batch === null) break
      text += new TextDecoder("latin1").decode(batch.subarray(0, longestRefusal))
    }
    return (
      /(?:<Code>|"(?:code|error)"\s*:\s*")([A-Za-z][\w.-]{0,60})["<]/i.exec(text.slice(0, longestRefusal))?.[1] ?? null
    )
  }).pipe(
    Effect.timeoutOrElse({ duration: refusalPatience, orElse: () => Effect.succeed(null) }),
    Effect.orElseSucceed(() => null)
  )

/** Nothing came within the limit. */
export const stallError = (host: string, what: string, limit: Duration.Duration): LinkBroken =>
  brokenLink(host, "Stalled", `${what} for ${Math.round(Duration.toSeconds(limit))} s`)

const brokenLink = (host: string, fault: LinkBroken["fault"], reason: string) => new LinkBroken({ host, fault, reason })

const sameBytes = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, i) => byte === other[i])
