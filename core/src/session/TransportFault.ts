/**
 * Why an exchange got no complete answer, as the kinds that the session treats differently.
 *
 * The HTTP layer of the platform puts a `TransportFault` as `cause` into its `TransportError` or `DecodeError`. For any other HTTP
 * client the fault is derived from the error codes of the runtime.
 */
import * as Data from "effect/Data"
import type * as HttpClientError from "effect/http/HttpClientError"
import * as Predicate from "effect/Predicate"
import { ProxyRefused, type TlsReason, TlsRefused } from "../Errors.ts"

export class TransportFault extends Data.TaggedError("TransportFault")<{
  /**
   * - `NotSent`: no connection was made, so the service saw nothing and any request may be repeated.
   * - `Unanswered`: the connection ended after the request was sent and before a byte of the answer; the service may have acted on it.
   * - `Broken`: the connection ended, or stayed silent, before the answer was complete.
   * - `Tls`: the certificate or the protocol version was not accepted; never repeated.
   * - `Encoding`: the content encoding of the body cannot be read; the next reply would use it too, so it is never repeated.
   * - `Proxy`: the proxy answered instead of the service, with `status`; the service saw nothing.
   */
  readonly kind: "NotSent" | "Unanswered" | "Broken" | "Encoding" | "Tls" | "Proxy"
  /** For a person, without secrets: no path, no header, no address with credentials. */
  readonly reason: string
  /** `NotSent`, since no host has that name: mistyped, unless it has answered before. */
  readonly noSuchHost?: boolean
  /** Host and port of the proxy, for `Proxy`. */
  readonly proxy?: string
  readonly status?: number
  /** The ways of signing in that the proxy offers, when Basic is not among them. */
  readonly offers?: string
}> {
  override get message() {
    return this.reason
  }
}

const sayings: Readonly<Record<string, readonly [kind: TransportFault["kind"], reason: string]>> = {
  ECONNREFUSED: ["NotSent", "connection refused"],
  ENOTFOUND: ["NotSent", "unknown host name"],
  EAI_AGAIN: ["NotSent", "the name could not be resolved for the moment"],
  EHOSTUNREACH: ["NotSent", "host unreachable"],
  ENETUNREACH: ["NotSent", "network unreachable"],
  EHOSTDOWN: ["NotSent", "host down"],
  // Of this machine, not of the service: who reads only the name of the error looks in the wrong place.
  ENETDOWN: ["NotSent", "the network of this machine is down"],
  EMFILE: ["NotSent", "too many files are open here; a higher limit (ulimit -n) would help"],
  ENFILE: ["NotSent", "too many files are open on this machine"],
  EADDRNOTAVAIL: ["NotSent", "this machine has no address or port left for a connection"],
  EACCES: ["NotSent", "this machine does not let the connection out, perhaps by its firewall"],
  EPERM: ["NotSent", "this machine does not let the connection out, perhaps by its firewall"],
  ECONNRESET: ["Broken", "connection reset"],
  EPIPE: ["Broken", "connection closed"],
  ETIMEDOUT: ["Broken", "connection timed out"],
  HPE_INVALID_CONSTANT: ["Broken", "the answer is not HTTP"],
  HPE_INVALID_CHUNK_SIZE: ["Broken", "the answer has a chunk that cannot be read"],
  HPE_HEADER_OVERFLOW: ["Broken", "the headers of the answer are too large"],
  HPE_INVALID_EOF_STATE: ["Broken", "the answer is cut"],
  Z_BUF_ERROR: ["Broken", "the answer is cut"]
}

/** A connection that stands can end with these too, and what was sent over it may have been received. */
const alsoOfStanding: ReadonlySet<string> = new Set([
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EHOSTDOWN",
  "ENETDOWN",
  "EACCES",
  "EPERM"
])

const codeOf = (cause: unknown): string | undefined =>
  Predicate.hasProperty(cause, "code") && typeof cause.code === "string" ? cause.code : undefined

const causesOf = (error: unknown): ReadonlyArray<unknown> => {
  const found: Array<unknown> = []
  let next = error
  // Five links are more than any runtime nests; the bound keeps a cycle from holding us.
  while (next !== undefined && found.length < 5) {
    found.push(next)
    if (Predicate.hasProperty(next, "errors") && Array.isArray(next.errors)) found.push(...next.errors)
    next = Predicate.hasProperty(next, "cause") ? next.cause : undefined
  }
  return found
}

const tlsCodes =
  /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|ERROR_IN_CERT|HOSTNAME_MISMATCH|CRL_|INVALID_CA|PATH_LENGTH|EPROTO$)/

/** What the error codes of OpenSSL and Node mean for a person; null for a code that is not about TLS. */
export const tlsReason = (code: string): TlsReason | (string & {}) | null => {
  if (!tlsCodes.test(code)) return null
  return knownTlsReason(code) ?? code
}

const knownTlsReason = (code: string): TlsReason | null => {
  if (code === "CERT_HAS_EXPIRED") return "its certificate has expired"
  if (code === "CERT_NOT_YET_VALID") return "its certificate is not valid yet"
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return "its certificate is for another host name"
  if (code.startsWith("DEPTH_ZERO_SELF_SIGNED")) return "its certificate is self-signed"
  if (/^(SELF_SIGNED|UNABLE_TO_)/.test(code)) return "its certificate comes from an unknown authority"
  if (/WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST/.test(code)) return "it does not speak TLS there"
  if (/PROTOCOL/.test(code)) return "it offers no TLS version that is safe (1.2 at least)"
  if (/CERTIFICATE_REQUIRED|ALERT_BAD_CERTIFICATE/.test(code)) return "it wants a certificate of the client"
  return null
}

/** The fault that caused an error of a connection: one nested in it, else the one of its error code, else `Broken`. */
export const faultOfCause = (error: unknown): TransportFault => {
  const causes = causesOf(error)
  for (const cause of causes) {
    if (cause instanceof TransportFault) return cause
  }
  // Where several addresses were tried, only the error of each says so.
  const connecting = causes.some((cause) => Predicate.hasProperty(cause, "syscall") && cause.syscall === "connect")
  for (const cause of causes) {
    const code = codeOf(cause)
    if (code === undefined) continue
    const tls = tlsReason(code)
    if (tls !== null) return new TransportFault({ kind: "Tls", reason: tls })
    const saying = sayings[code]
    if (saying === undefined) continue
    const [kind, reason] = saying
    const standing = alsoOfStanding.has(code) && !connecting
    return new TransportFault({ kind: standing ? "Broken" : kind, reason, noSuchHost: code === "ENOTFOUND" })
  }
  const code = causes.map(codeOf).find((code) => code !== undefined)
  // The parser of Node has some thirty of these.
  if (code?.startsWith("HPE_") === true)
    return new TransportFault({ kind: "Broken", reason: "the answer is not valid HTTP" })
  return new TransportFault({ kind: "Broken", reason: code ?? "connection broken" })
}

/** The refusal of `host`, or of a proxy on the way to it, that a fault is; null for what passes, as 502 of a proxy does. */
export const refusalOf = (
  host: string,
  { kind, offers, proxy, reason, status }: TransportFault
): TlsRefused | ProxyRefused | null => {
  if (kind === "Tls") return new TlsRefused({ host: proxy ?? host, reason })
  if (kind !== "Proxy" || status === undefined || status >= 500) return null
  return new ProxyRefused({ proxy: proxy ?? "", status, ...(offers === undefined ? {} : { offers }) })
}

/** What a proxy offers in its `Proxy-Authenticate` field, by name, when Basic is not among it. */
export const offersOf = (field: string | ReadonlyArray<string> | undefined): { readonly offers?: string } => {
  const schemes = [field ?? []]
    .flat()
    .flatMap((line) => line.match(/(?:^|,\s*)[A-Za-z][A-Za-z0-9-]*(?=\s+[^\s=,]|\s*(?:,|$))/g) ?? [])
  const names = [...new Set(schemes.map((scheme) => scheme.replace(/^,\s*/, "")))]
  return names.length === 0 || names.some((name) => name.toLowerCase() === "basic")
    ? {}
    : { offers: names.join(" or ") }
}

/** {@link faultOfCause} of a client error; a URL or body that cannot be sent counts as `NotSent`. */
export const faultOfClientError = (error: HttpClientError.HttpClientError): TransportFault =>
  error.reason._tag === "InvalidUrlError" || error.reason._tag === "EncodeError"
    ? new TransportFault({ kind: "NotSent", reason: "the request cannot be formed" })
    : faultOfCause(error.reason)
