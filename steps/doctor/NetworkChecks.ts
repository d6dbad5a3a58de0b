/** Checks of the way to the service: name, connection, proxy, TLS, an answer, its clock. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type Check, fail, judgeCertificate, judgeClock, ok, skipped, warn } from "../../core/src/doctor/Check.ts"
import { type ConfigUnusable, ProxyRefused, TlsRefused, Unavailable } from "../../core/src/Errors.ts"
import type { TransportFault } from "../../core/src/session/TransportFault.ts"
import type { ProxyAddress } from "../../core/src/settings/Settings.ts"
import { portOf } from "../../core/src/settings/Target.ts"
import { isLoopback } from "../../core/src/text/HostReach.ts"
import { makeDialer } from "../../platform/http/ApiHttp.ts"
import { connect, head, resolve } from "../../platform/http/HostProbe.ts"

export interface Way {
  readonly baseUrl: URL
  readonly proxy: ProxyAddress | null
  readonly caFile: string | null
  readonly userAgent: string
  /** A variable that names a proxy for other programs, and that no step reads; null when none is set. */
  readonly ignored: string | null
}

const advice = {
  dns: "Check the spelling of --target, and the network (VPN?) of this computer",
  tcp: "Check the port, the network (VPN, firewall), and whether a proxy is needed (--proxy)",
  proxyAddress: "Check the address of the proxy (--proxy, SVC_PROXY), and the network of this computer",
  proxy: "Check --proxy, SVC_PROXY_USER and SVC_PROXY_PASS",
  tls: "Ask for the certificate of your authority and give it with --caFile; never switch the check off",
  service: "The service is down or not at this address: check --target, then ask whoever runs it"
}

const unavailableError = (host: string, { reason }: { readonly reason: string }) =>
  new Unavailable({ host, reason, attempts: 1 })

const errorOf = (host: string, fault: TransportFault) =>
  fault.kind === "Tls"
    ? new TlsRefused({ host: fault.proxy ?? host, reason: fault.reason })
    : fault.kind === "Proxy"
      ? new ProxyRefused({
          proxy: fault.proxy ?? "",
          status: fault.status ?? 0,
          ...(fault.offers === undefined ? {} : { offers: fault.offers })
        })
      : unavailableError(host, fault)

/** The checks in order; those after a failed one are skipped. */
export const checkNetwork = Effect.fn("svc.step.checkNetwork")(function* (
  way: Way
): Effect.fn.Return<ReadonlyArray<Check>, ConfigUnusable, Scope.Scope> {
  const { baseUrl, ignored } = way
  const hint = way.proxy !== null || ignored === null ? "" : `. ${ignored} is set, but only SVC_PROXY (--proxy) is used`
  const dialer = yield* makeDialer({ proxy: way.proxy, caFile: way.caFile })
  const proxy = dialer.proxyFor(baseUrl.hostname, portOf(baseUrl))
  const first = proxy?.url ?? baseUrl
  const skippedAfter = (names: ReadonlyArray<string>, failed: string) =>
    names.map((name) => skipped(name, `needs ${failed}`))

  const role = proxy === null ? "" : "the proxy "
  const name = `${role}${first.hostname}`
  const place = `${role}${first.hostname}:${portOf(first)}`
  const adviceOn = (check: "dns" | "tcp") => `${proxy === null ? advice[check] : advice.proxyAddress}${hint}`

  const found = yield* Effect.result(resolve(first.hostname))
  if (found._tag === "Failure") {
    return [
      fail("dns", unavailableError(name, found.failure), adviceOn("dns")),
      ...skippedAfter(["tcp", "proxy", "tls", "service", "clock"], "dns")
    ]
  }
  const dns = ok("dns", `${name} is ${found.success.join(", ")}`)

  const reached = yield* Effect.result(connect(first.hostname, portOf(first)))
  if (reached._tag === "Failure") {
    return [
      dns,
      fail("tcp", unavailableError(place, reached.failure), adviceOn("tcp")),
      ...skippedAfter(["proxy", "tls", "service", "clock"], "tcp")
    ]
  }
  const tcp = ok("tcp", `${place} accepts connections (${reached.success} ms)`)

  const before = yield* Clock.currentTimeMillis
  const answered = yield* Effect.result(head(dialer, baseUrl, way.userAgent))
  const now = yield* Clock.currentTimeMillis
  const proxied = checkProxy(way, proxy)
  if (answered._tag === "Failure") {
    const fault = answered.failure
    const error = errorOf(baseUrl.host, fault)
    if (fault.kind === "Proxy") {
      return [dns, tcp, fail("proxy", error, advice.proxy), ...skippedAfter(["tls", "service", "clock"], "proxy")]
    }
    const way = [dns, tcp, proxy === null ? proxied : skipped("proxy", "no answer came through it")]
    return fault.kind === "Tls"
      ? [...way, fail("tls", error, advice.tls), ...skippedAfter(["service", "clock"], "tls")]
      : [
          ...way,
          skipped("tls", "no answer came"),
          fail("service", error, advice.service),
          skipped("clock", "needs service")
        ]
  }
  const { date, status, tls } = answered.success
  const plain = isLoopback(baseUrl.hostname)
    ? ok("tls", "not used: the service is on this computer")
    : warn("tls", "not used: the password travels in clear text", "Use the https address of the service")
  const service =
    status >= 500
      ? fail("service", unavailableError(baseUrl.host, { reason: `status ${status}` }), advice.service)
      : ok("service", `${baseUrl.href} answers (status ${status}, ${now - before} ms)`)
  return [
    dns,
    tcp,
    proxied,
    tls === null ? plain : judgeCertificate(tls, tls.protocol, now),
    service,
    judgeClock(date, before, now)
  ]
}, Effect.scoped)

const checkProxy = ({ ignored, proxy }: Way, used: ProxyAddress | null): Check => {
  if (used !== null) return ok("proxy", `${used.url.host} passes requests on`)
  if (proxy !== null) return ok("proxy", `${proxy.url.host} is not used for this host (NO_PROXY)`)
  return ignored === null
    ? ok("proxy", "none is set")
    : warn(
        "proxy",
        `${ignored} is set but not used`,
        "When this network needs the proxy, set SVC_PROXY (--proxy) to it"
      )
}

export const noNetwork = (why: string): ReadonlyArray<Check> =>
  ["dns", "tcp", "proxy", "tls", "service", "clock"].map((name) => skipped(name, why))
