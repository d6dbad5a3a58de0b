/** Looks at the way to a host step by step: its name, a connection, TLS, one harmless request. */
import net from "node:net"
import { TLSSocket } from "node:tls"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { faultOfCause, TransportFault } from "../../core/src/session/TransportFault.ts"
import { portOf } from "../../core/src/settings/Target.ts"
import { bareHost } from "../../core/src/text/HostReach.ts"
import { type Dialer, proxyAnswered } from "./Dialer.ts"
import { resolveAll } from "./LinkDialing.ts"
import { http } from "./NodeHttp.ts"

/** How long a step may take, in ms. */
const patience = 15_000

const limitTime = <A>(self: Effect.Effect<A, TransportFault>) =>
  Effect.timeoutOrElse(self, {
    duration: patience,
    orElse: () => Effect.fail(new TransportFault({ kind: "NotSent", reason: `nothing within ${patience / 1000} s` }))
  })

/** The addresses of a host; an address is its own. */
export const resolve = (hostname: string): Effect.Effect<ReadonlyArray<string>, TransportFault> =>
  resolveAll(bareHost(hostname)).pipe(
    Effect.map((addresses) => addresses.map(({ address }) => address)),
    limitTime
  )

/** Connects and hangs up; how long it took, in ms. */
export const connect = (hostname: string, port: number): Effect.Effect<number, TransportFault> =>
  Effect.callback<void, TransportFault>((resume) => {
    const socket = net.connect({ host: bareHost(hostname), port })
    socket.once("error", (error) => resume(Effect.fail(faultOfCause(error))))
    socket.once("connect", () => resume(Effect.void))
    return Effect.sync(() => socket.destroy())
  }).pipe(
    limitTime,
    measureTime,
    Effect.map(([, milliseconds]) => milliseconds)
  )

const measureTime = <A, E>(self: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const before = yield* Clock.currentTimeMillis
    const value = yield* self
    return [value, (yield* Clock.currentTimeMillis) - before] as const
  })

export interface Contact {
  readonly status: number
  /** Value of the header field `Date`. */
  readonly date: string | null
  /** TLS version and certificate of the host; null for http. */
  readonly tls: { readonly protocol: string; readonly issuer: string; readonly validTo: number } | null
}

const tlsOf = (socket: net.Socket): Contact["tls"] => {
  if (!(socket instanceof TLSSocket)) return null
  const { issuer, valid_to } = socket.getPeerCertificate()
  const nameOf = (field: string | ReadonlyArray<string> | undefined) =>
    typeof field === "string" ? field : field?.join(", ")
  return {
    protocol: socket.getProtocol() ?? "TLS",
    issuer: nameOf(issuer?.O) ?? nameOf(issuer?.CN) ?? "an unnamed authority",
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
          : Effect.succeed({ status, date: response.headers.date ?? null, tls: tlsOf(response.socket) })
      )
      response.destroy()
    })
    request.end()
    return Effect.sync(() => request.destroy())
  }).pipe(limitTime)
