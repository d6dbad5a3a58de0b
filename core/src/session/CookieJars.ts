/** The cookies of a session: which are kept and which go with a request, by the rules of RFC 6265. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/** The cookies of one session. Times in ms since 1970. */
export interface CookieJar {
  /** Takes one `Set-Cookie` line of a reply from `url`. A cookie that this URL may not set is ignored. */
  readonly take: (line: string, url: string, now: number) => void
  /** The `Cookie` header of a request to `url`; null when no cookie belongs there. */
  readonly headerFor: (url: string, now: number) => string | null
  /** Whether nothing was ever taken. */
  readonly isEmpty: () => boolean
}

/** Makes an empty jar for each session. */
export class CookieJars extends Context.Service<CookieJars, { readonly make: Effect.Effect<CookieJar> }>()(
  "svc-steps/core/session/CookieJars"
) {}

/**
 * The `Set-Cookie` lines of a reply. The HTTP layer joins them with line feeds: joined by commas, as other headers are, they could
 * not be separated again, because the date in `Expires` contains a comma.
 */
export const setCookieLines = (header: string | undefined): ReadonlyArray<string> =>
  (header ?? "").split("\n").filter((line) => line.trim() !== "")

/** The value that a `Set-Cookie` line sets, whether it is kept or not. */
export const valueIn = (line: string): string => {
  const [pair = ""] = line.split(";")
  return pair
    .slice(pair.indexOf("=") + 1)
    .trim()
    .replace(/^"(.*)"$/, "$1")
}
