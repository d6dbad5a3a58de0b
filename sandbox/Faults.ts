import * as Schema from "effect/Schema"
import { type EndpointName, endpointNames } from "./Endpoints.ts"
import type { Stats } from "./Stats.ts"

const Count = Schema.Int.pipe(Schema.check(Schema.isGreaterThanOrEqualTo(0)))
const Positive = Schema.Int.pipe(Schema.check(Schema.isGreaterThan(0)))

/** Where in an answer the fault happens: before its first byte (`head`), or after this many bytes of the body. */
const FaultPosition = Schema.Union([Schema.Literal("head"), Count])

/**
 * Which requests a rule is about; a missing key matches all. `*` in `path` and `file` stands for any text.
 *
 * `endpoint` is a name of the contract, such as `getAnalyses` or `login`, or `other`. `analysis` is, on the API, an id anywhere
 * in the path or the query. Of the matching requests the first `after` pass unharmed, the next `times` do not (default:
 * all); `nth: n` is short for `after: n - 1, times: 1`.
 */
export const FaultMatch = Schema.Struct({
  plane: Schema.optionalKey(Schema.Literals(["api", "link"])),
  endpoint: Schema.optionalKey(Schema.Literals(endpointNames)),
  method: Schema.optionalKey(Schema.String),
  path: Schema.optionalKey(Schema.String),
  analysis: Schema.optionalKey(Schema.String),
  file: Schema.optionalKey(Schema.String),
  ranged: Schema.optionalKey(Schema.Boolean),
  nth: Schema.optionalKey(Positive),
  after: Schema.optionalKey(Count),
  times: Schema.optionalKey(Positive)
})

/** What happens to a matching request. Keys combine: `{"status": 503, "delay": 200}`. */
export const Fault = Schema.Struct({
  /** Milliseconds before the request is looked at. */
  delay: Schema.optionalKey(Count),
  /** Answer with this status (and `headers`, `body`) instead of doing what was asked. */
  status: Schema.optionalKey(Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 200, maximum: 599 })))),
  body: Schema.optionalKey(Schema.String),
  /** Headers to set in whatever answer is given, as they are; `null` removes one. */
  headers: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.NullOr(Schema.Union([Schema.String, Schema.Array(Schema.String)])))
  ),
  /** Answer 200 with an HTML page. */
  html: Schema.optionalKey(Schema.Literal(true)),
  /** Answer 302 (or `status`) to this address. */
  redirect: Schema.optionalKey(Schema.String),
  /** Reset, or orderly close of the connection; silence with the connection open. */
  reset: Schema.optionalKey(FaultPosition),
  close: Schema.optionalKey(FaultPosition),
  stall: Schema.optionalKey(FaultPosition),
  /** Bytes per second of the body. */
  slow: Schema.optionalKey(Positive),
  /** Flip one bit of the body byte at this offset. */
  corrupt: Schema.optionalKey(Count),
  /** gzip the body; only say so; or gzip it and leave the second half away. */
  gzip: Schema.optionalKey(Schema.Literals(["whole", "claimed", "cut"])),
  /** Do what was asked, then close the connection without an answer. */
  loseAnswer: Schema.optionalKey(Schema.Literal(true)),
  /** API: end the session, with 302 and HTML (`redirect`) or 403 (`forbid`) as the answer. */
  invalidate: Schema.optionalKey(Schema.Literals(["redirect", "forbid"])),
  /** Link: answer 200 and the whole object to a Range request. */
  ignoreRange: Schema.optionalKey(Schema.Literal(true)),
  /** Link: from this request on the object is another version (new bytes of the same size, new ETag), or the object
   * `analysis/file`. */
  swap: Schema.optionalKey(Schema.Union([Schema.Literal(true), Schema.String])),
  /** Link: the link is expired for this request, or from the next one on. */
  expireLink: Schema.optionalKey(Schema.Literals(["now", "next"])),
  /** Link: the file goes back to the archive at this request. */
  archive: Schema.optionalKey(Schema.Literal(true))
})

export type Fault = typeof Fault.Type

export const FaultRule = Schema.Struct({ when: FaultMatch, then: Fault })
/**
 * Which requests something happens to, and what.
 *
 * @category schemas
 * @since 0.1.0
 */
export type FaultRule = typeof FaultRule.Type

/** A fault file, and the body of `POST /__sandbox/faults`. */
export const FaultRules = Schema.Array(FaultRule)

/** What a rule can look at. */
export interface RequestFacts {
  readonly plane: "api" | "link"
  /** Null on the link host, where the contract names none. */
  readonly endpoint: EndpointName | null
  readonly method: string
  /** The path with its query. */
  readonly url: string
  readonly file: string | null
  readonly analyses: ReadonlyArray<string>
  readonly ranged: boolean
}

const glob = (pattern: string, text: string) => {
  const [start = "", ...rest] = pattern.split("*")
  const end = rest.pop()
  if (end === undefined) return pattern === text
  let at = text.startsWith(start) ? start.length : -1
  for (const part of rest) {
    const found = at < 0 ? -1 : text.indexOf(part, at)
    at = found < 0 ? -1 : found + part.length
  }
  return at >= 0 && text.length - at >= end.length && text.endsWith(end)
}

const matches = (when: FaultRule["when"], facts: RequestFacts) =>
  (when.plane === undefined || when.plane === facts.plane) &&
  (when.endpoint === undefined || when.endpoint === facts.endpoint) &&
  (when.method === undefined || when.method.toUpperCase() === facts.method) &&
  (when.path === undefined || glob(when.path, facts.url.split("?")[0] ?? "")) &&
  (when.analysis === undefined || facts.analyses.includes(when.analysis)) &&
  (when.file === undefined || (facts.file !== null && glob(when.file, facts.file))) &&
  (when.ranged === undefined || when.ranged === facts.ranged)

const window = ({ nth, after = 0, times = Number.POSITIVE_INFINITY }: FaultRule["when"]) =>
  nth === undefined ? { first: after + 1, last: after + times } : { first: nth, last: nth }

/** The rules in force. Every rule counts all requests that match it; of the rules that apply now the first one is used. */
export const makeFaults = (initial: ReadonlyArray<FaultRule>, stats: Stats) => {
  const arm = (rules: ReadonlyArray<FaultRule>) => rules.map((rule) => ({ ...rule, ...window(rule.when), seen: 0 }))
  let armed = arm(initial)
  const replace = (rules: ReadonlyArray<FaultRule>) => {
    armed = arm(rules)
  }
  return {
    take: (facts: RequestFacts): Fault => {
      const hits = armed.filter((rule) => matches(rule.when, facts))
      for (const rule of hits) rule.seen++
      const due = hits.find((rule) => rule.seen >= rule.first && rule.seen <= rule.last)
      if (due === undefined) return {}
      stats.faultsFired++
      return due.then
    },
    replace,
    /** Back to the rules of the start, uncounted. */
    reset: () => replace(initial)
  }
}
