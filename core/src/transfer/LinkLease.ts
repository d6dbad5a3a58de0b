/**
 * The link of one file while its bytes are fetched, asked for again when the link host no longer honours it, where there is
 * somebody to ask.
 *
 * All connections of the file share it: a link is renewed once, whoever notices first.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Ref from "effect/Ref"
import * as Semaphore from "effect/Semaphore"
import {
  type InArchive,
  LinkExpired,
  type LinkForbidden,
  type LinkRefusal,
  refusedLink,
  type ServiceError,
  statusWord
} from "../Errors.ts"
import { goodUntil } from "./LinkLife.ts"
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

export type LeaseError = ServiceError | InArchive | LinkForbidden | LinkExpired | Restart

/** More refusals than any real download meets: stops a loop with a host that refuses every link after a few bytes. */
const mostRefusals = 50
/** How many links in a row may end on their way, from a slow service or to a busy host, before one brings a byte. */
const mostInVain = 20

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
}

/** The file that a link leads to. */
export type LinkedFile = Pick<
  TransferRequest,
  "analysisId" | "fileName" | "size" | "link" | "linkAskedAt" | "renewLink" | "progress"
>

export const make = Effect.fnUntraced(function* (request: LinkedFile): Effect.fn.Return<LinkLease> {
  const { fileName, progress, renewLink, size } = request
  const state = yield* Ref.make<State>({
    link: request.link,
    generation: 0,
    goodUntil: goodUntil(Redacted.value(request.link), request.linkAskedAt ?? null),
    newest: false,
    used: false,
    worked: false,
    renewals: 0,
    refusals: 0,
    inVain: 0
  })
  const one = yield* Semaphore.make(1)

  const renew = Effect.fnUntraced(function* (reason: string, wasRefused: boolean) {
    if (renewLink === null) return yield* new LinkExpired({ file: fileName, reason })
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
    // Only the link host ends a link that cannot be renewed: it may serve it longer than this clock thinks. One that is given out
    // for a moment only is tried all the same.
    const isOver = renewLink !== null && (old.used || old.generation === 0)
    if (isOver && (yield* Clock.currentTimeMillis) >= old.goodUntil) yield* renew("the link has ended", false)
    return yield* Ref.updateAndGet(state, (now) => ({ ...now, used: true }))
  }).pipe(one.withPermit)

  const refused = (generation: number, refusal: LinkRefusal) =>
    Effect.gen(function* () {
      const old = yield* Ref.get(state)
      if (old.generation !== generation) return
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
