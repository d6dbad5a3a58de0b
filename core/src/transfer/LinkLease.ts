/**
 * The link of one file while its bytes are fetched, asked for again when the link host no longer honours it.
 *
 * All connections of the file share it: a link is renewed once, whoever notices first. What a link says of its end is not read: clocks
 * differ, the token that signed it may end sooner, and each store says it otherwise. The answer of the link host decides.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
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
import { monotonicMillis } from "../telemetry/MonotonicTime.ts"
import type { TransferRequest } from "./TransferRequest.ts"
import { Restart } from "./VersionWatch.ts"

/** A link as one request uses it; by `generation` the lease knows which link was refused. */
export interface LeasedLink {
  readonly link: Redacted.Redacted
  readonly generation: number
}

export interface LinkLease {
  /** The link to use now; of one that is being renewed, the next. */
  readonly current: Effect.Effect<LeasedLink>
  /** The link host gave bytes for it. */
  readonly worked: (generation: number) => Effect.Effect<void>
  /** The link host did not honour it: renews it, unless that was done or is pointless. */
  readonly refused: (generation: number, refusal: LinkRefusal) => Effect.Effect<void, LeaseError>
  readonly renewals: Effect.Effect<number>
}

export type LeaseError = ServiceError | InArchive | LinkForbidden | LinkProtocol | Restart

/**
 * A link that lives for an hour may be refused as often as a download of weeks needs. So many that lived for a moment only are more than
 * any real download meets: a host that refuses every link after a few bytes.
 */
const mostShortLived = 50
const moment = Duration.toMillis("1 minute")

/** Milliseconds, in which an object may still appear that the service lists. */
const missingPauses = [1000, 2000, 4000]

interface State extends LeasedLink {
  /** When it came, in ms of the monotonic clock. */
  readonly since: number
  /** It was asked for after the link before it had been refused: when it is refused as well, that is no accident. */
  readonly newest: boolean
  /** It brought bytes. */
  readonly worked: boolean
  readonly renewals: number
  /** Links in a row that were refused after a moment. */
  readonly shortLived: number
  /** How often the newest link was said to lead to nothing. */
  readonly missing: number
}

/** The file that a link leads to. */
export type LinkedFile = Pick<TransferRequest, "analysisId" | "fileName" | "size" | "link" | "renewLink" | "progress">

export const make = Effect.fnUntraced(function* (request: LinkedFile): Effect.fn.Return<LinkLease> {
  const { progress, renewLink, size } = request
  const state = yield* Ref.make<State>({
    link: request.link,
    generation: 0,
    since: yield* monotonicMillis,
    newest: false,
    worked: false,
    renewals: 0,
    shortLived: 0,
    missing: 0
  })
  const one = yield* Semaphore.make(1)

  const renew = Effect.fnUntraced(function* (reason: string, shortLived: number) {
    yield* progress({ _tag: "Renewing", reason })
    const now = yield* Clock.currentTimeMillis
    const { link, askedAt = now, size: listed } = yield* renewLink
    const since = yield* monotonicMillis
    yield* Ref.update(state, (old) => ({
      ...old,
      link,
      generation: old.generation + 1,
      since,
      newest: askedAt >= now,
      worked: false,
      renewals: old.renewals + 1,
      shortLived
    }))
    if (size !== null && listed !== null && listed !== size) {
      return yield* new Restart({ cause: "Changed", reason: `the service now lists ${listed} bytes` })
    }
  })

  const refused = (generation: number, refusal: LinkRefusal) =>
    Effect.gen(function* () {
      const old = yield* Ref.get(state)
      if (old.generation !== generation) return
      const isFinal = old.newest && !old.worked
      // A store may learn late of an object that has just come back; the link says nothing of that, and is tried again as it is.
      const pause = isFinal && refusal.status === 404 ? missingPauses[old.missing] : undefined
      if (pause !== undefined) {
        yield* Ref.set(state, { ...old, missing: old.missing + 1 })
        yield* progress({ _tag: "Retrying", reason: `${refusal.host} answered 404`, milliseconds: pause })
        return yield* Effect.sleep(pause)
      }
      const shortLived = (yield* monotonicMillis) - old.since < moment ? old.shortLived + 1 : 0
      if (isFinal || shortLived > mostShortLived) return yield* refusedLink(request, refusal)
      yield* renew(`${refusal.host} answered ${statusWord(refusal.status, refusal.code)}`, shortLived)
    }).pipe(one.withPermit)

  return {
    current: one.withPermit(Ref.get(state)),
    refused,
    worked: (generation) =>
      Ref.update(state, (now) => (now.generation === generation && !now.worked ? { ...now, worked: true } : now)),
    renewals: Effect.map(Ref.get(state), (now) => now.renewals)
  }
})
