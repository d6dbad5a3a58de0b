/**
 * The three requests that begin and end a session: initial page, login form, logout (docs/dev/service.md 5 and 11).
 *
 * `SessionState.ts` decides when and how often they are sent. Each is sent inside the gate (`Gate.ts`).
 */
import * as Effect from "effect/Effect"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { Forbidden, LoginProtocol, LoginRefused, ReplyMalformed, Unavailable } from "../Errors.ts"
import { type Exchange, tokensIn, type Waits } from "./Exchange.ts"
import { type LoginRecognised, recognise, recogniseLogin } from "./Recognition.ts"
import { readBeginning, type SessionReply } from "./ReplyReading.ts"
import type { SessionSettings } from "./SessionSettings.ts"
import { type Setback, statusSetback } from "./Setback.ts"

/** `path` below the base URL; `""` is the base URL with a slash at its end. Never another host. */
export const urlBelow = (baseUrl: URL, path: string): string => {
  const base = `${baseUrl.origin}${baseUrl.pathname.replace(/\/+$/, "")}`
  return `${base}${path.startsWith("/") ? "" : "/"}${path}`
}

/** What looks as if a file or a shell had added it to the password. It was sent as it is: it may be meant. */
const oddity = (password: string): { readonly odd?: string } => {
  if (/[\r\n]$/.test(password)) {
    return { odd: "the password ends with a line end, as from a file of variables with the line ends of Windows" }
  }
  if (/^(["']).*\1$/s.test(password) && password.length > 1) {
    return { odd: "the password has quotes around it, which docker does not take away in a file of variables" }
  }
  return /^\s|\s$/.test(password) ? { odd: "the password begins or ends with a space" } : {}
}

/** `unanswered`: the connection ended before a byte of the answer; nobody knows whether the password was judged. */
export type LoginVerdict = LoginRecognised | { readonly verdict: "unanswered"; readonly reason: string }

export const makeLogin = (settings: SessionSettings, exchange: Exchange, waits: Waits) => {
  const { baseUrl, profile } = settings
  const host = baseUrl.host
  const loginUrl = urlBelow(baseUrl, profile.loginPath)

  const currentToken = Effect.map(exchange.token, (token) =>
    Option.getOrElse(Option.map(token, Redacted.value), () => "")
  )

  const form = (path: string, fields: Readonly<Record<string, string>>) =>
    HttpClientRequest.post(urlBelow(baseUrl, path)).pipe(HttpClientRequest.bodyUrlParams(fields))

  /** Where a reply leads; null for one that is no redirect. */
  const leadsTo = ({ headers, status, url }: SessionReply) => {
    const location = headers["location"]
    return status >= 300 && status < 400 && location !== undefined ? URL.parse(location, url) : null
  }

  const missing = (reply: SessionReply, target: URL | null, asked: string, what: string) => {
    if (target && target.hostname !== baseUrl.hostname) {
      // An identity provider, or the page of a network where one signs in: the password must not go there.
      return `it redirects to another host, ${target.origin}: to a single sign-on, or to the login page of this network. The password was not sent; open ${baseUrl.href} in a browser, and ask its operators for the address of the API`
    }
    if (target && target.origin !== baseUrl.origin) {
      return `it redirects to ${target.origin}; give that as the address of the service`
    }
    // A login of somebody else, such as a proxy's, or the folder that the service is in.
    const leads = target === null ? "" : `, which leads to ${target.pathname.replace(/;.*/s, "")}`
    return `no ${what} in the reply to ${asked} (status ${reply.status}${leads})`
  }

  /**
   * Asks the initial paths in order until one reply brings both a token and a cookie. Known clients ask with `HEAD`. Paths that
   * refuse `HEAD` (405, 501) are asked again with `GET`, as a browser does, after all others have failed.
   */
  const initialSession = Effect.gen(function* () {
    let problem = "no initial path is configured"
    let led = false
    let setback = null
    const asks = profile.initialPaths.map((path) => ({ make: HttpClientRequest.head, method: "HEAD", path }))
    for (const { make, method, path } of asks) {
      yield* exchange.forget
      const reply = yield* Effect.scoped(
        Effect.tap(exchange.send(make(urlBelow(baseUrl, path)), waits), (reply) =>
          method === "GET" ? readBeginning(reply) : Effect.void
        )
      )
      const asked = `${method} ${path === "" ? "/" : path}`
      if (method === "HEAD" && (reply.status === 405 || reply.status === 501)) {
        asks.push({ make: HttpClientRequest.get, method: "GET", path })
        continue
      }
      if (recognise(reply) === "transient") {
        setback ??= yield* statusSetback(reply, "")
        continue
      }
      const hasToken = Option.isSome(yield* exchange.token)
      const hasCookies = yield* exchange.hasCookies
      if (hasToken && hasCookies) {
        if (yield* exchange.hasCookieFor(loginUrl)) return
        return yield* new LoginProtocol({
          host,
          reason:
            "its session cookie may not be sent to the login page (other path, https only, or ended by the clock of this machine)"
        })
      }
      const target = leadsTo(reply)
      // Where the service is elsewhere, a redirect tells more than the 404 of the next path.
      if (target === null && led && reply.status >= 400) continue
      led = target !== null
      problem = missing(reply, target, asked, hasToken ? "session cookie" : `${profile.tokenHeader} header`)
    }
    if (setback !== null) return yield* setback
    return yield* new LoginProtocol({ host, reason: problem })
  })

  /**
   * Sends user name and password once, on a connection of its own: POST never takes one that the service may be closing. When the
   * answer breaks off it is final: the service may have counted a wrong password.
   */
  const submit = Effect.gen(function* () {
    const request = form(profile.loginPath, {
      [profile.tokenField]: yield* currentToken,
      [profile.usernameField]: settings.username,
      [profile.passwordField]: Redacted.value(settings.password)
    })
    const received = Effect.gen(function* () {
      const reply = yield* exchange.send(request, waits)
      const text = yield* readBeginning(reply)
      return recogniseLogin({
        status: reply.status,
        hasToken: tokensIn(reply.headers, profile).length > 0,
        location: reply.headers["location"],
        text
      })
    })
    return yield* Effect.scoped(received).pipe(
      Effect.catchTag("Setback", (setback): Effect.Effect<LoginVerdict, Setback | ReplyMalformed | Unavailable> => {
        const { kind, reason } = setback
        switch (kind) {
          case "notSent":
            return Effect.fail(setback)
          case "unanswered":
            return Effect.succeed({ verdict: "unanswered", reason })
          case "unreadable":
            return Effect.fail(new ReplyMalformed({ request: `POST ${profile.loginPath}`, reason }))
          default:
            return Effect.fail(broken(reason, 1))
        }
      })
    )
  })

  const broken = (reason: string, attempts: number) =>
    new Unavailable({ host, reason: `${reason}, during the login`, attempts })

  /** The error of a login that ended with `verdict` at the last of `attempts`. */
  const failure = (verdict: Exclude<LoginVerdict, { readonly verdict: "loggedIn" }>, attempts: number) => {
    switch (verdict.verdict) {
      case "refused":
        return new LoginRefused({ user: settings.username, host, ...oddity(Redacted.value(settings.password)) })
      case "passwordExpired":
        return new LoginRefused({ user: settings.username, host, expired: true, page: verdict.page })
      case "unanswered":
        return broken(verdict.reason, attempts)
      case "protocol":
        return new LoginProtocol({ host, reason: verdict.reason })
      case "sessionLost":
        return verdict.status === 403
          ? new Forbidden({ what: `The login of ${settings.username}` })
          : new LoginProtocol({ host, reason: verdict.reason })
    }
  }

  /** Ends the session. Every answer counts as success. */
  const logout = Effect.gen(function* () {
    const request = form(profile.logoutPath, { [profile.tokenField]: yield* currentToken })
    yield* Effect.flatMap(exchange.send(request, waits), readBeginning)
  }).pipe(Effect.scoped, Effect.withSpan("svc.session.logout"))

  return { initialSession, submit, failure, logout }
}
