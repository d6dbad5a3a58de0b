/** The checks that ask: by one harmless request the way to the service, then the service itself, or the gateway in front of it. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { ServiceClient } from "../../core/src/client/ServiceClient.ts"
import { Unavailable } from "../../core/src/Errors.ts"
import { Session } from "../../core/src/session/Session.ts"
import { makeSessionProfile } from "../../core/src/session/SessionSettings.ts"
import { refusalOf } from "../../core/src/session/TransportFault.ts"
import type { Settings, TargetSettings } from "../../core/src/settings/Settings.ts"
import { ignoredVariable, portOf } from "../../core/src/settings/Target.ts"
import { isLoopback } from "../../core/src/text/HostReach.ts"
import * as ApiHttp from "../../platform/http/ApiHttp.ts"
import { head } from "../../platform/http/HostProbe.ts"
import * as AccountLockFiles from "../../platform/locks/AccountLockFiles.ts"
import { version } from "../main/Version.ts"
import { adviceOn } from "./Advice.ts"
import { fail, judgeCertificate, judgeClock, ok, skipped, skippedFor, warn } from "./Check.ts"

const profile = makeSessionProfile(version)

/** Address, certificate and clock. */
export const checkNetwork = Effect.fn("svc.step.checkNetwork")(
  function* ({ baseUrl, caFile, proxy: given }: TargetSettings) {
    /** A variable that names a proxy for other programs, and that no step reads. */
    const ignored = given === null ? ignoredVariable(process.env, baseUrl) : null
    const dialer = yield* ApiHttp.makeDialer({ proxy: given, caFile })
    const proxy = dialer.proxyFor(baseUrl.hostname, portOf(baseUrl))
    const unavailable = (reason: string) => new Unavailable({ host: baseUrl.host, reason, attempts: 1 })

    const before = yield* Clock.currentTimeMillis
    const answered = yield* Effect.result(head(dialer, baseUrl, profile.userAgent))
    const now = yield* Clock.currentTimeMillis
    if (answered._tag === "Failure") {
      const { kind, noSuchHost, reason } = answered.failure
      const error = refusalOf(baseUrl.host, answered.failure) ?? unavailable(reason)
      if (kind === "Tls") {
        const reached = ok("address", `${(proxy?.url ?? baseUrl).host} accepts connections`)
        return [reached, fail("tls", error, adviceOn("tls", error)), ...skippedFor("tls", ["clock"])]
      }
      const direct = noSuchHost === true ? "name" : "connection"
      const unsent = kind === "NotSent" || kind === "Proxy"
      const advice = adviceOn(!unsent ? "address" : proxy === null ? direct : "proxy", error)
      const hint = ignored === null ? advice : `${advice}. ${ignored} is set, but only SVC_PROXY (--proxy) is used`
      return [fail("address", error, hint), ...skippedFor("address", ["tls", "clock"])]
    }

    const { address, date, status, tls } = answered.success
    const passed = given === null ? "" : `, and not through the proxy ${given.url.host} (NO_PROXY)`
    const way = proxy === null ? `at ${address}${passed}` : `through the proxy ${proxy.url.host}`
    const says = `${baseUrl.href} answers ${way} (status ${status}, ${now - before} ms)`
    const down = unavailable(`status ${status}`)
    const plain = isLoopback(baseUrl.hostname)
      ? ok("tls", "not used: the service is on this computer")
      : warn("tls", "not used: the password travels in clear text", "Use the https address of the service")
    return [
      status >= 500
        ? fail("address", down, adviceOn("address", down))
        : ignored === null
          ? ok("address", says)
          : warn(
              "address",
              `${says}; ${ignored} is set but not used`,
              "When this network needs the proxy, set SVC_PROXY (--proxy) to it"
            ),
      tls === null ? plain : judgeCertificate(tls, now),
      judgeClock(date, before, now)
    ]
  },
  Effect.scoped,
  Effect.catch((error) =>
    Effect.succeed([fail("tls", error, adviceOn("tls", error)), ...skippedFor("tls", ["address", "clock"])])
  )
)

const patience = "60 seconds"

/** With a token the login is the gateway's, and without one there is no gateway. */
export const checkService = Effect.fn("svc.step.checkService")(function* (settings: Settings) {
  const { apiTimeout, baseUrl, caFile, lockDir, password, proxy, token, username } = settings
  // Two tries in all: the doctor is to say what is wrong, not to get through.
  const session = Session.layer({ baseUrl, username, password, token, profile, apiTimeout, tries: 2 }).pipe(
    Layer.provide([ApiHttp.layer({ proxy, caFile }), AccountLockFiles.layer({ lockDir })])
  )
  const asked = yield* Layer.build(Layer.provide(ServiceClient.layer, session)).pipe(
    Effect.timeoutOrElse({
      duration: patience,
      orElse: () => {
        const reason = `no login within ${patience}: perhaps another step holds the lock of the account`
        return Effect.fail(new Unavailable({ host: baseUrl.host, reason, attempts: 1 }))
      }
    }),
    Effect.flatMap((context) => Context.get(context, ServiceClient).getVirtualPanelSummaries),
    Effect.timed,
    Effect.scoped,
    Effect.result
  )
  const name = token === null ? "login" : "gateway"
  const who = token === null ? `${username} is logged in` : `${baseUrl.host} takes the token`
  const check = Result.match(asked, {
    onFailure: (error) => fail(name, error, adviceOn(name, error)),
    onSuccess: ([took, { length }]) =>
      ok(
        name,
        `${who}, and a request is answered (${length} virtual panels, ${Math.round(Duration.toMillis(took))} ms)`
      )
  })
  return token === null
    ? [check, skipped("gateway", "no token is given: the service is asked itself")]
    : [skipped("login", "the gateway logs in"), check]
})
