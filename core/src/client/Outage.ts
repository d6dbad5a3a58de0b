/** Whether the rest of a list of requests is worth sending after some of them failed. */
import { Effect, Ref } from "effect"
import type { SessionError } from "../Errors.ts"

interface Failure {
  readonly _tag: string
}

/** So often in a row the service is given all its tries; then it is down, and not the answer to one request missing. */
const mostUnavailable = 3

const general: ReadonlyArray<string> = [
  "LoginRefused",
  "LoginProtocol",
  "SessionContention",
  "TlsRefused",
  "ProxyRefused"
] satisfies ReadonlyArray<SessionError["_tag"]>

/** A failure that has nothing to do with what was asked for: the next request would end the same way. */
export const isGeneral = ({ _tag }: Failure): boolean => general.includes(_tag)

/** What the requests of a list met so far, one after the other. */
export interface Outage {
  readonly answered: Effect.Effect<void>
  /** True when the rest would fail too: a general failure, or the third `Unavailable` in a row. */
  readonly failed: (error: Failure) => Effect.Effect<boolean>
}

/** Nothing was met yet. */
export const make: Effect.Effect<Outage> = Effect.map(Ref.make(0), (inARow) => ({
  answered: Ref.set(inARow, 0),
  failed: (error) =>
    Effect.map(
      Ref.updateAndGet(inARow, (count) => (error._tag === "Unavailable" ? count + 1 : 0)),
      (count) => isGeneral(error) || count >= mostUnavailable
    )
}))
