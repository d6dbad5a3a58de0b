/**
 * A link host without a socket: it serves one object as a good host would, and a script makes it misbehave at chosen
 * requests. Its delays are Effect sleeps, so tests run on the virtual clock.
 */
import { Effect, Layer, Redacted, Ref } from "effect"
import {
  LinkBroken,
  type LinkError,
  LinkHost,
  type LinkReply,
  type LinkRequest
} from "../../core/src/transfer/LinkHost.ts"

/** One thing that a body does. */
export type BodyStep = Uint8Array | { readonly wait: number } | { readonly fail: LinkBroken["fault"] }

export interface ScriptedReply {
  readonly status: number
  readonly headers: Record<string, string>
  readonly framed?: boolean
  readonly body: ReadonlyArray<BodyStep>
  /** Milliseconds before the head comes. */
  readonly delay?: number
}

export interface StoredObject {
  readonly bytes: Uint8Array
  readonly etag: string | null
}

export interface Seen {
  readonly link: string
  readonly range: string | null
}

/** Sees the request (the first is number 0) and what a good host would say. */
export type Script = (
  request: Seen & { readonly number: number; readonly object: StoredObject },
  good: ScriptedReply
) => ScriptedReply | LinkError | StoredObject

export const host = "files.example"

/** Bytes that differ from one version to the next at every place, and from one KiB to the next. */
export const patterned = (size: number, version = 1): Uint8Array => {
  const bytes = new Uint8Array(size)
  for (let at = 0; at < size; at += 1024) bytes.fill((at / 1024) * 31 + version * 101, at, at + 1024)
  for (let at = 0; at < size; at += 997) bytes[at] = (at / 997) * 7 + version * 101
  return bytes
}

/** What a host with ranges and strong tags answers. */
export const goodReply = ({ bytes, etag }: StoredObject, { range }: Omit<Seen, "link">): ScriptedReply => {
  const tag: Record<string, string> = etag === null ? {} : { etag }
  const asked = /^bytes=(\d+)-(\d*)$/.exec(range ?? "")
  if (asked === null) {
    return { status: 200, headers: { ...tag, "content-length": String(bytes.length) }, body: [bytes] }
  }
  const first = Number(asked[1])
  const end = Math.min(bytes.length, asked[2] === "" ? bytes.length : Number(asked[2]) + 1)
  if (first >= bytes.length) return { status: 416, headers: { "content-range": `bytes */${bytes.length}` }, body: [] }
  return {
    status: 206,
    headers: {
      ...tag,
      "content-range": `bytes ${first}-${end - 1}/${bytes.length}`,
      "content-length": String(end - first)
    },
    body: [bytes.subarray(first, end)]
  }
}

/** `body` cut after `length` bytes and ended with a fault. */
export const cutAfter = (
  reply: ScriptedReply,
  length: number,
  fault: LinkBroken["fault"] = "Short"
): ScriptedReply => ({
  ...reply,
  body: [
    ...reply.body.flatMap((step) => (step instanceof Uint8Array ? [step.subarray(0, length)] : [])),
    { fail: fault }
  ]
})

/** Bytes of one batch. */
const mostAtOnce = 1024 * 1024

export class ScriptedHost {
  readonly seen: Array<Seen> = []
  object: StoredObject
  open = 0
  mostOpen = 0
  readonly script: Script

  constructor(object: StoredObject, script: Script = (_, good) => good) {
    this.object = object
    this.script = script
  }

  get layer(): Layer.Layer<LinkHost> {
    return Layer.succeed(LinkHost, {
      get: (request) => this.#get(request),
      approve: ({ link }) => Effect.succeed(Redacted.value(link))
    })
  }

  #get(request: LinkRequest): ReturnType<LinkHost["Service"]["get"]> {
    const self = this
    return Effect.gen(function* () {
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          self.mostOpen = Math.max(self.mostOpen, ++self.open)
        }),
        () => Effect.sync(() => self.open--)
      )
      const seen = { link: Redacted.value(request.link), range: request.range }
      const number = self.seen.push(seen) - 1
      let answer = self.script({ ...seen, number, object: self.object }, goodReply(self.object, seen))
      if ("bytes" in answer) {
        self.object = answer
        answer = goodReply(answer, seen)
      }
      if ("_tag" in answer) return yield* answer
      if (answer.delay !== undefined) yield* Effect.sleep(answer.delay)
      const steps = yield* Ref.make(answer.body)
      const next: LinkReply["next"] = Effect.gen(function* () {
        while (true) {
          const [step, ...rest] = yield* Ref.get(steps)
          if (step === undefined) return null
          if (step instanceof Uint8Array && step.length > mostAtOnce) {
            yield* Ref.set(steps, [step.subarray(mostAtOnce), ...rest])
            return step.subarray(0, mostAtOnce)
          }
          yield* Ref.set(steps, rest)
          if (step instanceof Uint8Array) return step
          if ("wait" in step) yield* Effect.sleep(step.wait)
          else return yield* new LinkBroken({ host, fault: step.fail, reason: "the test cut it" })
        }
      })
      return {
        host,
        status: answer.status,
        headers: new Map(Object.entries(answer.headers)),
        framed: answer.framed ?? true,
        next
      } satisfies LinkReply
    })
  }
}
