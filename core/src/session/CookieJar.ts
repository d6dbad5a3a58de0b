/** The cookies of one session, kept and sent by the rules of RFC 6265 as Effect's `Cookies` has them. Times in ms since 1970. */
import * as Duration from "effect/Duration"
import * as Cookies from "effect/http/Cookies"
import { isLoopback } from "../text/HostReach.ts"

export interface CookieJar {
  readonly kept: ReadonlyArray<Cookies.Cookie>
  /** Whether anything was ever set, kept or not. */
  readonly given: boolean
}

export const emptyJar: CookieJar = { kept: [], given: false }

/** The greatest time that a date can hold. */
const farthest = 8.64e15

/** A service on this machine may set and have `Secure` cookies over http, as in browsers. */
const seenAs = (url: string): string => (isLoopback(new URL(url).hostname) ? url.replace(/^http:/, "https:") : url)

/** A domain that is the host itself, an address too, says nothing; nor does an age beyond all dates. */
const plain = (cookie: Cookies.Cookie, url: string, now: number): Cookies.Cookie => {
  const { domain, maxAge, ...options } = cookie.options ?? {}
  const lasts = maxAge !== undefined && now + Duration.toMillis(maxAge) <= farthest
  return {
    ...cookie,
    options: {
      ...options,
      ...(domain === undefined || domain.toLowerCase() === new URL(url).hostname ? {} : { domain }),
      ...(maxAge === undefined ? {} : lasts ? { maxAge } : { expires: new Date(farthest) })
    }
  }
}

/** Takes one `Set-Cookie` line of a reply from `url`: by itself, as two of one name may be for two paths. One that this URL may not set is ignored. */
export const takeCookie = (jar: CookieJar, line: string, url: string, now: number): CookieJar => {
  const [cookie] = Object.values(Cookies.fromSetCookie(line).cookies)
  if (cookie === undefined) return jar
  const one = Cookies.fromReadonlyRecord({ [cookie.name]: plain(cookie, url, now) })
  return { kept: Cookies.mergeIntoArray(jar.kept, seenAs(url), one, now), given: true }
}

/** The `Cookie` header of a request to `url`; null when no cookie belongs there. */
export const cookieHeader = ({ kept }: CookieJar, url: string, now: number): string | null =>
  Cookies.toRequestCookieHeader(kept, seenAs(url), now) ?? null
