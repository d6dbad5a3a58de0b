/**
 * Hosts by their names and addresses, read without a resolver and without a network: what an address is made of, and how far a host
 * reaches.
 *
 * Sources: RFC 4291 section 2.2 (addresses), RFC 6761, RFC 6762, RFC 8375 (names), RFC 6890 and the IANA special-purpose address
 * registries.
 */

/** Four numbers with dots between them, of any size. */
export const isIpv4 = (host: string): boolean => /^\d{1,3}(\.\d{1,3}){3}$/.test(host)

/** The eight groups of an IPv6 address, null when it is none. A zone (`%eth0`) is ignored. */
export const ipv6Groups = (text: string): ReadonlyArray<number> | null => {
  const bare = text.replace(/%.*$/, "")
  const dotted = /^(.*:)(\d{1,3}(?:\.\d{1,3}){3})$/.exec(bare)
  const ipv4 = dotted?.[2]?.split(".").map(Number)
  const hex =
    dotted !== null && ipv4 !== undefined
      ? `${dotted[1]}${(((ipv4[0] ?? 0) << 8) | (ipv4[1] ?? 0)).toString(16)}:${(((ipv4[2] ?? 0) << 8) | (ipv4[3] ?? 0)).toString(16)}`
      : bare
  const halves = hex.split("::")
  if (halves.length > 2) return null
  const [head = [], tail = []] = halves.map((half) => (half === "" ? [] : half.split(":")))
  const missing = 8 - head.length - tail.length
  if (halves.length === 2 ? missing < 1 : missing !== 0) return null
  const groups = [...head, ...Array.from({ length: missing }, () => "0"), ...tail]
  return groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))
    ? groups.map((group) => Number.parseInt(group, 16))
    : null
}

/** The 32 or 128 bits of an address as zeros and ones, null when the text is none. */
export const bitsOf = (address: string): string | null => {
  const bytes = isIpv4(address) ? address.split(".").map(Number) : null
  if (bytes !== null) return bytes.every((byte) => byte < 256) ? digits(bytes, 8) : null
  const groups = address.includes(":") ? ipv6Groups(address) : null
  return groups === null ? null : digits(groups, 16)
}

const digits = (numbers: ReadonlyArray<number>, width: number) =>
  numbers.map((number) => number.toString(2).padStart(width, "0")).join("")

/** How far an address reaches. `special`: link-local, multicast, unspecified, reserved. */
export type Reach = "public" | "private" | "loopback" | "special"

/** A host name without the brackets of an IPv6 address. */
export const bareHost = (hostname: string) => hostname.replace(/^\[|\]$/g, "")

/** Whether a host, as a URL names it, is this machine. */
export const isLoopback = (hostname: string): boolean => reachOfName(bareHost(hostname)) === "loopback"

/** Names of services that give a machine in a cloud its credentials. */
const metadata = /^(metadata|instance-data|(.*\.)?metadata\.google\.internal|metadata\.goog)$/
const local = /^(.*\.)?(localhost|localhost\.localdomain|ip6-localhost|ip6-loopback)$/
/** Endings that mean something inside one network only: of RFC 6762 and RFC 8375, ICANN's `internal`, and what home routers and clusters use. */
const inner = /\.(internal|local|localdomain|intranet|private|corp|home|lan|svc|home\.arpa)$/

/** The reach of a host by its name; for an IP address that of the address. */
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
  const reachOfEmbedded = (at: number) =>
    reachOfIpv4([0, 1].flatMap((i) => [(groups[at + i] ?? 0) >> 8, (groups[at + i] ?? 0) & 255]))
  const zeros = (count: number) => groups.slice(0, count).every((group) => group === 0)
  if (zeros(7)) return groups[7] === 1 ? "loopback" : "special"
  // IPv4 inside IPv6: mapped, compatible, translated (NAT64) and 6to4 lead to the IPv4 address.
  if (zeros(5) && groups[5] === 0xffff) return reachOfEmbedded(6)
  if (zeros(6)) return reachOfEmbedded(6)
  if (first === 0x64 && second === 0xff9b) return reachOfEmbedded(6)
  if (first === 0x2002) return reachOfEmbedded(1)
  if ((first & 0xfe00) === 0xfc00) return "private"
  if ((first & 0xe000) === 0x2000) return first === 0x2001 && second === 0x0db8 ? "special" : "public"
  return "special"
}
