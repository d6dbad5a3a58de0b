/**
 * Addresses of files that need no token: what `--relay` puts in the place of links in the answers of the service. Whoever follows a link
 * shows no token, so the address has a signature, which ends, and is good as long as the token of its reader. The end stands where links
 * of the service have it, for programs that look.
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto"

export interface SignedLinks {
  /** @param path - as it will be asked for, without a query; `reader`: the digest of the token */
  readonly sign: (path: string, reader: string, now: number) => string
  /** The digest of the token for which an address was signed; null when it was not, or is over. */
  readonly readerOf: (url: string, now: number) => string | null
}

/** In seconds. */
const lifetime = 3600

/** As the links of S3 have it: when it begins, `YYYYMMDDTHHMMSSZ`, and for how many seconds it is good. */
export const lifeFrom = (now: number): string =>
  `X-Amz-Date=${new Date(now).toISOString().replace(/[-:]|\.\d+/g, "")}&X-Amz-Expires=${lifetime}`

const endOf = (begun: string): number =>
  Date.parse(begun.replace(/^(....)(..)(..T..)(..)(..Z)$/, "$1-$2-$3:$4:$5")) + lifetime * 1000

/** The key lives as long as the process: after a restart a reader asks for links again, as after their end. */
export const makeSignedLinks = (): SignedLinks => {
  const key = randomBytes(32)
  const signature = (path: string, reader: string, life: string) =>
    createHmac("sha256", key).update(`${path}\n${reader}\n${life}`).digest("hex")
  return {
    sign: (path, reader, now) => {
      const life = lifeFrom(now)
      return `${path}?Reader=${reader}&${life}&Signature=${signature(path, reader, life)}`
    },
    readerOf: (url, now) => {
      const match =
        /^(\/files\/[^/?#]+\/[^/?#]+)\?Reader=([0-9a-f]{64})&(X-Amz-Date=(\d{8}T\d{6}Z)&X-Amz-Expires=\d+)&Signature=([0-9a-f]{64})$/.exec(
          url
        )
      if (match === null) return null
      const [, path = "", reader = "", life = "", begun = "", given = ""] = match
      const right = Buffer.from(signature(path, reader, life))
      return timingSafeEqual(right, Buffer.from(given)) && now < endOf(begun) ? reader : null
    }
  }
}
