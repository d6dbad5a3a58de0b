/**
 * Decides which requests the gateway admits, by token, host name and origin. Pure functions.
 *
 * The token comes in the header field `Authorization: Bearer`, or in the path as `/t/TOKEN/...` from tools that cannot send header fields.
 */
import type { Redacted } from "effect"
import { isIpv4 } from "../core/src/text/IpAddress.ts"
import { sameSecret } from "../platform/SameSecret.ts"

export interface Rules {
  readonly token: Redacted.Redacted | null
  readonly allowOrigin: ReadonlyArray<string>
  readonly publicUrl: string | null
}

/** The parts of a request that the rules look at; names of header fields are in lower case. */
export interface Visit {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly headers: Readonly<Record<string, string | undefined>>
}

export type Verdict =
  | {
      readonly _tag: "Welcome"
      /** Path and query without the token. */
      readonly url: string
      /** `/t/TOKEN` when the path had it, else empty: the addresses in this caller's answers begin with it. */
      readonly prefix: string
    }
  | { readonly _tag: "Refused"; readonly status: 401 | 405 | 421; readonly error: string; readonly message: string }

const refused = (status: 401 | 405 | 421, error: string, message: string): Verdict => ({
  _tag: "Refused",
  status,
  error,
  message
})

/** `/t/TOKEN`, followed by the path. */
const prefixed = /^(\/t\/([^/?#]+))(\/[^?#]*.*)$/s

export const admit = (rules: Rules, visit: Visit): Verdict => {
  const [, prefix = "", inPath, rest] = prefixed.exec(visit.url) ?? []
  const url = rest ?? visit.url
  if (visit.method !== "GET" && visit.method !== "HEAD" && visit.method !== "POST") {
    return refused(405, "MethodNotAllowed", "only GET, HEAD and POST are known here")
  }
  if (rules.token === null) {
    if (inPath !== undefined) return refused(401, "InvalidAuthentication", "this gateway has no token")
    return isOurName(visit.headers["host"] ?? "", rules.publicUrl)
      ? { _tag: "Welcome", url, prefix: "" }
      : refused(421, "WrongHost", "this gateway is for this machine alone: give it a token to be reached by a name")
  }
  // A health probe needs no token: its answer says nothing about files.
  if (url === "/healthz" && inPath === undefined) return { _tag: "Welcome", url, prefix: "" }
  const bearer = /^bearer +(\S+)\s*$/i.exec(visit.headers["authorization"] ?? "")?.[1]
  const given = inPath ?? bearer
  return given !== undefined && sameSecret(rules.token, given)
    ? { _tag: "Welcome", url, prefix }
    : refused(401, "InvalidAuthentication", "the token of this gateway is missing or wrong")
}

/**
 * Whether the `Host` field is an IP address, `localhost` or the public name. Without a token every program on this machine may read,
 * browsers included. A web page could then read through the browser when a name of its own site resolves to this machine (DNS
 * rebinding); the check refuses such a name.
 */
const isOurName = (host: string, publicUrl: string | null): boolean => {
  const name = host.replace(/:\d*$/, "").toLowerCase()
  const own = publicUrl === null ? null : new URL(publicUrl).hostname
  return isIpv4(name) || /^\[[0-9a-f:.]+\]$/.test(name) || name === "localhost" || name === own
}

/** The CORS header fields for a page of `origin`; null when pages of that origin may not read. */
export const crossOrigin = (
  { allowOrigin }: Pick<Rules, "allowOrigin">,
  origin: string | undefined
): Readonly<Record<string, string>> | null =>
  origin === undefined || !(allowOrigin.includes("*") || allowOrigin.includes(origin))
    ? null
    : {
        "access-control-allow-origin": allowOrigin.includes("*") ? "*" : origin,
        "access-control-expose-headers": "Accept-Ranges, Content-Length, Content-Range, ETag, Last-Modified",
        vary: "Origin"
      }

/** The answer to a browser's preflight request (OPTIONS). */
export const preflight: Readonly<Record<string, string>> = {
  "access-control-allow-methods": "GET, HEAD, POST",
  "access-control-allow-headers": "Authorization, Content-Type, If-Range, Range",
  "access-control-max-age": "600"
}
