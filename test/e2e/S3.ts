import { createHash, createHmac } from "node:crypto"
import { readFileSync } from "node:fs"
import { Data, Effect } from "effect"
import { quietPort } from "../Ports.ts"
import { root } from "../Root.ts"
import { folder, startListener } from "./Ground.ts"

const bucket = "sequencing"
const accessKey = "S3RVER"
const secretKey = "S3RVER"
const region = "us-east-1"

/** A link as the service would hand it out. */
export interface LinkTerms {
  readonly method?: "GET" | "PUT"
  /** The server verifies the signature of version 2, and the expiry of both. */
  readonly version?: 2 | 4
  /** When it was signed, ms since the epoch. */
  readonly signedAt: number
  /** How long it is good, s. */
  readonly lifetime: number
}

class UploadFailed extends Data.TaggedError("UploadFailed")<{ readonly status: number }> {}

/** RFC 3986: also the characters that `encodeURIComponent` leaves alone. */
const strictly = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`)

const pathOf = (key: string) => `/${bucket}/${strictly(key)}`

/** Both signatures stand in the query, as the vendor's documentation describes them. */
const presign = (host: string, key: string, terms: LinkTerms) =>
  `http://${host}${pathOf(key)}?${terms.version === 2 ? queryV2(key, terms) : queryV4(host, key, terms)}`

const queryV2 = (key: string, { lifetime, method = "GET", signedAt }: LinkTerms) => {
  const expires = Math.round(signedAt / 1000) + lifetime
  const toSign = [method, "", "", expires, pathOf(key)].join("\n")
  const signature = createHmac("sha1", secretKey).update(toSign).digest("base64")
  return `AWSAccessKeyId=${accessKey}&Expires=${expires}&Signature=${encodeURIComponent(signature)}`
}

const queryV4 = (host: string, key: string, { lifetime, method = "GET", signedAt }: LinkTerms) => {
  const time = new Date(signedAt).toISOString().replace(/[-:]|\.\d+/g, "")
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`
  const query = [
    "X-Amz-Algorithm=AWS4-HMAC-SHA256",
    `X-Amz-Credential=${encodeURIComponent(`${accessKey}/${scope}`)}`,
    `X-Amz-Date=${time}`,
    `X-Amz-Expires=${lifetime}`,
    "X-Amz-SignedHeaders=host"
  ].join("&")
  const canonical = [method, pathOf(key), query, `host:${host}`, "", "host", "UNSIGNED-PAYLOAD"].join("\n")
  const digest = createHash("sha256").update(canonical).digest("hex")
  const signingKey = [time.slice(0, 8), region, "s3", "aws4_request"].reduce<Buffer | string>(
    (key, part) => createHmac("sha256", key).update(part).digest(),
    `AWS4${secretKey}`
  )
  const toSign = ["AWS4-HMAC-SHA256", time, scope, digest].join("\n")
  const signature = createHmac("sha256", signingKey).update(toSign).digest("hex")
  return `${query}&X-Amz-Signature=${signature}`
}

/** An S3 server with one bucket. */
export const startS3 = Effect.gen(function* () {
  const port = yield* quietPort
  const home = yield* folder
  const server = `${root}.e2e/s3/node_modules/s3rver/bin/s3rver.js`
  const options = ["-d", home, "-a", "127.0.0.1", "-p", `${port}`, "--no-vhost-buckets", "--configure-bucket", bucket]
  yield* startListener(port, process.execPath, [server, ...options])
  const host = `127.0.0.1:${port}`
  return {
    host,
    port,
    upload: (key: string, path: string) =>
      Effect.gen(function* () {
        const link = presign(host, key, { method: "PUT", signedAt: Date.now(), lifetime: 60 })
        const { status } = yield* Effect.promise(() => fetch(link, { method: "PUT", body: readFileSync(path) }))
        if (status !== 200) return yield* new UploadFailed({ status })
      }),
    /** `through` is the address under which the client reaches the server, when it is another one. */
    link: (key: string, terms: LinkTerms, through = host) => presign(through, key, terms)
  }
})
