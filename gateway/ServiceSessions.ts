/**
 * Sessions for programs that know the service and not the gateway: the first page with cookie and CSRF token, a login form whose
 * password is the token of a reader, and a logout. They live in memory: after a restart such a program is told what the service tells
 * it, and logs in again.
 */
import { randomBytes } from "node:crypto"
import * as ByteSize from "effect/ByteSize"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import { makeSessionProfile } from "../core/src/session/SessionSettings.ts"
import { type NamedReader, type Readers, readerOf, readerWith } from "./Readers.ts"

type Request = HttpServerRequest.HttpServerRequest

interface OpenSession {
  readonly csrf: string
  /** Null until somebody has logged in. */
  readonly digest: string | null
  /** When it was used last, in ms since 1970. */
  at: number
}

/** The last ones that were used. */
const mostSessions = 10_000
/** In ms. */
const idleLife = 12 * 3_600_000
/** Who sends it has shown nothing yet. */
const longestForm = ByteSize.kibibytes(16)
const cookieName = "SESSION"
const profile = makeSessionProfile("")
/** Where a program finds the first page, in one way or another. */
const pages: ReadonlySet<string> = new Set(["", "/", "/authenticate", profile.loginPath])
const csrfHeader = profile.tokenHeader.toLowerCase()

const secret = () => randomBytes(24).toString("base64url")

/** @param base - path below which the service is served, without a slash at its end */
export const makeServiceSessions = (base: string, secure: boolean) => {
  const open = new Map<string, OpenSession>()

  /** Anybody may begin a session, as often as they like: that must not end those of readers who have logged in. */
  const leastMissed = (): string | undefined => {
    for (const [cookie, { digest }] of open) if (digest === null) return cookie
    return open.keys().next().value
  }

  const begin = (digest: string | null, now: number) => {
    const cookie = secret()
    const session: OpenSession = { csrf: secret(), digest, at: now }
    if (open.size >= mostSessions) open.delete(leastMissed() ?? "")
    open.set(cookie, session)
    return { cookie, session }
  }

  const cookieOf = (request: Request) => request.cookies[cookieName] ?? ""

  const current = (request: Request, now: number): OpenSession | null => {
    const cookie = cookieOf(request)
    const session = open.get(cookie)
    if (session === undefined) return null
    open.delete(cookie)
    if (now - session.at > idleLife) return null
    session.at = now
    open.set(cookie, session)
    return session
  }

  const withSession = (
    response: HttpServerResponse.HttpServerResponse,
    { cookie, session }: ReturnType<typeof begin>
  ) =>
    response.pipe(
      HttpServerResponse.setHeader(csrfHeader, session.csrf),
      HttpServerResponse.setCookieUnsafe(cookieName, cookie, { path: base, httpOnly: true, sameSite: "lax", secure })
    )

  return {
    /** The reader who has logged in; null for all others, and for who changes something without the CSRF token. */
    readerOf: (request: Request, readers: Readers, now: number): NamedReader | null => {
      const session = current(request, now)
      if (session === null || session.digest === null) return null
      const reads = request.method === "GET" || request.method === "HEAD"
      if (!reads && request.headers[csrfHeader] !== session.csrf) return null
      return readerOf(readers, session.digest, now)
    },
    /** Answers the requests that begin and end a session; null for all other paths. */
    answer: Effect.fnUntraced(function* (request: Request, path: string, readers: Readers | null) {
      const now = yield* Clock.currentTimeMillis
      const { method } = request
      if (pages.has(path) && (method === "GET" || method === "HEAD")) {
        const known = current(request, now)
        const page = HttpServerResponse.html(htmlPage("Log in", "The name of a reader, and its token as password."))
        return known === null
          ? withSession(page, begin(null, now))
          : HttpServerResponse.setHeader(page, csrfHeader, known.csrf)
      }
      if (path === profile.loginPath && method === "POST") {
        const session = current(request, now)
        if (session === null) return forbidden
        const text = yield* request.text.pipe(
          Effect.provideService(HttpIncomingMessage.MaxBodySize, longestForm),
          Effect.option
        )
        if (Option.isNone(text)) return tooLong
        const form = new URLSearchParams(text.value)
        const given = form.get(profile.tokenField) ?? request.headers[csrfHeader]
        if (given !== session.csrf) return forbidden
        const name = form.get(profile.usernameField) ?? ""
        const reader = readers === null ? null : readerWith(readers, form.get(profile.passwordField) ?? "", now)
        if (readers !== null && (reader === null || (reader.name !== null && reader.name !== name))) {
          return HttpServerResponse.html(htmlPage("Log in", "User name or password is wrong."))
        }
        open.delete(cookieOf(request))
        return withSession(HttpServerResponse.html(htmlPage("Logged in", "Welcome.")), begin(reader?.digest ?? "", now))
      }
      if (path === profile.logoutPath && method === "POST") {
        open.delete(cookieOf(request))
        return HttpServerResponse.redirect(`${base}${profile.loginPath}?logout`)
      }
      return null
    }),
    /**
     * What the service says to who has no session (docs/dev/service.md 11.6): the way to its base address, by which programs see that
     * they have to log in again. Who has one, and lacks the CSRF token, is forbidden.
     *
     * @param url - the address of the service, as the program knows it
     */
    missing: (request: Request, readers: Readers, url: string, now: number) =>
      readerOf(readers, open.get(cookieOf(request))?.digest ?? "", now) !== null
        ? forbidden
        : HttpServerResponse.html(htmlPage("Log in", "The session is over.")).pipe(
            HttpServerResponse.setStatus(302),
            HttpServerResponse.setHeader("location", `${url}/`)
          )
  }
}

const forbidden = HttpServerResponse.jsonUnsafe(
  { success: false, errorMessageId: "FORBIDDEN", additionalInformation: "there is no session" },
  { status: 403 }
)

const tooLong = HttpServerResponse.jsonUnsafe(
  { success: false, errorMessageId: "PAYLOAD_TOO_LARGE", additionalInformation: "the form has more than 16 KiB" },
  { status: 413 }
)

const htmlPage = (title: string, text: string) =>
  `<!DOCTYPE html>\n<html><head><title>${title}</title></head><body><h1>${title}</h1><p>${text}</p></body></html>\n`
