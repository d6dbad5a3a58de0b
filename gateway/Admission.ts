/**
 * Decides which requests the gateway admits, by token, host name and origin. Pure functions.
 *
 * The token comes in the header field `Authorization: Bearer`, or in the path as `/t/TOKEN/...` from tools that cannot send header fields.
 */
import * as Redacted from "effect/Redacted"
import { isIpv4 } from "../core/src/text/HostReach.ts"
import type { SignedLinks } from "./Answers.ts"
import { type NamedReader, type Readers, readerOf, readerWith } from "./Readers.ts"

export interface Rules {
  /** Null lets this machine in without a token. */
  readonly readers: Readers | null
  readonly allowOrigin: ReadonlyArray<string>
  readonly publicUrl: string | null
  /** Whether programs may begin a session below `/service/`, as the service has it. */
  readonly api: boolean
  readonly signedLinks: Pick<SignedLinks, "readerOf">
}

/** The parts of a request that the rules look at; names of header fields are in lower case. */
export interface Visit {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly headers: Readonly<Record<string, string | undefined>>
  /** When it came, in ms since 1970. */
  readonly at: number
}

export type Verdict =
  | {
      readonly _tag: "Welcome"
      /** Path and query without the token. */
      readonly url: string
      /** `/t/TOKEN` when the path had it, else empty: the addresses in this caller's answers begin with it. */
      readonly prefix: string
      /** Who showed a token. */
      readonly reader: NamedReader | null
      readonly token: Redacted.Redacted | null
    }
  | RefusedVisit

interface RefusedVisit {
  readonly _tag: "Refused"
  readonly status: Refusal
  readonly error: string
  readonly message: string
  readonly headers?: Readonly<Record<string, string>>
}

type Refusal = 401 | 403 | 405 | 421

const refused = (status: Refusal, error: string, message: string): RefusedVisit => ({
  _tag: "Refused",
  status,
  error,
  message,
  ...(status === 401 ? { headers: { "www-authenticate": "Bearer" } } : {})
})

/** `/t/TOKEN`, followed by the path. */
const prefixed = /^(\/t\/([^/?#]+))(\/[^?#]*.*)$/s

/**
 * The router ends a path at its first semicolon, which is a letter like others in the name of a file (RFC 3986, 3.3): of `S1.bam;v2` it
 * would give `S1.bam`. Many programs do not escape it.
 */
const withPlainSemicolons = (url: string) => url.replace(/^[^?#]*/, (path) => path.replaceAll(";", "%3B"))

export const admit = (rules: Rules, visit: Visit): Verdict => {
  const [, prefix = "", inPath, rest] = prefixed.exec(visit.url) ?? []
  const url = withPlainSemicolons(rest ?? visit.url)
  const ofService = rules.api && /^\/service(?:[/?#]|$)/.test(url)
  const methods = ["GET", "HEAD", "POST", ...(ofService ? ["PUT"] : [])]
  if (!methods.includes(visit.method)) {
    const message = `only ${methods.slice(0, -1).join(", ")} and ${methods.at(-1)} are known here`
    return { ...refused(405, "MethodNotAllowed", message), headers: { allow: methods.join(", ") } }
  }
  if (rules.readers === null) {
    if (inPath !== undefined) return refused(401, "InvalidAuthentication", "this gateway has no token")
    if (!isOurName(visit.headers["host"] ?? "", rules.publicUrl)) {
      return refused(
        421,
        "WrongHost",
        "this gateway is for this machine alone: give it a token to be reached by a name"
      )
    }
    if (visit.method !== "GET" && visit.method !== "HEAD" && isOfForeignPage(rules, visit)) {
      return refused(
        403,
        "Forbidden",
        "a page of another origin sent this: allow its origin, or give the gateway a token"
      )
    }
    return welcome(url)
  }
  // A probe needs no token: its answer says nothing about files.
  if (probes.has(url) && inPath === undefined) return welcome(url)
  // The same for everybody: the page itself asks for the token.
  if (/^\/page\/[\w.]+$/.test(url)) return welcome(url)
  const bearer = /^bearer +(\S+)\s*$/i.exec(visit.headers["authorization"] ?? "")?.[1]
  const token = inPath ?? bearer ?? ""
  // Who shows no token may have a session, which the handlers of the service know.
  if (ofService && token === "" && visit.headers["authorization"] === undefined) return welcome(url)
  const signed = token === "" && visit.method !== "POST" ? rules.signedLinks.readerOf(url, visit.at) : null
  const signer = signed === null ? null : readerOf(rules.readers, signed, visit.at)
  if (signer !== null) {
    return { _tag: "Welcome", url, prefix: "", reader: signer, token: null }
  }
  const reader = readerWith(rules.readers, token, visit.at)
  return reader !== null
    ? { _tag: "Welcome", url, prefix, reader, token: Redacted.make(token) }
    : refused(401, "InvalidAuthentication", "the token of this gateway is missing, wrong or over")
}

const probes: ReadonlySet<string> = new Set(["/healthz", "/readyz"])

const welcome = (url: string): Verdict => ({ _tag: "Welcome", url, prefix: "", reader: null, token: null })

/**
 * Whether a browser says that a page of an origin which is not ours sent this. A page may send a POST to any address without a
 * preflight, and does not need to read the answer to have a restoration paid for. Programs other than browsers send neither field.
 */
const isOfForeignPage = ({ allowOrigin, publicUrl }: Rules, { headers }: Visit): boolean => {
  const origin = headers["origin"]
  if (origin !== undefined && allowOrigin.includes(origin)) return false
  const site = headers["sec-fetch-site"]
  if (site !== undefined && site !== "same-origin" && site !== "none") return true
  if (origin === undefined) return false
  if (!URL.canParse(origin)) return true
  const ours = publicUrl === null ? [] : [new URL(publicUrl).host]
  return ![headers["host"], ...ours].includes(new URL(origin).host)
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
        "access-control-expose-headers":
          "Accept-Ranges, Content-Length, Content-Range, ETag, Last-Modified, Retry-After",
        vary: "Origin"
      }

/** What a page may send when its browser does not say what it wants to send. */
const usualFields = "Authorization, Content-Type, If-Range, Range"

/**
 * The answer to a browser's preflight request (OPTIONS): the fields that it asks for, as genome browsers send fields of their own
 * such as Cache-Control, for the 30 days of htsget 1.3 ("CORS").
 */
export const preflight = (asked: string | undefined): Readonly<Record<string, string>> => ({
  "access-control-allow-methods": "GET, HEAD, POST",
  "access-control-allow-headers":
    asked !== undefined && /^[\w!#$%&'*+.^`|~-]+(?:\s*,\s*[\w!#$%&'*+.^`|~-]+)*$/.test(asked) ? asked : usualFields,
  "access-control-max-age": "2592000",
  vary: "Origin, Access-Control-Request-Headers"
})
