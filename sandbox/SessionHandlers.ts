import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import type { BehaviourValues } from "./Behaviour.ts"
import { api } from "./Endpoints.ts"
import { htmlPage, loginPage } from "./Pages.ts"
import { Caller, forbiddenAnswer, forcedLogout, JoinAccount, tokenHeader } from "./RequestMiddleware.ts"
import type { SessionRecord } from "./Sessions.ts"
import { State } from "./State.ts"

/** The build the service claims to be; clients only log it. */
const buildVersion = "sandbox-1"

const withToken = (response: HttpServerResponse.HttpServerResponse, session: SessionRecord) =>
  HttpServerResponse.setHeader(response, tokenHeader, session.token)

const withCookie = (
  response: HttpServerResponse.HttpServerResponse,
  session: SessionRecord,
  { cookieName }: BehaviourValues
) =>
  HttpServerResponse.setCookieUnsafe(response, cookieName, session.cookie, {
    path: "/",
    httpOnly: true,
    sameSite: "lax"
  })

/** Answers `HEAD` and `GET` at the two addresses that may hand out the first cookie and token. */
const initialPage = Effect.gen(function* () {
  const { behaviour, sessions } = yield* State
  return (path: "base" | "authenticate", { method }: HttpServerRequest.HttpServerRequest) =>
    Effect.gen(function* () {
      if (method === "HEAD" && behaviour.initialHead !== "answered") {
        return HttpServerResponse.empty({ status: Number(behaviour.initialHead), headers: { allow: "GET" } })
      }
      const welcome = "Log in with the user and password that svc-sandbox printed."
      if (behaviour.initialSession !== "both" && behaviour.initialSession !== path) {
        return path === "base"
          ? HttpServerResponse.html(htmlPage("Welcome", welcome))
          : HttpServerResponse.empty({ status: 404 })
      }
      const known = yield* Caller
      const session = known ?? sessions.open()
      const page = withToken(HttpServerResponse.html(loginPage(session.token, welcome)), session)
      return known === null ? withCookie(page, session, behaviour) : page
    })
})

/**
 * `/`, `/authenticate`, `/login` and `/logout` (docs/dev/service.md 11). Forms are read here and not by the contract, because a
 * form without its token is forbidden rather than malformed.
 */
export const sessionHandlers = HttpApiBuilder.group(
  api,
  "session",
  Effect.fn(function* (handlers) {
    const { behaviour, sessions } = yield* State
    const initial = yield* initialPage

    const rejected =
      behaviour.badLogin === "empty"
        ? HttpServerResponse.empty({ status: 200 })
        : behaviour.badLogin === "json"
          ? HttpServerResponse.jsonUnsafe({ success: false, errorMessageId: "BAD_CREDENTIALS" })
          : HttpServerResponse.html(htmlPage("Log in", "User name or password is wrong."))

    const login = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
      const anonymous = yield* Caller
      const form = new URLSearchParams(yield* Effect.orElseSucceed(request.text, () => ""))
      const user = form.get("username") ?? ""
      if (anonymous === null || !sessions.tokenIsGood(anonymous, form.get("_csrf") ?? request.headers[tokenHeader])) {
        return forbiddenAnswer(behaviour)
      }
      if (anonymous.account !== user) {
        if ((yield* JoinAccount)(user)) return forcedLogout(request.headers["host"] ?? "")
      }
      const session = sessions.login(anonymous, user, form.get("password") ?? "")
      if (session === null) return rejected
      const accepted = behaviour.loginRedirect
        ? HttpServerResponse.redirect(`http://${request.headers["host"]}/`)
        : HttpServerResponse.html(htmlPage("Logged in", `Welcome, ${user}.`))
      return withCookie(withToken(accepted, session), session, behaviour).pipe(
        HttpServerResponse.setHeader("build-version", buildVersion)
      )
    })

    const logout = Effect.gen(function* () {
      const session = yield* Caller
      if (session !== null) sessions.logout(session)
      return HttpServerResponse.redirect("/login?logout")
    })

    return handlers
      .handleRaw("initialSession", ({ request }) => initial("base", request))
      .handleRaw("authenticate", ({ request }) => initial("authenticate", request))
      .handleRaw("login", ({ request }) => login(request))
      .handleRaw("logout", () => logout)
  })
)

/** `GET` where the clients ask with `HEAD`. */
export const initialPages = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const initial = yield* initialPage
    yield* router.add("GET", "/", (request) => initial("base", request))
    yield* router.add("GET", "/authenticate", (request) => initial("authenticate", request))
  })
)
