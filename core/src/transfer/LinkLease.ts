/**
 * The link of one file while it is downloaded, renewed through the service when the link host no longer honours it, where
 * there is a session to renew it with.
 *
 * All connections of the file share it: a link is renewed once, whoever notices first.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Ref from "effect/Ref"
import * as Semaphore from "effect/Semaphore"
import { LinkExpired, type LinkForbidden, refusedLink, type ServiceError } from "../Errors.ts"
import { isExpired } from "./LinkExpiry.ts"
import type { TransferRequest } from "./TransferRequest.ts"
import { Restart } from "./VersionWatch.ts"

/** A link as one request uses it; by `generation` the lease knows which link was refused. */
export interface LeasedLink {
  readonly link: Redacted.Redacted
  readonly generation: number
}

export interface LinkLease {
  /** The link to use now, renewed first when it says that it has ended. */
  readonly current: Effect.Effect<LeasedLink, LeaseError>
  /** The link host gave bytes for it. */
  readonly worked: (generation: number) => Effect.Effect<void>
  /** The link host did not honour it: renews it, unless that was done or is pointless. */
  readonly refused: (generation: number, host: string, status: number) => Effect.Effect<void, LeaseError>
  readonly renewals: Effect.Effect<number>
}

export type LeaseError = ServiceError | LinkForbidden | LinkExpired | Restart

/** More renewals than any real download needs: stops a loop with a host that refuses every link after a few bytes. */
const mostRenewals = 50

interface State extends LeasedLink {
  readonly worked: boolean
  readonly renewals: number
  /** False once a fresh link looked expired: then this machine's clock is wrong. */
  readonly clockTrusted: boolean
}

/** The file that a link leads to. */
export type LinkedFile = Pick<TransferRequest, "fileName" | "size" | "link" | "renewLink" | "progress">

export const make = Effect.fnUntraced(function* (request: LinkedFile): Effect.fn.Return<LinkLease> {
  const state = yield* Ref.make<State>({
    link: request.link,
    generation: 0,
    worked: false,
    renewals: 0,
    clockTrusted: true
  })
  const one = yield* Semaphore.make(1)

  const renew = Effect.fnUntraced(function* (reason: string) {
    if (request.renewLink === null) return yield* new LinkExpired({ file: request.fileName, reason })
    yield* request.progress({ _tag: "Renewing", reason })
    const fresh = yield* request.renewLink
    const now = yield* Clock.currentTimeMillis
    yield* Ref.update(state, (old) => ({
      link: fresh.link,
      generation: old.generation + 1,
      worked: false,
      renewals: old.renewals + 1,
      clockTrusted: old.clockTrusted && !isExpired(Redacted.value(fresh.link), now)
    }))
    if (request.size !== null && fresh.size !== null && fresh.size !== request.size) {
      return yield* new Restart({ cause: "Changed", reason: `the service now lists ${fresh.size} bytes` })
    }
  })

  const current = Effect.gen(function* () {
    const { link, clockTrusted, renewals } = yield* Ref.get(state)
    const now = yield* Clock.currentTimeMillis
    // Only the link host ends a link that cannot be renewed: it may serve it longer than this clock thinks.
    if (request.renewLink !== null && clockTrusted && renewals < mostRenewals && isExpired(Redacted.value(link), now)) {
      yield* renew("the link has ended")
    }
    const { generation, link: valid } = yield* Ref.get(state)
    return { generation, link: valid }
  }).pipe(one.withPermit)

  const renewRefused = (generation: number, host: string, status: number) =>
    Effect.gen(function* () {
      const now = yield* Ref.get(state)
      if (now.generation !== generation) return
      if ((generation > 0 && !now.worked) || now.renewals >= mostRenewals) {
        return yield* refusedLink(request.fileName, host, status)
      }
      yield* renew(`${host} answered ${status}`)
    }).pipe(one.withPermit)

  return {
    current,
    refused: renewRefused,
    worked: (generation) =>
      Ref.update(state, (now) => (now.generation === generation && !now.worked ? { ...now, worked: true } : now)),
    renewals: Effect.map(Ref.get(state), (now) => now.renewals)
  }
})
