/**
 * Bytes `[start, end)` of a remote file into a sink: request, judgement, renewal of the link, retry, resume.
 */
import { Clock, Data, Duration, Effect, Pull, Redacted, Ref, Schedule, type Scope, type Semaphore } from "effect"
import { countBytes, countRequest, countRetry } from "../Counters.ts"
import { FileDamaged, LinkProtocol, type LocalIo, Unavailable } from "../Errors.ts"
import { linkRetry, waitAsked } from "../Schedules.ts"
import type { ByteRange } from "./ByteRanges.ts"
import { redirected } from "./LinkAddress.ts"
import { LinkBroken, type LinkHost, type LinkReply } from "./LinkHost.ts"
import type { LinkLease } from "./LinkLease.ts"
import type { LinkTimeouts } from "./LinkPool.ts"
import { judge, type Verdict } from "./RangeReply.ts"
import { Restart } from "./Restart.ts"
import type { TransferProgress } from "./TransferRequest.ts"
import type { VersionWatch } from "./VersionWatch.ts"

/** Where fetched bytes go: the part of a whole file, or a buffer. */
export interface ByteSink {
  /** First byte that the sink can hold. */
  readonly begin: number
  /** Takes bytes that lie at `offset`; they are overwritten after it returns. */
  readonly write: (offset: number, bytes: Uint8Array) => Effect.Effect<void, LocalIo>
  /** Bytes that it took before. */
  readonly read: (offset: number, length: number) => Effect.Effect<Uint8Array, LocalIo>
}

/** What all requests for one file share. */
export interface FetchContext {
  readonly request: {
    /** For messages. */
    readonly fileName: string
    /** Bytes, from the listing. */
    readonly size: number | null
    readonly progress: (event: TransferProgress) => Effect.Effect<void>
  }
  readonly host: LinkHost["Service"]
  readonly lease: LinkLease
  readonly watch: VersionWatch
  readonly sink: ByteSink
  /** Connections to link hosts, over all files. */
  readonly pool: Semaphore.Semaphore
  readonly timeouts: LinkTimeouts
  /** Requests sent. */
  readonly attempts: Ref.Ref<number>
  /** Replies that were none to the request. */
  readonly wrongReplies: Ref.Ref<number>
}

/** The link host could not serve the request now. */
class LinkLater extends Data.TaggedError("LinkLater")<{
  readonly host: string
  readonly reason: string
  readonly retryAfter: Duration.Duration | null
}> {}

/** Fewer bytes than this do not count as progress: a host that gives one byte per connection is not worth its work. */
const worthwhile = 64 * 1024
/** As many bytes before the point of resumption are compared when no strong entity tag vouches for the rest. */
const overlapLength = 64 * 1024
/** Below this many bytes in this many milliseconds a connection is given up. */
const slowest = { bytes: 120 * 1024, milliseconds: 120_000 }
const mostRedirects = 3
/** A second reply that cannot be one to the request is believed to be no accident. */
const mostWrongReplies = 1

/** Fetches a range; `end` null means to the end, which the reply must mark. */
export const fetchRange = Effect.fn("svc.transfer.fetchRange")(function* (
  context: FetchContext,
  [start, end]: ByteRange | readonly [number, null]
) {
  const position = yield* Ref.make(start)
  let step = yield* Schedule.toStep(linkRetry)
  let reached = start
  let failures = 0
  while (true) {
    const trouble = yield* context.pool.withPermit(exchange(context, position, end)).pipe(
      Effect.scoped,
      Effect.catchTag("LinkBroken", ({ fault, host, reason }) =>
        fault === "Protocol" ? countWrong(context, host, reason) : new LinkLater({ host, reason, retryAfter: null })
      ),
      Effect.catchTag("LinkLater", Effect.succeed)
    )
    if (trouble === "done") return
    const now = yield* Ref.get(position)
    if (now - reached >= worthwhile) {
      reached = now
      failures = 0
      step = yield* Schedule.toStep(linkRetry)
      yield* Ref.set(context.wrongReplies, 0)
    }
    // The connection may break after the last byte: then nothing is missing.
    if (end !== null && now >= end) return
    if (trouble === "again") continue
    failures++
    const [, delay] = yield* step(yield* Clock.currentTimeMillis, trouble).pipe(
      Pull.catchDone(() =>
        Effect.fail(new Unavailable({ host: trouble.host, reason: trouble.reason, attempts: failures }))
      )
    )
    const milliseconds = Math.round(Duration.toMillis(delay))
    yield* countRetry("link")
    yield* context.request.progress({ _tag: "Retrying", reason: trouble.reason, milliseconds })
    yield* Effect.sleep(delay)
  }
})

/** One request and its body. `again`: nothing failed, but there is more to ask for. */
const exchange = Effect.fnUntraced(function* (context: FetchContext, position: Ref.Ref<number>, end: number | null) {
  const { watch, sink, request, lease } = context
  const from = yield* Ref.get(position)
  const known = yield* watch.known
  const overlap = known?.etag == null ? Math.min(from - sink.begin, overlapLength) : 0
  const first = from - overlap
  const size = known?.size ?? request.size
  const range = first > 0 || (end !== null && (size === null || end < size))
  const asked = { first, end, range, size: request.size, known }
  const { link, generation } = yield* lease.current
  const [reply, verdict] = yield* ask(context, link, asked, from > 0 ? (known?.etag ?? null) : null, mostRedirects)
  if (verdict._tag === "Stale") {
    yield* lease.refused(generation, reply.host, verdict.status)
    return "again"
  }
  if (verdict._tag !== "Bytes") return yield* refusal(context, reply, verdict)
  yield* lease.worked(generation)
  yield* watch.learn(verdict.version)
  const reached = yield* receive(context, reply, { at: verdict.first, end: verdict.end }, position)
  if (verdict.end === null) yield* watch.learn({ ...verdict.version, size: reached })
  const goal = end ?? verdict.end ?? reached
  return reached >= Math.min(goal, verdict.version.size ?? goal) ? "done" : "again"
})

/** Sends the request and follows redirects by our own rule: few of them, and each address is judged like the first. */
const ask = (
  context: FetchContext,
  link: Redacted.Redacted,
  asked: Parameters<typeof judge>[0],
  ifRange: string | null,
  redirects: number
): Effect.Effect<readonly [LinkReply, Verdict], AskError, Scope.Scope> =>
  Effect.gen(function* () {
    yield* Ref.update(context.attempts, (count) => count + 1)
    yield* countRequest("link")
    const reply = yield* context.host
      .get({
        file: context.request.fileName,
        link,
        range: asked.range ? `bytes=${asked.first}-${asked.end === null ? "" : asked.end - 1}` : null,
        ifRange: asked.range ? ifRange : null
      })
      .pipe(
        Effect.timeoutOrElse({
          duration: context.timeouts.header,
          orElse: () => Effect.fail(stalled(hostOf(link), "no answer", context.timeouts.header))
        })
      )
    const verdict = judge(asked, reply)
    if (verdict._tag !== "Redirect" || redirects === 0) return [reply, verdict] as const
    const next = Redacted.make(redirected(Redacted.value(link), verdict.location))
    return yield* ask(context, next, asked, ifRange, redirects - 1)
  })

type AskError = Effect.Error<ReturnType<LinkHost["Service"]["get"]>>

/** Takes the body into the sink, and returns where it ended. Bytes that are there already are compared. */
const receive = Effect.fnUntraced(function* (
  { sink, request, timeouts }: FetchContext,
  reply: LinkReply,
  body: { readonly at: number; readonly end: number | null },
  position: Ref.Ref<number>
) {
  let at = body.at
  let known = yield* Ref.get(position)
  let window = { since: yield* Clock.currentTimeMillis, bytes: 0 }
  const next = Effect.timeoutOrElse(reply.next, {
    duration: timeouts.idle,
    orElse: () => Effect.fail(stalled(reply.host, "no byte", timeouts.idle))
  })
  while (true) {
    let batch = yield* next
    if (batch === null) break
    if (body.end !== null && at + batch.length > body.end) {
      return yield* new LinkProtocol({
        file: request.fileName,
        host: reply.host,
        reason: "sent more bytes than it announced"
      })
    }
    const now = yield* Clock.currentTimeMillis
    yield* countBytes("link", batch.length)
    window = { since: window.since, bytes: window.bytes + batch.length }
    if (now - window.since >= slowest.milliseconds) {
      if (window.bytes < slowest.bytes) return yield* broken(reply.host, "Slow", "sends less than 1 KiB per second")
      window = { since: now, bytes: 0 }
    }
    if (at < known) {
      const length = Math.min(known - at, batch.length)
      if (!sameBytes(yield* sink.read(at, length), batch.subarray(0, length))) {
        return yield* new Restart({ cause: "Changed", reason: "its bytes differ from those fetched before" })
      }
      at += length
      batch = batch.subarray(length)
    }
    if (batch.length === 0) continue
    yield* sink.write(at, batch)
    at += batch.length
    known = at
    yield* Ref.set(position, at)
  }
  if (body.end !== null && at < body.end) return yield* broken(reply.host, "Short", "ended the file too early")
  return at
})

/** A reply that gives no bytes: fails with what it means for the file. */
const refusal = Effect.fnUntraced(function* (
  context: FetchContext,
  reply: LinkReply,
  verdict: Exclude<Verdict, { readonly _tag: "Bytes" | "Stale" }>
) {
  switch (verdict._tag) {
    case "RangeIgnored":
      return yield* new Restart({ cause: "NoRanges", reason: `${reply.host} does not serve parts of the file` })
    case "Changed":
      return yield* new Restart({ cause: "Changed", reason: verdict.reason })
    case "WrongSize":
      return yield* new FileDamaged({
        file: context.request.fileName,
        fault: "Size",
        reason: `${reply.host} has ${verdict.size} bytes, the listing says ${context.request.size ?? "nothing of its size"}`
      })
    case "Later":
      return yield* new LinkLater({
        host: reply.host,
        reason: `status ${verdict.status}`,
        retryAfter: waitAsked(verdict.retryAfter, yield* Clock.currentTimeMillis)
      })
    case "Redirect":
      return yield* countWrong(context, reply.host, "redirects too often")
    case "Wrong":
      return yield* countWrong(context, reply.host, verdict.reason)
  }
})

const countWrong = Effect.fnUntraced(function* (context: FetchContext, host: string, reason: string) {
  const seen = yield* Ref.getAndUpdate(context.wrongReplies, (count) => count + 1)
  return yield* seen >= mostWrongReplies
    ? new LinkProtocol({ file: context.request.fileName, host, reason })
    : new LinkLater({ host, reason, retryAfter: null })
})

const broken = (host: string, fault: LinkBroken["fault"], reason: string) => new LinkBroken({ host, fault, reason })

const stalled = (host: string, what: string, limit: Duration.Duration) =>
  broken(host, "Stalled", `${what} for ${Math.round(Duration.toSeconds(limit))} s`)

const hostOf = (link: Redacted.Redacted): string => {
  const text = Redacted.value(link)
  return URL.canParse(text) ? new URL(text).host : "the link host"
}

const sameBytes = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, i) => byte === other[i])
