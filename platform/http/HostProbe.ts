/** Looks at a host by one harmless request: whether it answers, its certificate, its clock. */
import type net from "node:net"
import { TLSSocket } from "node:tls"
import * as Effect from "effect/Effect"
import { faultOfCause, TransportFault } from "../../core/src/session/TransportFault.ts"
import { portOf } from "../../core/src/settings/Target.ts"
import { type Dialer, http, proxyAnswered } from "./Dialer.ts"

/** Longer than connecting may take, through a proxy and with TLS: whether it came to a connection is to be told. */
const patience = "60 seconds"

export interface Contact {
  readonly status: number
  /** Address of the other end of the connection, the host's own without a proxy. */
  readonly address: string | null
  /** Value of the header field `Date`. */
  readonly date: string | null
  /** TLS version and certificate of the host, which ends at `validTo` in ms since 1970; null for http. */
  readonly tls: { readonly protocol: string; readonly issuer: string; readonly validTo: number } | null
}

const certificateOf = (socket: net.Socket): Contact["tls"] => {
  if (!(socket instanceof TLSSocket)) return null
  const { issuer, valid_to } = socket.getPeerCertificate()
  return {
    protocol: socket.getProtocol() ?? "TLS",
    issuer: String(issuer?.O ?? issuer?.CN ?? "an unnamed authority"),
    validTo: new Date(valid_to).getTime()
  }
}

/** `HEAD` on the URL, without cookie or account, on a connection of its own. */
export const head = (dialer: Dialer, url: URL, userAgent: string): Effect.Effect<Contact, TransportFault> =>
  Effect.callback<Contact, TransportFault>((resume) => {
    const { agent, forwarder, headers, path } = dialer.dial(url, "single")
    const request = http.request({
      method: "HEAD",
      host: url.hostname,
      port: portOf(url),
      path,
      headers: { "user-agent": userAgent, ...headers, host: url.host },
      agent
    })
    request.once("error", (error) => resume(Effect.fail(faultOfCause(error))))
    request.once("response", (response) => {
      const status = response.statusCode ?? 0
      resume(
        status === 407 && forwarder !== null
          ? Effect.fail(proxyAnswered(forwarder, status, response.headers["proxy-authenticate"]))
          : Effect.succeed({
              status,
              address: response.socket.remoteAddress ?? null,
              date: response.headers.date ?? null,
              tls: certificateOf(response.socket)
            })
      )
      response.destroy()
    })
    request.end()
    return Effect.sync(() => request.destroy())
  }).pipe(
    Effect.timeoutOrElse({
      duration: patience,
      orElse: () => Effect.fail(new TransportFault({ kind: "Broken", reason: `no answer within ${patience}` }))
    })
  )
