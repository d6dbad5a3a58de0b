/**
 * Addresses of files that need no token: what `--relay` puts in the place of links in the answers of the service. Whoever follows a link
 * shows no token, so the address has a signature, which ends, and is good as long as the token of its reader.
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto"

export interface SignedLinks {
  /** @param path - as it will be asked for, without a query; `reader`: the digest of the token */
  readonly sign: (path: string, reader: string, now: number) => string
  /** The digest of the token for which an address was signed; null when it was not, or is over. */
  readonly readerOf: (url: string, now: number) => string | null
}

/** In ms. */
const lifetime = 3_600_000

/** The key lives as long as the process: after a restart a reader asks for links again, as after their end. */
export const makeSignedLinks = (): SignedLinks => {
  const key = randomBytes(32)
  const signature = (path: string, reader: string, expires: string) =>
    createHmac("sha256", key).update(`${path}\n${reader}\n${expires}`).digest("hex")
  return {
    sign: (path, reader, now) => {
      const expires = String(Math.floor((now + lifetime) / 1000))
      return `${path}?Reader=${reader}&Expires=${expires}&Signature=${signature(path, reader, expires)}`
    },
    readerOf: (url, now) => {
      const match =
        /^(\/files\/[^/?#]+\/[^/?#]+)\?Reader=([0-9a-f]{64})&Expires=(\d{1,12})&Signature=([0-9a-f]{64})$/.exec(url)
      if (match === null) return null
      const [, path = "", reader = "", expires = "", given = ""] = match
      const right = Buffer.from(signature(path, reader, expires))
      return timingSafeEqual(right, Buffer.from(given)) && now < Number(expires) * 1000 ? reader : null
    }
  }
}
