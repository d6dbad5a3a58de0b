import { createHmac } from "node:crypto"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import type { BehaviourValues } from "./Behaviour.ts"
import type { StoredFile } from "./Storage.ts"

/** Why a link does not open its file: status and the parts of an S3 error document. */
export interface LinkRefusal {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly details?: Readonly<Record<string, string>>
  readonly expired?: true
}

const bucket = "/sandbox-files/"
const signatureParameter = "&X-Amz-Signature="

const basicTime = (millis: number) =>
  DateTime.formatIso(DateTime.makeUnsafe(millis)).replace(/\.\d+/, "").replace(/[-:]/g, "")

const isoSeconds = (millis: number) => DateTime.formatIso(DateTime.makeUnsafe(millis)).replace(/\.\d+/, "")

const timeOf = (basic: string) => {
  const found = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(basic)
  if (found === null) return Number.NaN
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = found.slice(1).map(Number)
  return Date.UTC(year, month - 1, day, hour, minute, second)
}

// `.` and `..` vanish from a path in every URL parser, encoded or not.
const pathSegment = (name: string) =>
  name === "." || name === ".." || name === "" ? "_" : encodeURIComponent(name.toWellFormed())

/** The key of the file a link path names, whoever signed it. */
export const keyOfLink = (url: string): string | null => /^\/sandbox-files\/(\d+)\//.exec(url)?.[1] ?? null

/**
 * What is signed: the query as it is meant, whichever letters of it the caller escaped, as S3 has it. Some clients escape anew what
 * they were given (yarl of aiohttp writes `/` for `%2F`); a `+` is a space, and so breaks the token.
 */
const signedForm = (address: string) => {
  const [path = "", query = ""] = address.split(/\?(.*)/s)
  return `${path}?${new URLSearchParams(query)}`
}

/**
 * Presigned addresses in the manner of S3 (query parameters `X-Amz-*`, signature version 4 in form; the HMAC is over
 * path and query). Time has the resolution of seconds; a link is good through the whole last second.
 */
export const makeLinks = (port: number, behaviour: BehaviourValues) => {
  const expiredByHand = new Set<string>()
  const hmac = (text: string) =>
    createHmac("sha256", `sandbox link key ${behaviour.seed}`).update(signedForm(text)).digest()
  const lifetime = Math.max(1, Math.round(Duration.toSeconds(behaviour.linkLifetime)))
  // Looks like an AWS session token: base64 with `+`, `/` and `=`, which have to stay percent-encoded on the way.
  const securityToken = "IQoJ+/8=".repeat(Math.ceil(behaviour.linkTokenLength / 8)).slice(0, behaviour.linkTokenLength)

  const sign = (hostname: string, file: StoredFile, now: number): string => {
    const date = basicTime(now)
    const query = [
      "X-Amz-Algorithm=AWS4-HMAC-SHA256",
      `X-Amz-Credential=${encodeURIComponent(`SANDBOX/${date.slice(0, 8)}/local/s3/aws4_request`)}`,
      `X-Amz-Date=${date}`,
      `X-Amz-Expires=${lifetime}`,
      ...(securityToken === "" ? [] : [`X-Amz-Security-Token=${encodeURIComponent(securityToken)}`]),
      "X-Amz-SignedHeaders=host"
    ].join("&")
    const address = `${bucket}${file.key}/${pathSegment(file.name)}?${query}`
    const signed = `${address}${signatureParameter}${hmac(address).toString("hex")}`
    // A link of the same second would be the expired one again.
    return expiredByHand.has(signed) ? sign(hostname, file, now + 1000) : `http://${hostname}:${port}${signed}`
  }

  const check = (url: string, now: number): LinkRefusal | null => {
    const at = url.indexOf(signatureParameter)
    if (at < 0) return { status: 403, code: "AccessDenied", message: "Access Denied" }
    if (hmac(url.slice(0, at)).toString("hex") !== url.slice(at + signatureParameter.length)) {
      return {
        status: 403,
        code: "SignatureDoesNotMatch",
        message:
          "The request signature we calculated does not match the signature you provided. Check your key and signing method."
      }
    }
    const query = new URLSearchParams(url.slice(url.indexOf("?")))
    const date = timeOf(query.get("X-Amz-Date") ?? "")
    const seconds = Number(query.get("X-Amz-Expires"))
    if (now < date + (seconds + 1) * 1000 && !expiredByHand.has(url)) return null
    return {
      status: 403,
      code: "AccessDenied",
      message: "Request has expired",
      details: {
        "X-Amz-Expires": `${seconds}`,
        Expires: isoSeconds(date + seconds * 1000),
        ServerTime: isoSeconds(now)
      },
      expired: true
    }
  }

  return {
    /** `hostname` is the name the caller reached the API under: the link host answers there too, on its own port. */
    sign,
    check,
    /** From now on this very link counts as expired. */
    expire: (url: string) => void expiredByHand.add(url),
    reset: () => expiredByHand.clear()
  }
}
