/** IP addresses as text (RFC 4291 section 2.2), read without a resolver and without a network. */

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
