/**
 * Which addresses a link may lead to. A link comes from the service, but it makes this machine send a request from
 * inside its network: it must not reach what only this machine can reach.
 *
 * Sources: RFC 3986 (generic syntax), RFC 6890 and the IANA special-purpose address registries.
 */
import { Result } from "effect"
import { ipv6Groups, isIpv4 } from "../text/IpAddress.ts"

/** A link taken apart without changing a byte of what is signed. */
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

/** How far an address reaches. `special`: link-local, multicast, unspecified, reserved. */
export type Reach = "public" | "private" | "loopback" | "special"

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
export const redirected = (from: string, location: string): string => {
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

/** Names of services that give a machine in a cloud its credentials. */
const metadata = /^(metadata|instance-data|(.*\.)?metadata\.google\.internal|metadata\.goog)$/
const local = /^(.*\.)?(localhost|localhost\.localdomain|ip6-localhost|ip6-loopback)$/
/** RFC 6762 (`local` and appendix G), RFC 8375, ICANN's `internal`, and what home routers and clusters use. */
const inner = /\.(internal|local|localdomain|intranet|private|corp|home|lan|svc|home\.arpa)$/

/** The reach that the name of a host promises; an address has that of its own. */
export const reachOfName = (host: string): Reach => {
  const name = host.toLowerCase().replace(/\.+$/, "")
  if (isIpv4(name) || name.includes(":")) return reachOf(name)
  if (local.test(name)) return "loopback"
  if (metadata.test(name)) return "special"
  return name.includes(".") && !inner.test(name) ? "public" : "private"
}

/** The reach of an IP address in text form, as a resolver gives it. Unreadable text is `special`. */
export const reachOf = (address: string): Reach => {
  if (isIpv4(address)) return reachOfIpv4(address.split(".").map(Number))
  const groups = ipv6Groups(address)
  return groups === null ? "special" : reachOfIpv6(groups)
}

const reachOfIpv4 = (bytes: ReadonlyArray<number>): Reach => {
  const [a = 0, b = 0, c = 0] = bytes
  if (bytes.some((byte) => byte > 255)) return "special"
  if (a === 127) return "loopback"
  if (a === 10 || (a === 172 && b >= 16 && b < 32) || (a === 192 && b === 168)) return "private"
  if (a === 100 && b >= 64 && b < 128) return "private"
  if (a === 0 || a >= 224 || (a === 169 && b === 254)) return "special"
  if (a === 192 && b === 0 && (c === 0 || c === 2)) return "special"
  if ((a === 198 && (b === 18 || b === 19)) || (a === 198 && b === 51 && c === 100)) return "special"
  if (a === 203 && b === 0 && c === 113) return "special"
  return "public"
}

const reachOfIpv6 = (groups: ReadonlyArray<number>): Reach => {
  const [first = 0, second = 0] = groups
  const embedded = (at: number) =>
    reachOfIpv4([0, 1].flatMap((i) => [(groups[at + i] ?? 0) >> 8, (groups[at + i] ?? 0) & 255]))
  const zeros = (count: number) => groups.slice(0, count).every((group) => group === 0)
  if (zeros(7)) return groups[7] === 1 ? "loopback" : "special"
  // IPv4 inside IPv6: mapped, compatible, translated (NAT64) and 6to4 lead to the IPv4 address.
  if (zeros(5) && groups[5] === 0xffff) return embedded(6)
  if (zeros(6)) return embedded(6)
  if (first === 0x64 && second === 0xff9b) return embedded(6)
  if (first === 0x2002) return embedded(1)
  if ((first & 0xfe00) === 0xfc00) return "private"
  if ((first & 0xe000) === 0x2000) return first === 0x2001 && second === 0x0db8 ? "special" : "public"
  return "special"
}
