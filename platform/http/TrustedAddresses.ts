/** Which addresses are those of a proxy that is believed. */
import { BlockList, isIP } from "node:net"

/** Whether an address is one of these, or in one of these networks; null when one of them is neither. */
export const trusting = (addresses: ReadonlyArray<string>): ((address: string) => boolean) | null => {
  const list = new BlockList()
  for (const text of addresses) {
    const [, address = "", length] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(text) ?? []
    const version = isIP(address)
    const bits = version === 4 ? 32 : 128
    if (version === 0 || Number(length ?? bits) > bits) return null
    list.addSubnet(address, Number(length ?? bits), version === 4 ? "ipv4" : "ipv6")
  }
  return (address) => isIP(address) > 0 && list.check(address, isIP(address) === 4 ? "ipv4" : "ipv6")
}
