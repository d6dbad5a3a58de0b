/**
 * X.509 certificates made for one test run: DER by hand (RFC 5280), so that no key lies in the repository and no
 * program is needed.
 */
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto"

const der = (tag: number, ...parts: ReadonlyArray<Uint8Array>): Buffer => {
  const body = Buffer.concat(parts)
  const size = body.length
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 255]
  return Buffer.concat([Buffer.from([tag, ...length]), body])
}
const sequence = (...parts: ReadonlyArray<Uint8Array>) => der(0x30, ...parts)
const oid = (...bytes: ReadonlyArray<number>) => der(0x06, Buffer.from(bytes))
const ecdsaWithSha256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02))
const name = (common: string) => sequence(der(0x31, sequence(oid(0x55, 0x04, 0x03), der(0x0c, Buffer.from(common)))))
const time = (date: Date) => der(0x18, Buffer.from(`${date.toISOString().replace(/[-:T]|\.\d+/g, "")}`))
const extension = (id: ReadonlyArray<number>, value: Uint8Array) => sequence(oid(...id), der(0x04, value))
const pem = (label: string, bytes: Uint8Array) =>
  `-----BEGIN ${label}-----\n${Buffer.from(bytes).toString("base64").replace(/.{64}/g, "$&\n")}\n-----END ${label}-----\n`

let serial = 1

interface Wish {
  readonly subject: string
  readonly issuer: string
  readonly issuerKey: KeyObject
  readonly publicKey: KeyObject
  readonly from: Date
  readonly until: Date
  readonly extensions: ReadonlyArray<Uint8Array>
}

const certificate = (wish: Wish): string => {
  const content = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([serial++])),
    ecdsaWithSha256,
    name(wish.issuer),
    sequence(time(wish.from), time(wish.until)),
    name(wish.subject),
    wish.publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(...wish.extensions))
  )
  const signature = sign("sha256", content, wish.issuerKey)
  return pem("CERTIFICATE", sequence(content, ecdsaWithSha256, der(0x03, Buffer.from([0]), signature)))
}

const days = (count: number) => new Date(Date.now() + count * 86_400_000)

export interface Authority {
  /** The authority's own certificate, PEM. */
  readonly pem: string
  /** A server certificate with its key; `names` are DNS names, `addresses` IPv4 addresses. */
  readonly issue: (options: {
    readonly names?: ReadonlyArray<string>
    readonly addresses?: ReadonlyArray<string>
    readonly expired?: boolean
  }) => { readonly cert: string; readonly key: string }
}

export const makeAuthority = (subject = "Test authority"): Authority => {
  const own = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const constraints = extension([0x55, 0x1d, 0x13], sequence(der(0x01, Buffer.from([255]))))
  return {
    pem: certificate({
      subject,
      issuer: subject,
      issuerKey: own.privateKey,
      publicKey: own.publicKey,
      from: days(-10),
      until: days(10),
      extensions: [constraints]
    }),
    issue: ({ addresses = [], expired = false, names = [] }) => {
      const pair = generateKeyPairSync("ec", { namedCurve: "P-256" })
      const alternatives = sequence(
        ...names.map((text) => der(0x82, Buffer.from(text))),
        ...addresses.map((text) => der(0x87, Buffer.from(text.split(".").map(Number))))
      )
      const cert = certificate({
        subject: "Test server",
        issuer: subject,
        issuerKey: own.privateKey,
        publicKey: pair.publicKey,
        from: days(-9),
        until: days(expired ? -1 : 9),
        extensions: [extension([0x55, 0x1d, 0x11], alternatives)]
      })
      return { cert, key: pair.privateKey.export({ type: "pkcs8", format: "pem" }).toString() }
    }
  }
}
