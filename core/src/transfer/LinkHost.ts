/**
 * The byte plane: one GET to a link host, with no session, no cookie and no token.
 *
 * The interface, and which addresses a link may lead to; `platform/http/LinkHttp.ts` speaks HTTP. A link comes from the service, but it
 * makes this machine send a request from inside its network: it must not reach what only this machine can reach. Which replies are good is
 * judged by `RangeReply`.
 *
 * Sources: RFC 3986 (generic syntax), RFC 6890 and the IANA special-purpose address registries.
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { LinkRefused, ProxyRefused, TlsRefused } from "../Errors.ts"
import { isIpv4, type Reach, reachOf, reachOfName } from "../text/HostReach.ts"

/** What to ask for; the link travels byte for byte. */
export interface LinkRequest {
  /** For messages. */
  readonly file: string
  readonly link: Redacted.Redacted
  /** Value of `Range`, for example `bytes=0-99`. */
  readonly range: string | null
}

/** The head of a reply and its body, taken batch by batch. */
export interface LinkReply {
  readonly host: string
  readonly status: number
  /** Names in lower case; repeated fields joined by `, `. */
  readonly headers: ReadonlyMap<string, string>
  /** False when only the end of the connection ends the body, so that a cut connection looks like the end. */
  readonly framed: boolean
  /** The next bytes of the body, null after the last. The array is reused by the next call. */
  readonly next: Effect.Effect<Uint8Array | null, LinkBroken>
}

/** The exchange failed below HTTP semantics; another attempt may work. `reason` never holds the link. */
export class LinkBroken extends Data.TaggedError("LinkBroken")<{
  readonly host: string
  readonly fault: "Connect" | "Reset" | "Short" | "Stalled" | "Slow" | "Protocol"
  readonly reason: string
}> {}

/** Ways in which asking a link host fails before there is a reply. */
export type LinkError = LinkBroken | LinkRefused | TlsRefused | ProxyRefused

export class LinkHost extends Context.Service<
  LinkHost,
  {
    /** Sends one GET; the connection is given back, or closed when the body was not taken to its end, with the scope. */
    readonly get: (request: LinkRequest) => Effect.Effect<LinkReply, LinkError, Scope.Scope>
    /**
     * The link as it may be handed to somebody who follows it alone, judged by the rules of `get`: an address in which every byte can
     * stand in a header field.
     */
    readonly approve: (link: Pick<LinkRequest, "file" | "link">) => Effect.Effect<string, LinkRefused>
  }
>()("svc-steps/core/transfer/LinkHost") {}

/** The parts of a link; the signed bytes of its path and query are unchanged. */
export interface LinkAddress {
  readonly scheme: "https" | "http"
  /** Lower-case DNS name, dotted IPv4, or IPv6 without brackets. */
  readonly host: string
  readonly port: number
  /** Value of the `Host` field. */
  readonly authority: string
  /** Path and query as they were given; only what cannot stand in a request line is percent-encoded. */
  readonly path: string
}

/** What the target itself permits: its scheme, the reach of the address it is on, and of its name. */
export interface LinkPolicy {
  readonly insecure: boolean
  readonly reach: Reach
  /** `public` when absent. */
  readonly name?: Reach
}

/** The link in its parts, or the reason why it is not followed; the reason holds no part of the link but its host. */
export const parseLink = (link: string, policy: LinkPolicy): Result.Result<LinkAddress, string> => {
  const match = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)([^#]*)/i.exec(link)
  const scheme = match?.[1]?.toLowerCase()
  const authority = match?.[2]
  if (match === null || scheme === undefined || authority === undefined) {
    return Result.fail("it is not an absolute web address")
  }
  if (scheme !== "https" && scheme !== "http") return Result.fail(`its scheme is ${scheme}, not https`)
  if (scheme === "http" && !policy.insecure) return Result.fail("it is http, which is not encrypted")
  if (authority.includes("@")) return Result.fail("it names a user in its address")
  if (unsendable.test(match[3] ?? "")) return Result.fail("it holds a control character")
  const parsed = URL.canParse(`${scheme}://${authority}/`) ? new URL(`${scheme}://${authority}/`) : null
  if (parsed === null) return Result.fail("its host cannot be read")
  const host = parsed.hostname.replace(/^\[|\]$/g, "")
  // 2130706433, 0x7f.1 and 127.1 are all 127.0.0.1 to a URL parser and to nobody who reads a log.
  if (isIpv4(host) && authority.replace(/:\d*$/, "") !== host) {
    return Result.fail("its host is a number in disguise")
  }
  const literal = isIpv4(host) || host.includes(":") ? reachOf(host) : null
  if (literal !== null && !mayReach(literal, policy)) return Result.fail(unreachable(host, literal))
  const rest = match[3] ?? ""
  return Result.succeed({
    scheme,
    host,
    port: parsed.port === "" ? (scheme === "https" ? 443 : 80) : Number(parsed.port),
    authority: parsed.host,
    path: encodeUnsendable(rest.startsWith("/") ? rest : `/${rest}`)
  })
}

/** Where a redirect leads, seen from the link that was asked for; an absolute `Location` keeps its bytes. */
export const redirectTarget = (from: string, location: string): string => {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(location)) return location
  return URL.canParse(location, from) ? new URL(location, from).href : location
}

/** Whether a connection to an address of this reach is permitted. */
export const mayReach = (reach: Reach, policy: LinkPolicy): boolean => {
  if (reach === "public") return true
  // A target on this machine is often a tunnel into a private network.
  if (reach === "private") return policy.reach === "private" || policy.reach === "loopback"
  return reach === policy.reach
}

/** Whether a host may be visited through a proxy, which resolves the name: here only the name can be judged. */
export const mayReachName = (host: string, policy: LinkPolicy): boolean => {
  const reach = reachOfName(host)
  return mayReach(reach, policy) || mayReach(reach, { ...policy, reach: policy.name ?? "public" })
}

/** The sentence for a name that is not permitted. */
export const unreachableName = (host: string): string =>
  `${host} is a name of ${reachOfName(host) === "loopback" ? "this machine" : "a private network"} and the target is not`

/** The sentence for an address that is not permitted. */
export const unreachable = (host: string, reach: Reach): string =>
  `${host} is a ${reach === "special" ? "reserved" : reach} address and the target is not`

// biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these would break out of the request line
const unsendable = /[\u0000-\u001f\u007f]/

/** Spaces and letters beyond ASCII cannot stand in a request line; everything else is signed as it is. */
const encodeUnsendable = (path: string): string =>
  path.replace(/[^\u0021-\u007e]+/gu, (text) => encodeURIComponent(text.toWellFormed()))
