/** Which hosts are reached without a proxy, in the form of the variable `NO_PROXY`. */
import { bitsOf } from "../text/IpAddress.ts"

/** A host name without the brackets of an IPv6 address. */
export const bareHost = (hostname: string) => hostname.replace(/^\[|\]$/g, "")

/** The port of a URL, also when it is the usual one of its scheme. */
export const portOf = (url: URL): number =>
  url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port)

/** Whether `NO_PROXY` names the host: `*`, a name and all below it, a name with port, an address, a range (CIDR). */
export const isDirect = (noProxy: string, hostname: string, port: number): boolean => {
  const host = bareHost(hostname).toLowerCase()
  const hostBits = bitsOf(host)
  return noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== "")
    .some((entry) => {
      if (entry === "*") return true
      const [, network = "", length] = /^([0-9a-f.:]+)\/(\d{1,3})$/.exec(entry) ?? []
      const bits = bitsOf(network)
      if (bits !== null && hostBits?.length === bits.length) {
        return Number(length) <= bits.length && hostBits.startsWith(bits.slice(0, Number(length)))
      }
      const isAddress = bitsOf(entry) !== null
      const [, name = entry, only] = /^(.*[^:]):(\d{1,5})$/.exec(entry) ?? []
      if (only !== undefined && !isAddress && Number(only) !== port) return false
      const bare = bareHost(isAddress ? entry : name).replace(/^\*?\./, "")
      return host === bare || host.endsWith(`.${bare}`)
    })
}
