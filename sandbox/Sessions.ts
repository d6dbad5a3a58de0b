import { randomBytes, timingSafeEqual } from "node:crypto"
import type { BehaviourValues } from "./Behaviour.ts"
import type { Stats } from "./Stats.ts"
import type { Account } from "./World.ts"

/** One cookie and what the service knows about it. */
export interface SessionRecord {
  readonly cookie: string
  token: string
  /** `null` before the login. */
  account: string | null
  state: "alive" | "dead"
}

/** More than a client can send at once before the first of them is answered. */
const mostDepartures = 100

const secret = () => randomBytes(18).toString("base64url")

const same = (a: string, b: string) => {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}

/**
 * Cookie and token, from the first request over the login to the end (docs/dev/service.md 3, 5 and 11): an
 * anonymous pair, a new pair at the login, overlap of one account's requests, invalidation, logout.
 */
export const makeSessions = (accounts: ReadonlyArray<Account>, behaviour: BehaviourValues, stats: Stats) => {
  const sessions = new Map<string, SessionRecord>()
  const inFlight = new Map<string, Set<symbol>>()
  /** When the last requests of an account left, newest last. */
  const departures = new Map<string, Array<number>>()

  const open = (account: string | null) => {
    const session: SessionRecord = { cookie: secret(), token: secret(), account, state: "alive" }
    sessions.set(session.cookie, session)
    return session
  }
  /** Ends every session of the account without telling it. */
  const invalidate = (account: string) => {
    stats.invalidations++
    for (const session of sessions.values()) if (session.account === account) session.state = "dead"
  }
  const cookieValues = (header: string) =>
    header.split(";").flatMap((pair) => {
      const at = pair.indexOf("=")
      return at > 0 && pair.slice(0, at).trim() === behaviour.cookieName ? [pair.slice(at + 1).trim()] : []
    })

  return {
    open: () => open(null),
    /** The living session of a Cookie header, or nothing. */
    find: (header = ""): SessionRecord | null => {
      const found = cookieValues(header).flatMap((value) => sessions.get(value) ?? [])
      return found.find((session) => session.state === "alive") ?? null
    },
    tokenIsGood: (session: SessionRecord, token: string | undefined) =>
      token !== undefined && same(session.token, token),
    /** A new session, or nothing when name or password are wrong. The anonymous session ends. */
    login: (from: SessionRecord, user: string, password: string): SessionRecord | null => {
      const known = accounts.some((account) => account.user === user && same(account.password, password))
      if (!known) {
        stats.failedLogins++
        return null
      }
      stats.logins++
      sessions.delete(from.cookie)
      return open(user)
    },
    rotate: (session: SessionRecord) => {
      session.token = secret()
    },
    logout: (session: SessionRecord) => {
      stats.logouts++
      sessions.delete(session.cookie)
    },
    invalidate,
    /**
     * A request of the account that began at `began` (ms, `performance.now`). `overlapped` is true when strict mode ended
     * the account's sessions for it. `leave` is to be called when its client is about to have its answer.
     */
    enter: (account: string, began: number) => {
      const here = inFlight.get(account) ?? new Set()
      const gone = departures.get(account) ?? []
      inFlight.set(account, here)
      departures.set(account, gone)
      const ticket = Symbol()
      here.add(ticket)
      // Requests that have ended count too when they were still running at the time this one began.
      const together = here.size + gone.filter((left) => left > began).length
      if (together > 1) stats.overlaps++
      const overlapped = behaviour.strict && together > behaviour.overlapLimit
      if (overlapped) invalidate(account)
      const leave = () => {
        if (!here.delete(ticket)) return
        gone.push(performance.now())
        if (gone.length > mostDepartures) gone.shift()
      }
      return { overlapped, leave }
    },
    reset: () => sessions.clear()
  }
}
