/**
 * Decides when another login is allowed and when a 403 is worth one. Without these limits two programs of one account would end each
 * other's session for ever (S7), and each forbidden item would cost a login (S4). The history of this session is judged by pure
 * functions, with times in ms of the monotonic clock; that a password was refused is shared with other programs (`RefusedLogins`).
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"

export interface LoginHistory {
  /** Logins since the last request that succeeded. */
  readonly logins: ReadonlyArray<number>
  /** Whether a redirect, a page of HTML or two witnesses have shown since the last request that succeeded that the session was lost. */
  readonly lost: boolean
  /** Whether a witness was refused since then. One alone may have become forbidden itself. */
  readonly witnessRefused: boolean
  /**
   * Whether this service forbids single things: `perhaps` when a 403 was taken as final since the last login, `surely` when another
   * request was then answered by the same session, `unknown` again when a login turned a 403 into an answer.
   */
  readonly forbids: "unknown" | "perhaps" | "surely"
  /** How many 403s were taken as final since the last login or request that succeeded. */
  readonly believed: number
}

export const noLogins: LoginHistory = {
  logins: [],
  lost: false,
  witnessRefused: false,
  forbids: "unknown",
  believed: 0
}

/** At most this many logins are allowed within {@link loginWindow} while no request succeeds. */
export const loginBudget = 3
/** Length of that window, in ms. */
export const loginWindow = 10 * 60_000

/** After this many 403s in a row that were believed, the next one is taken as a sign that the session ended once more. */
export const mostBelieved = 2

export const recentLogins = (history: LoginHistory, now: number): number =>
  history.logins.filter((at) => at > now - loginWindow).length

export const mayLogIn = (history: LoginHistory, now: number): boolean => recentLogins(history, now) < loginBudget

/** The history after the password was sent, whether or not the login succeeded. */
export const afterLogin = (history: LoginHistory, now: number): LoginHistory => ({
  ...history,
  logins: [...history.logins.filter((at) => at > now - loginWindow), now],
  forbids: history.forbids === "surely" ? "surely" : "unknown",
  believed: 0
})

/**
 * The history after an answer.
 *
 * @param helped - the same request had a 403 before the last login
 */
export const afterSuccess = (history: LoginHistory, helped: boolean): LoginHistory => ({
  logins: [],
  lost: false,
  witnessRefused: false,
  forbids: helped ? "unknown" : history.forbids === "perhaps" ? "surely" : history.forbids,
  believed: 0
})

/** The history after a 403 was taken as final. */
export const afterForbidden = (history: LoginHistory): LoginHistory => ({
  ...history,
  forbids: history.forbids === "surely" ? "surely" : "perhaps",
  believed: history.believed + 1
})

export const afterLoss = (history: LoginHistory): LoginHistory => ({ ...history, lost: true })

/** The history after something was refused that had been answered before (`Witnesses.ts`), which is asked only where nothing was lost yet. */
export const afterRefusedWitness = (history: LoginHistory): LoginHistory => ({
  ...history,
  lost: history.witnessRefused,
  witnessRefused: true
})

/**
 * What a 403 means by itself: after `lost` the session logs in again; `doubtful` says that only another answer can tell, and that it
 * is final where there is none. `again` says that this request already had a 403 and that a login followed.
 * While sessions are visibly being lost, a 403 proves nothing about permissions.
 */
export const judgeForbidden = (history: LoginHistory, now: number, again: boolean): "lost" | "doubtful" => {
  if (history.lost) return "lost"
  if (again || !mayLogIn(history, now)) return "doubtful"
  return history.forbids === "surely" && history.believed < mostBelieved ? "doubtful" : "lost"
}

/**
 * Lets the programs of one account share that a password was refused.
 *
 * A workflow starts hundreds of steps with the same credentials. When these are wrong and each step tries them once, the service
 * locks the account. So a step does not try a password that was refused to another while it waited or shortly before it started, and after
 * a few refusals of the same password no step tries that one for some minutes.
 */
export interface RefusedLogins {
  /**
   * Whether the password of the account `key` must not be sent: it was refused to another program shortly before `since` or
   * later (`since` is when this program started, ms since 1970), or several times in the last minutes.
   */
  readonly has: (key: string, password: Redacted.Redacted, since: number) => Effect.Effect<boolean>
  readonly add: (key: string, password: Redacted.Redacted) => Effect.Effect<void>
  /** Forgets all refusals of the account, after a login that worked. */
  readonly forget: (key: string) => Effect.Effect<void>
}

/** The default remembers nothing; the layer of the lock folder replaces it. */
export const RefusedLogins: Context.Reference<RefusedLogins> = Context.Reference<RefusedLogins>(
  "svc-steps/core/session/RefusedLogins",
  { defaultValue: () => ({ has: () => Effect.succeed(false), add: () => Effect.void, forget: () => Effect.void }) }
)
