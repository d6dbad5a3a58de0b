/** The cookies of a session by the rules of RFC 6265: which are kept, and which go with a request. */
import { Context, type Effect } from "effect"

/** The cookies of one session. Times in ms since 1970. */
export interface CookieJar {
  /** Takes one `Set-Cookie` line of a reply from `url`; what may not be set from there is ignored. */
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
 * The `Set-Cookie` lines of a reply. An HTTP layer gives them as one header with a line feed between them: joined by commas, as
 * other headers are, they could not be told apart.
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
