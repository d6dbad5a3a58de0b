/**
 * When to log in again and when to believe what the service says: the bounds that keep two programs from ending each
 * other's session for ever (S7), and a forbidden item from costing a login each (S4). Pure; times in ms since 1970.
 */

export interface LoginHistory {
  /** Logins since the last request that succeeded. */
  readonly logins: ReadonlyArray<number>
  /** Whether the service showed a lost session (redirect, page) since the last request that succeeded. */
  readonly lost: boolean
  /** The last login that a 403 caused. */
  readonly forbiddenLogin: number | null
}

export const noLogins: LoginHistory = { logins: [], lost: false, forbiddenLogin: null }

/** At most this many logins without a success between them ... */
export const loginBudget = 3
/** ... in so many ms. */
export const loginWindow = 10 * 60_000
/** For this long (ms) after a login that a 403 caused, another 403 means that the resource is forbidden, not that the session ended. */
export const beliefWindow = 60_000

export type LoginCause = "start" | "lost" | "forbidden"

export const recentLogins = (history: LoginHistory, now: number): number =>
  history.logins.filter((at) => at > now - loginWindow).length

export const mayLogIn = (history: LoginHistory, now: number): boolean => recentLogins(history, now) < loginBudget

/** After the password was sent, whatever came of it. */
export const afterLogin = (history: LoginHistory, now: number, cause: LoginCause): LoginHistory => ({
  ...history,
  logins: [...history.logins.filter((at) => at > now - loginWindow), now],
  forbiddenLogin: cause === "forbidden" ? now : history.forbiddenLogin
})

export const afterSuccess = (history: LoginHistory): LoginHistory => ({ ...history, logins: [], lost: false })

export const afterLoss = (history: LoginHistory): LoginHistory => ({ ...history, lost: true })

/**
 * What a 403 means: `lost` asks for a login, `forbidden` is final for the request. `again` says that this request had
 * a 403 before and a login since. While the service visibly loses sessions a 403 proves nothing about permissions.
 */
export const judgeForbidden = (history: LoginHistory, now: number, again: boolean): "lost" | "forbidden" => {
  if (history.lost) return "lost"
  if (again) return "forbidden"
  if (history.forbiddenLogin !== null && now - history.forbiddenLogin < beliefWindow) return "forbidden"
  return mayLogIn(history, now) ? "lost" : "forbidden"
}
