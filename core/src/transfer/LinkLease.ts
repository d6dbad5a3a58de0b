/**
 * The link of one file while its bytes are fetched, asked for again when the link host no longer honours it.
 *
 * All connections of the file share it: a link is renewed once, whoever notices first. How long a link is good it says itself. That
 * is a hint, since clocks differ and the token that signed the link may end sooner: only the answer of the link host decides.
 */
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Ref from "effect/Ref"
import * as Semaphore from "effect/Semaphore"
import {
  type InArchive,
  type LinkForbidden,
  type LinkProtocol,
  type LinkRefusal,
  refusedLink,
  type ServiceError,
  statusWord
} from "../Errors.ts"
import type { TransferRequest } from "./TransferRequest.ts"
import { Restart } from "./VersionWatch.ts"

/** A link as one request uses it; by `generation` the lease knows which link was refused. */
export interface LeasedLink {
  readonly link: Redacted.Redacted
  readonly generation: number
}

export interface LinkLease {
  /** The link to use now, renewed first when its time has come. */
  readonly current: Effect.Effect<LeasedLink, LeaseError>
  /** The link host gave bytes for it. */
  readonly worked: (generation: number) => Effect.Effect<void>
  /** The link host did not honour it: renews it, unless that was done or is pointless. */
  readonly refused: (generation: number, refusal: LinkRefusal) => Effect.Effect<void, LeaseError>
  readonly renewals: Effect.Effect<number>
}

export type LeaseError = ServiceError | InArchive | LinkForbidden | LinkProtocol | Restart

/** More refusals than any real download meets: stops a loop with a host that refuses every link after a few bytes. */
const mostRefusals = 50
/** How many links in a row may end on their way, from a slow service or to a busy host, before one brings a byte. */
const mostInVain = 20

/** Milliseconds, in which an object may still appear that the service lists. */
const missingPauses = [1000, 2000, 4000]

interface State extends LeasedLink {
  /** Until when it cannot have ended, in ms since 1970. */
  readonly goodUntil: number
  /** It was asked for after the link before it had been refused: when it is refused as well, that is no accident. */
  readonly newest: boolean
  /** Some request was sent with it. */
  readonly used: boolean
  /** It brought bytes. */
  readonly worked: boolean
  readonly renewals: number
  readonly refusals: number
  /** Refusals since a link brought bytes. */
  readonly inVain: number
  /** How often the newest link was said to lead to nothing. */
  readonly missing: number
}

/** The file that a link leads to. */
export type LinkedFile = Pick<
  TransferRequest,
  "analysisId" | "fileName" | "size" | "link" | "linkAskedAt" | "renewLink" | "progress"
>

export const make = Effect.fnUntraced(function* (request: LinkedFile): Effect.fn.Return<LinkLease> {
  const { progress, renewLink, size } = request
  const state = yield* Ref.make<State>({
    link: request.link,
    generation: 0,
    goodUntil: goodUntil(Redacted.value(request.link), request.linkAskedAt ?? null),
    newest: false,
    used: false,
    worked: false,
    renewals: 0,
    refusals: 0,
    inVain: 0,
    missing: 0
  })
  const one = yield* Semaphore.make(1)

  const renew = Effect.fnUntraced(function* (reason: string, wasRefused: boolean) {
    yield* progress({ _tag: "Renewing", reason })
    const now = yield* Clock.currentTimeMillis
    const { link, askedAt = now, size: listed } = yield* renewLink
    yield* Ref.update(state, (old) => ({
      ...old,
      link,
      generation: old.generation + 1,
      goodUntil: goodUntil(Redacted.value(link), askedAt),
      newest: wasRefused && askedAt >= now,
      used: false,
      worked: false,
      renewals: old.renewals + 1
    }))
    if (size !== null && listed !== null && listed !== size) {
      return yield* new Restart({ cause: "Changed", reason: `the service now lists ${listed} bytes` })
    }
  })

  const current = Effect.gen(function* () {
    const old = yield* Ref.get(state)
    // One that is given out for a moment only is tried all the same.
    const isOver = old.used || old.generation === 0
    if (isOver && (yield* Clock.currentTimeMillis) >= old.goodUntil) yield* renew("the link has ended", false)
    return yield* Ref.updateAndGet(state, (now) => ({ ...now, used: true }))
  }).pipe(one.withPermit)

  const refused = (generation: number, refusal: LinkRefusal) =>
    Effect.gen(function* () {
      const old = yield* Ref.get(state)
      if (old.generation !== generation) return
      // A store may learn late of an object that has just come back; the link says nothing of that, and is tried again as it is.
      const pause = old.newest && !old.worked && refusal.status === 404 ? missingPauses[old.missing] : undefined
      if (pause !== undefined) {
        yield* Ref.set(state, { ...old, missing: old.missing + 1 })
        yield* progress({ _tag: "Retrying", reason: `${refusal.host} answered 404`, milliseconds: pause })
        return yield* Effect.sleep(pause)
      }
      const isNoAccident = old.newest && !old.worked && (yield* Clock.currentTimeMillis) < old.goodUntil
      if (isNoAccident || old.inVain >= mostInVain || old.refusals >= mostRefusals) {
        return yield* refusedLink(request, refusal)
      }
      yield* Ref.set(state, { ...old, refusals: old.refusals + 1, inVain: old.inVain + 1 })
      yield* renew(`${refusal.host} answered ${statusWord(refusal.status, refusal.code)}`, true)
    }).pipe(one.withPermit)

  return {
    current,
    refused,
    worked: (generation) =>
      Ref.update(state, (now) =>
        now.generation === generation && !now.worked ? { ...now, worked: true, inVain: 0 } : now
      ),
    renewals: Effect.map(Ref.get(state), (now) => now.renewals)
  }
})

/**
 * Milliseconds since 1970, null when the link does not say or says it in a form not known here. Known are `X-Amz-Date` +
 * `X-Amz-Expires`, `X-Goog-Date` + `X-Goog-Expires` (seconds), `Expires` (seconds since 1970), `se` of Azure (ISO 8601).
 */
export const expiryOf = (link: string): number | null => {
  const field = fieldsOf(link)
  if (field === null) return null
  for (const vendor of ["x-amz", "x-goog"]) {
    const start = compactDate(field(`${vendor}-date`))
    const seconds = wholeNumber(field(`${vendor}-expires`))
    if (start !== null && seconds !== null) return start + seconds * 1000
  }
  const epoch = wholeNumber(field("expires"))
  if (epoch !== null) return epoch * 1000
  const azure = field("se")
  return azure === null || !/^\d{4}-\d\d-\d\d/.test(azure) ? null : instant(azure)
}

/**
 * A link is used only while this much of its life is left: 30 s, or three quarters of a shorter life, and at least a second, so
 * that no request starts on a link that is about to end. Signers count in whole seconds: a link made at the end of a second lives
 * almost a second less than it says.
 */
const reserve = { most: Duration.toMillis("30 seconds"), part: 0.75, least: Duration.toMillis("1 second") }

/**
 * Until when a link is surely good, in ms since 1970; infinite when it does not say.
 *
 * Its age counts from `askedAt`, when the service was asked for it, so that clocks which differ do not matter. It does not count from
 * the end of the answer, which may take longer than the link lives: links of 2 s were used after they had ended, and 35 of 10,000
 * ranges failed. Null when nobody knows when it was asked for: then this machine's clock decides.
 */
export const goodUntil = (link: string, askedAt: number | null): number => {
  if (askedAt === null) return (expiryOf(link) ?? Number.POSITIVE_INFINITY) - reserve.most
  const lifetime = lifetimeOf(link, askedAt)
  // A link that ended before it was asked for shows that a clock is wrong.
  if (lifetime === null || lifetime <= 0) return Number.POSITIVE_INFINITY
  return askedAt + Math.max(0, lifetime - Math.max(reserve.least, Math.min(reserve.most, lifetime * reserve.part)))
}

/** Milliseconds that a link made at `now` lives, null when it does not say; some links say so whatever this machine's clock shows. */
const lifetimeOf = (link: string, now: number): number | null => {
  const field = fieldsOf(link)
  const seconds = wholeNumber(field?.("x-amz-expires") ?? null) ?? wholeNumber(field?.("x-goog-expires") ?? null)
  if (seconds !== null) return seconds * 1000
  const expiry = expiryOf(link)
  return expiry === null ? null : expiry - now
}

/** The values of the query by the lower-case names of its fields; null without a query. */
const fieldsOf = (link: string): ((name: string) => string | null) | null => {
  const query = /^[^#?]*\?([^#]*)/.exec(link)?.[1]
  if (query === undefined) return null
  const fields = new URLSearchParams(query)
  return (name) => {
    for (const [key, value] of fields) if (key.toLowerCase() === name) return value
    return null
  }
}

const wholeNumber = (text: string | null): number | null =>
  text !== null && /^\d{1,12}$/.test(text) ? Number(text) : null

/** `20260131T235959Z` */
const compactDate = (text: string | null): number | null => {
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text ?? "")
  if (parts === null) return null
  const [, year, month, day, hour, minute, second] = parts
  return instant(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
}

const instant = (text: string): number | null =>
  DateTime.make(text).pipe(Option.map(DateTime.toEpochMillis), Option.getOrNull)
