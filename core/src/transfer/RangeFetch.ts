/**
 * Fetches a range of bytes of a remote file, however often it has to ask: each reply is judged before its bytes are used, a
 * link that has ended is renewed, and when a connection breaks the next one goes on at the same byte.
 */
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import * as Redacted from "effect/Redacted"
import * as Ref from "effect/Ref"
import * as Schedule from "effect/Schedule"
import { codeWord, FileDamaged, LinkProtocol, Unavailable } from "../Errors.ts"
import { linkRetry, waitAsked } from "../Schedules.ts"
import { countRequest, countRetry } from "../telemetry/Counters.ts"
import type { ByteRange } from "./ByteRanges.ts"
import { LinkHost, type LinkReply, redirectTarget } from "./LinkHost.ts"
import type { LinkLease } from "./LinkLease.ts"
import { LinkPool } from "./LinkPool.ts"
import { judge, type ObjectVersion, type RangeAsked, type Verdict } from "./RangeReply.ts"
import { type ByteSink, receive, stallError, statedCode, withBeginning } from "./ReplyBody.ts"
import type { TransferRequest } from "./TransferRequest.ts"
import { Restart, type VersionWatch } from "./VersionWatch.ts"

/** What all requests for one file have in common; they share `LinkHost` and `LinkPool` with those for other files. */
export interface FetchContext {
  readonly request: Pick<TransferRequest, "fileName" | "size" | "progress">
  readonly lease: LinkLease
  readonly watch: VersionWatch
  readonly sink: ByteSink
  /** Requests sent. */
  readonly attempts: Ref.Ref<number>
}

/** What all requests for one range have in common. */
interface RangeContext extends FetchContext {
  /** Replies that do not answer the request, such as a 206 for another range. */
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
/** How many bytes before the point of resumption are fetched again and compared when there is no strong entity tag. */
export const overlapLength = 64 * 1024
const mostRedirects = 3
/** One reply that does not answer the request may be an accident; after a second one for the same range the transfer fails, or does without ranges. */
const mostWrongReplies = 1

/**
 * Fetches the bytes `[start, end)`; `end` null means to the end, which the reply must mark.
 *
 * Fails with `Unavailable` after as many tries as `linkRetry` has without progress, and with `Restart` when the file has
 * to be fetched anew.
 */
export const fetchRange = Effect.fn("svc.transfer.fetchRange")(function* (
  file: FetchContext,
  [start, end]: ByteRange | readonly [number, null]
) {
  const context: RangeContext = { ...file, wrongReplies: yield* Ref.make(0) }
  const { permits } = yield* LinkPool
  const position = yield* Ref.make(start)
  const patience = yield* makePatience(context, start)
  while (true) {
    const outcome = yield* permits.withPermit(exchange(context, position, end)).pipe(
      Effect.scoped,
      Effect.catchTag("LinkBroken", ({ fault, host, reason }) =>
        fault === "Protocol" ? countWrong(context, host, reason) : new LinkLater({ host, reason, retryAfter: null })
      ),
      Effect.catchTag("LinkLater", Effect.succeed)
    )
    const reached = yield* Ref.get(position)
    // The connection may break after the last byte: then nothing is missing.
    if (outcome === "done" || (end !== null && reached >= end)) return
    yield* patience.refill(reached)
    if (outcome !== "again") yield* patience.pause(outcome)
  }
})

/** How often a range is asked for again, and after what pauses. Each time enough new bytes came, the tries begin anew. */
const makePatience = Effect.fnUntraced(function* (context: RangeContext, start: number) {
  let step = yield* Schedule.toStep(linkRetry)
  let failures = 0
  let refilledAt = start
  return {
    refill: Effect.fnUntraced(function* (reached: number) {
      if (reached - refilledAt < worthwhile) return
      refilledAt = reached
      failures = 0
      step = yield* Schedule.toStep(linkRetry)
      yield* Ref.set(context.wrongReplies, 0)
    }),
    pause: Effect.fnUntraced(function* (trouble: LinkLater) {
      const { host, reason } = trouble
      failures++
      const [, delay] = yield* step(yield* Clock.currentTimeMillis, trouble).pipe(
        Pull.catchDone(() => Effect.fail(new Unavailable({ host, reason, attempts: failures })))
      )
      yield* countRetry("link")
      yield* context.request.progress({ _tag: "Retrying", reason, milliseconds: Math.round(Duration.toMillis(delay)) })
      yield* Effect.sleep(delay)
    })
  }
})

/** One request and its body. `again`: nothing failed, but there is more to ask for. */
const exchange = Effect.fnUntraced(function* (context: RangeContext, position: Ref.Ref<number>, end: number | null) {
  const { lease, request, sink, watch } = context
  const known = yield* watch.known
  const from = yield* Ref.get(position)
  const asked = rangeToAsk(context, known, from, end)
  const { link, generation } = yield* lease.current
  const { code, reply, verdict } = yield* ask(context, link, asked)
  if (verdict._tag === "Stale") {
    yield* lease.refused(generation, { host: reply.host, status: verdict.status, code })
    return "again"
  }
  if (verdict._tag !== "Bytes") return yield* refusal(context, reply, verdict, code)
  yield* lease.worked(generation)
  yield* watch.learn(verdict.version)
  const { fileName } = request
  const body = { at: verdict.first, end: verdict.end }
  const reached = yield* receive({ fileName, sink }, reply, body, position)
  if (verdict.end === null) yield* watch.learn({ ...verdict.version, size: reached })
  const goal = end ?? verdict.end ?? reached
  if (reached >= Math.min(goal, verdict.version.size ?? goal)) return "done"
  // A host that cuts ranges to less than the overlap would be asked for the same bytes for ever.
  return reached > from
    ? "again"
    : yield* countWrong(context, reply.host, "sent only bytes that are there already", true)
})

/**
 * What to ask for when the bytes before `from` are there. Where no strong entity tag vouches that the rest is of the same
 * version, the last of them are asked for once more, to be compared. The whole file is asked for without `Range`. No range has a
 * condition (`If-Range`): each reply states its version, and there are hosts that send the whole file as soon as they see one.
 */
const rangeToAsk = (
  { request, sink }: FetchContext,
  known: ObjectVersion | null,
  from: number,
  end: number | null
): RangeAsked => {
  const overlap = known?.etag == null ? Math.min(from - sink.begin, overlapLength) : 0
  const first = from - overlap
  const size = known?.size ?? request.size
  const range = first > 0 || (end !== null && (size === null || end < size))
  return { first, end, range, size: request.size, known }
}

/** Sends the request and follows redirects by our own rule: few of them, and each address is judged like the first. */
const ask = Effect.fnUntraced(function* (context: FetchContext, first: Redacted.Redacted, asked: RangeAsked) {
  const host = yield* LinkHost
  const { header } = (yield* LinkPool).settings
  const range = asked.range ? `bytes=${asked.first}-${asked.end === null ? "" : asked.end - 1}` : null
  let link = first
  for (let redirects = 0; ; redirects++) {
    yield* Ref.update(context.attempts, (count) => count + 1)
    yield* countRequest("link")
    const reply = yield* host.get({ file: context.request.fileName, link, range }).pipe(
      Effect.flatMap((reply) => withBeginning(asked, reply)),
      Effect.timeoutOrElse({
        duration: header,
        orElse: () => Effect.fail(stallError(hostOf(link), "no answer", header))
      })
    )
    /** Why the store refuses, in its own word. */
    const code = reply.status < 400 ? null : yield* statedCode(reply)
    const verdict = judge(asked, { ...reply, code })
    if (verdict._tag !== "Redirect" || redirects === mostRedirects) return { code, reply, verdict }
    link = Redacted.make(redirectTarget(Redacted.value(link), verdict.location))
  }
})

/** Handles a reply without usable bytes: fails with the error that it means for the file. */
const refusal = Effect.fnUntraced(function* (
  context: RangeContext,
  reply: LinkReply,
  verdict: Exclude<Verdict, { readonly _tag: "Bytes" | "Stale" }>,
  code: string | null
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
        reason: verdict.reason,
        retryAfter: waitAsked(verdict.retryAfter, yield* Clock.currentTimeMillis)
      })
    case "Redirect":
      return yield* countWrong(context, reply.host, "redirects too often")
    case "Wrong": {
      const why = code === null ? "" : ` (${codeWord(code)})`
      return yield* countWrong(context, reply.host, `${verdict.reason}${why}`, verdict.ofRange)
    }
  }
})

/** @param ofRange - a host that gets ranges wrong is taken for one without them: what is there is dropped, and the whole asked for */
const countWrong = Effect.fnUntraced(function* (
  context: RangeContext,
  host: string,
  reason: string,
  ofRange = false
): Effect.fn.Return<never, LinkLater | LinkProtocol | Restart> {
  const seen = yield* Ref.getAndUpdate(context.wrongReplies, (count) => count + 1)
  if (seen < mostWrongReplies) return yield* new LinkLater({ host, reason, retryAfter: null })
  return yield* ofRange
    ? new Restart({ cause: "NoRanges", reason: `${host} ${reason}` })
    : new LinkProtocol({ file: context.request.fileName, host, reason })
})

const hostOf = (link: Redacted.Redacted): string => {
  const text = Redacted.value(link)
  return URL.canParse(text) ? new URL(text).host : "the link host"
}
