/**
 * Decides when another login is allowed and when a 403 is final. Without these limits two programs of one account would end each
 * other's session for ever (S7), and each forbidden item would cost a login (S4). Pure functions; times in ms of the
 * monotonic clock.
 */

export interface LoginHistory {
  /** Logins since the last request that succeeded. */
  readonly logins: ReadonlyArray<number>
  /** Whether a redirect or a page of HTML has shown since the last request that succeeded that the session was lost. */
  readonly lost: boolean
  /** When a 403 last caused a login; null when none has. */
  readonly forbiddenLogin: number | null
  /** How many 403s were taken as final since the last login or request that succeeded. */
  readonly believed: number
}

export const noLogins: LoginHistory = { logins: [], lost: false, forbiddenLogin: null, believed: 0 }

/** At most this many logins are allowed within {@link loginWindow} while no request succeeds. */
export const loginBudget = 3
/** Length of that window, in ms. */
export const loginWindow = 10 * 60_000
/** For this long (ms) after a login that a 403 caused, another 403 means that the resource is forbidden, not that the session ended. */
export const beliefWindow = 60_000

/** After this many 403s in a row that were believed, the next one is taken as a sign that the session ended once more. */
export const mostBelieved = 2

export type LoginCause = "start" | "lost" | "forbidden"

export const recentLogins = (history: LoginHistory, now: number): number =>
  history.logins.filter((at) => at > now - loginWindow).length

export const mayLogIn = (history: LoginHistory, now: number): boolean => recentLogins(history, now) < loginBudget

/** The history after the password was sent, whether or not the login succeeded. */
export const afterLogin = (history: LoginHistory, now: number, cause: LoginCause): LoginHistory => ({
  ...history,
  logins: [...history.logins.filter((at) => at > now - loginWindow), now],
  forbiddenLogin: cause === "forbidden" ? now : history.forbiddenLogin,
  believed: 0
})

export const afterSuccess = (history: LoginHistory): LoginHistory => ({
  ...history,
  logins: [],
  lost: false,
  believed: 0
})

/** The history after a 403 was taken as final. */
export const afterForbidden = (history: LoginHistory): LoginHistory => ({ ...history, believed: history.believed + 1 })

export const afterLoss = (history: LoginHistory): LoginHistory => ({ ...history, lost: true })

/**
 * What a 403 means: after `lost` the session logs in again, `forbidden` is final for the request. `again` says that this request
 * already had a 403 and that a login followed. A session that ended twice in a minute must not make all that follows forbidden.
 * While sessions are visibly being lost, a 403 proves nothing about permissions.
 */
export const judgeForbidden = (history: LoginHistory, now: number, again: boolean): "lost" | "forbidden" => {
  if (history.lost) return "lost"
  if (again) return "forbidden"
  const soon = history.forbiddenLogin !== null && now - history.forbiddenLogin < beliefWindow
  if (soon && history.believed < mostBelieved) return "forbidden"
  return mayLogIn(history, now) ? "lost" : "forbidden"
}
