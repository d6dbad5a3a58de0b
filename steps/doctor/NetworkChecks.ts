/** Checks of the way to the service: name, connection, proxy, TLS, an answer, its clock. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type ConfigUnusable, Unavailable } from "../../core/src/Errors.ts"
import { refusalOf, type TransportFault } from "../../core/src/session/TransportFault.ts"
import type { ProxyAddress } from "../../core/src/settings/Settings.ts"
import { portOf } from "../../core/src/settings/Target.ts"
import { isLoopback } from "../../core/src/text/HostReach.ts"
import { makeDialer } from "../../platform/http/ApiHttp.ts"
import { connect, head, resolve } from "../../platform/http/HostProbe.ts"
import { type AskingCheck, type AskingFailure, adviceOn } from "./Advice.ts"
import {
  type Check,
  fail,
  judgeCertificate,
  judgeClock,
  networkNames,
  ok,
  skipped,
  skippedAfter,
  warn
} from "./Check.ts"

export interface Way {
  readonly baseUrl: URL
  readonly proxy: ProxyAddress | null
  readonly caFile: string | null
  readonly userAgent: string
  /** A variable that names a proxy for other programs, and that no step reads; null when none is set. */
  readonly ignored: string | null
}

const failed = (check: AskingCheck, error: AskingFailure) => fail(check, error, adviceOn(check, error))

const unavailableError = (host: string, { reason }: { readonly reason: string }) =>
  new Unavailable({ host, reason, attempts: 1 })

/** The checks in order; those after a failed one are skipped. */
export const checkNetwork = Effect.fn("svc.step.checkNetwork")(function* (
  way: Way
): Effect.fn.Return<ReadonlyArray<Check>, ConfigUnusable, Scope.Scope> {
  const { baseUrl, ignored } = way
  const hint = way.proxy !== null || ignored === null ? "" : `. ${ignored} is set, but only SVC_PROXY (--proxy) is used`
  const dialer = yield* makeDialer({ proxy: way.proxy, caFile: way.caFile })
  const proxy = dialer.proxyFor(baseUrl.hostname, portOf(baseUrl))
  const first = proxy?.url ?? baseUrl
  const role = proxy === null ? "" : "the proxy "
  const name = `${role}${first.hostname}`
  const place = `${role}${first.hostname}:${portOf(first)}`
  const unreached = (check: "dns" | "tcp", where: string, fault: TransportFault) => {
    const error = unavailableError(where, fault)
    return fail(check, error, `${adviceOn(check, error, proxy !== null)}${hint}`)
  }

  const found = yield* Effect.result(resolve(first.hostname))
  if (found._tag === "Failure") {
    return [unreached("dns", name, found.failure), ...skippedAfter(networkNames, "dns")]
  }
  const dns = ok("dns", `${name} is ${found.success.join(", ")}`)

  const reached = yield* Effect.result(connect(first.hostname, portOf(first)))
  if (reached._tag === "Failure") {
    return [dns, unreached("tcp", place, reached.failure), ...skippedAfter(networkNames, "tcp")]
  }
  const tcp = ok("tcp", `${place} accepts connections (${reached.success} ms)`)

  const before = yield* Clock.currentTimeMillis
  const answered = yield* Effect.result(head(dialer, baseUrl, way.userAgent))
  const now = yield* Clock.currentTimeMillis
  const proxied = checkProxy(way, proxy)
  if (answered._tag === "Failure") {
    const fault = answered.failure
    const error = refusalOf(baseUrl.host, fault) ?? unavailableError(baseUrl.host, fault)
    if (fault.kind === "Proxy") {
      return [dns, tcp, failed("proxy", error), ...skippedAfter(networkNames, "proxy")]
    }
    const way = [dns, tcp, proxy === null ? proxied : skipped("proxy", "no answer came through it")]
    return fault.kind === "Tls"
      ? [...way, failed("tls", error), ...skippedAfter(networkNames, "tls")]
      : [...way, skipped("tls", "no answer came"), failed("service", error), skipped("clock", "needs service")]
  }
  const { date, status, tls } = answered.success
  const plain = isLoopback(baseUrl.hostname)
    ? ok("tls", "not used: the service is on this computer")
    : warn("tls", "not used: the password travels in clear text", "Use the https address of the service")
  const service =
    status >= 500
      ? failed("service", unavailableError(baseUrl.host, { reason: `status ${status}` }))
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

export const noNetwork = (why: string): ReadonlyArray<Check> => networkNames.map((name) => skipped(name, why))
