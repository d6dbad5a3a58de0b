/** The jar of tough-cookie, loaded when a session begins. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type CookieJar, CookieJars } from "../../core/src/session/Exchange.ts"

type ToughCookie = typeof import("tough-cookie")

/** The greatest time that a date can hold, ms since 1970. */
const farthest = 8.64e15

const makeJar = ({ Cookie, CookieJar: Jar }: ToughCookie): CookieJar => {
  // The list of public suffixes keeps cookies away from other sites, and these cookies go to one host only.
  const jar = new Jar(undefined, { rejectPublicSuffixes: false, enforceSecureOriginOnStorage: false })
  let taken = 0
  return {
    take: (line, url, now) => {
      const cookie = Cookie.parse(line)
      if (cookie === undefined) return
      // The jar would count Max-Age anew from each use, by a clock of its own.
      if (typeof cookie.maxAge === "number") {
        cookie.setExpires(new Date(Math.min(farthest, now + cookie.maxAge * 1000)))
        cookie.maxAge = null
      }
      if (jar.setCookieSync(cookie, url, { ignoreError: true }) !== undefined) taken++
    },
    headerFor: (url, now) => {
      const cookies = jar
        .getCookiesSync(url, { expire: false, sort: true })
        .filter(({ expires }) => !(expires instanceof Date) || expires.getTime() > now)
      return cookies.length === 0 ? null : cookies.map((cookie) => cookie.cookieString()).join("; ")
    },
    isEmpty: () => taken === 0
  }
}

export const layer: Layer.Layer<CookieJars> = Layer.effect(
  CookieJars,
  Effect.map(
    Effect.promise(() => import("tough-cookie")),
    (tough) => ({ make: Effect.sync(() => makeJar(tough)) })
  )
)
