/**
 * Keeps the state of a session and logs in where that is due. Only the holder of the gate (`Gate.ts`) reads or changes it.
 *
 * `Login.ts` sends the requests of a login; `LoginHistory.ts` holds the rules for when to log in and what a 403 means.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import { LoginRefused, SessionContention, type SessionError, Unavailable } from "../Errors.ts"
import { loginPause } from "../Schedules.ts"
import { countLogin, countRetry } from "../telemetry/Counters.ts"
import { monotonicMillis } from "../telemetry/MonotonicTime.ts"
import type { LoginVerdict, makeLogin } from "./Login.ts"
import {
  afterForbidden,
  afterLogin,
  afterLoss,
  afterRefusedWitness,
  afterSuccess,
  judgeForbidden,
  type LoginHistory,
  mayLogIn,
  noLogins,
  RefusedLogins,
  recentLogins
} from "./LoginHistory.ts"
import type { SessionSettings } from "./SessionSettings.ts"
import { Setback } from "./Setback.ts"
import type { Health } from "./Witnesses.ts"

interface State {
  readonly loggedIn: boolean
  /** Whether a login has ever worked, which shows that the service follows the login protocol. */
  readonly proven: boolean
  readonly history: LoginHistory
  /** The refusal of the password, with which every later request fails: a refused password is sent once. */
  readonly refused: LoginRefused | null
  /** Why the last login failed, when it did. */
  readonly loginTrouble: SessionError | null
  readonly closed: boolean
}

/** The password did not leave this machine. */
const isUnsent = (error: Setback | SessionError): boolean =>
  error._tag === "SvcTlsRefused" ||
  error._tag === "SvcProxyRefused" ||
  (error._tag === "Setback" && error.kind === "notSent")

/** The state of a session with a gateway: a token is shown with each request, and there is nothing to log in to. */
export const makeTokenState = Effect.gen(function* () {
  const closed = yield* Ref.make(false)
  return {
    loggedIn: Effect.succeed(false),
    closed: Ref.get(closed),
    ensureLogin: Effect.flatMap(Ref.get(closed), (closed) => (closed ? Effect.interrupt : Effect.void)),
    answered: () => Effect.void,
    mayLogIn: Effect.succeed(false),
    lost: Effect.void,
    forbidden: () => Effect.succeed("forbidden" as const),
    close: Ref.set(closed, true)
  }
})

/** @param account - the key under which processes share refused passwords */
export const makeSessionState = Effect.fnUntraced(function* (
  { baseUrl, password, username }: SessionSettings,
  account: string,
  wire: ReturnType<typeof makeLogin>
) {
  const { host } = baseUrl
  const refusedLogins = yield* RefusedLogins
  const began = yield* Clock.currentTimeMillis
  const state = yield* Ref.make<State>({
    loggedIn: false,
    proven: false,
    history: noLogins,
    refused: null,
    loginTrouble: null,
    closed: false
  })
  const change = (f: (state: State) => Partial<State>) => Ref.update(state, (now) => ({ ...now, ...f(now) }))
  const interrupted = new Unavailable({ host, reason: "the login was stopped before its answer came", attempts: 1 })
  const contention = (history: LoginHistory, now: number) =>
    new SessionContention({ host, logins: recentLogins(history, now) })

  /** Sends the password once, and counts that before its answer comes: an interrupted login, or one with an unreadable answer, counts too. */
  const submit = Effect.fnUntraced(function* (now: number) {
    const { history } = yield* Ref.get(state)
    yield* change(() => ({ history: afterLogin(history, now) }))
    return yield* wire.submit.pipe(
      Effect.onExit((exit) => {
        const failure = Exit.isFailure(exit)
          ? Option.getOrElse(Cause.findErrorOption(exit.cause), () => interrupted)
          : null
        if (failure !== null && isUnsent(failure)) return change(() => ({ history }))
        const loginTrouble = failure === null || failure._tag === "Setback" ? {} : { loginTrouble: failure }
        return Effect.andThen(
          countLogin,
          change(() => loginTrouble)
        )
      })
    )
  })

  /**
   * Logs in, after a pause that grows with each login that no answer followed, and with a second try from the initial page on when the session ends between that and the login form, or the connection ends
   * before a byte of the answer. Each try is counted, and a failure is remembered. When both tries fail alike and no login has ever worked, the service does not follow the login protocol;
   * otherwise another program of the account ends the sessions (`SessionContention`).
   */
  const login: Effect.Effect<void, Setback | SessionError> = Effect.gen(function* () {
    if (yield* refusedLogins.has(account, password, began)) {
      const refused = new LoginRefused({ user: username, host, earlier: true })
      yield* change(() => ({ loginTrouble: refused, refused }))
      return yield* refused
    }
    let first: LoginVerdict | null = null
    while (true) {
      const { history, loginTrouble, proven } = yield* Ref.get(state)
      const now = yield* monotonicMillis
      if (!mayLogIn(history, now)) return yield* loginTrouble ?? contention(history, now)
      // What ended the last session may go on: a command that was stopped, or another program of the account.
      yield* Effect.sleep(yield* loginPause(recentLogins(history, now)))
      yield* wire.initialSession
      const verdict = yield* submit(now)
      if (verdict.verdict === "loggedIn") {
        yield* Effect.logDebug(`Logged in to ${host}`)
        yield* refusedLogins.forget(account)
        return yield* change(() => ({ loggedIn: true, proven: true, loginTrouble: null }))
      }
      if (first === null && (verdict.verdict === "sessionLost" || verdict.verdict === "unanswered")) {
        first = verdict
        if (verdict.verdict === "unanswered") {
          yield* change(() => ({ loginTrouble: wire.failure(verdict, 1) }))
          yield* countRetry("api")
          yield* Effect.logWarning(`${host}: ${verdict.reason}, during the login; trying again (1 of 2)`)
        }
        continue
      }
      const interfered =
        verdict.verdict === "sessionLost" &&
        (proven || (first?.verdict === "sessionLost" && first.status !== verdict.status))
      const failure = interfered
        ? contention((yield* Ref.get(state)).history, now)
        : wire.failure(verdict, first === null ? 1 : 2)
      if (failure._tag === "SvcLoginRefused") yield* refusedLogins.add(account, password)
      yield* change(() => ({ loginTrouble: failure, refused: failure._tag === "SvcLoginRefused" ? failure : null }))
      return yield* failure
    }
  }).pipe(
    // Whatever kept the login from being sent, the request that waits for it was not sent either.
    Effect.mapError((error) =>
      error._tag === "Setback" && error.kind !== "unreadable" ? new Setback({ ...error, kind: "notSent" }) : error
    ),
    Effect.withSpan("svc.session.login")
  )

  return {
    loggedIn: Effect.map(Ref.get(state), ({ loggedIn }) => loggedIn),
    closed: Effect.map(Ref.get(state), ({ closed }) => closed),
    /** Whether the budget of logins allows another one. */
    mayLogIn: Effect.zipWith(Ref.get(state), monotonicMillis, ({ history }, now) => mayLogIn(history, now)),
    /** Logs in where that is due. Interrupts after `close`; fails for good after a refused password. */
    ensureLogin: Effect.gen(function* () {
      const { closed, refused, loggedIn } = yield* Ref.get(state)
      if (closed) return yield* Effect.interrupt
      if (refused !== null) return yield* refused
      if (!loggedIn) yield* login
    }),
    /**
     * To be called when a request was answered: the session is alive.
     *
     * @param helped - the same request had a 403 before the last login
     */
    answered: (helped: boolean) => change(({ history }) => ({ history: afterSuccess(history, helped) })),
    /** To be called when a reply shows that the session is gone: the next request logs in. */
    lost: change(({ history }) => ({ loggedIn: false, history: afterLoss(history) })),
    /**
     * Judges a 403: either it is final, or the session is gone and the next request logs in.
     *
     * @param again - the same request had a 403 before, and a login since
     * @param health - asks something else; done only where the 403 alone does not tell
     */
    forbidden: Effect.fnUntraced(function* <E>(again: boolean, health: Effect.Effect<Health, E>) {
      const { history } = yield* Ref.get(state)
      const lost = judgeForbidden(history, yield* monotonicMillis, again) === "lost"
      const known = lost ? "gone" : yield* health
      if (known === "gone") {
        yield* change(() => ({ loggedIn: false, history: lost ? history : afterRefusedWitness(history) }))
        return "lost"
      }
      const believed = afterForbidden(history)
      yield* change(() => ({ history: known === "alive" ? afterSuccess(believed, false) : believed }))
      return "forbidden"
    }),
    /** From now on no further request is sent. */
    close: change(() => ({ closed: true }))
  }
})
