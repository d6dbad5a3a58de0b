/**
 * Which addresses a link may lead to. A link comes from the service, but it makes this machine send a request from
 * inside its network: it must not reach what only this machine can reach.
 *
 * Sources: RFC 3986 (generic syntax), RFC 6890 and the IANA special-purpose address registries.
 */
import * as Result from "effect/Result"
import { isIpv4, type Reach, reachOf, reachOfName } from "../text/HostReach.ts"

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
