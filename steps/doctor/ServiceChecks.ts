/** Checks of the service itself: one login, one harmless request, one byte of a file, the logout. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import * as Scope from "effect/Scope"
import { ServiceClient } from "../../core/src/client/ServiceClient.ts"
import { AnalysisId } from "../../core/src/contract/Ids.ts"
import { LinkForbidden, LinkProtocol, Unavailable } from "../../core/src/Errors.ts"
import { Session } from "../../core/src/session/Session.ts"
import { makeSessionProfile } from "../../core/src/session/SessionSettings.ts"
import type { Settings } from "../../core/src/settings/Settings.ts"
import { LinkHost } from "../../core/src/transfer/LinkHost.ts"
import { judge } from "../../core/src/transfer/RangeReply.ts"
import { withBeginning } from "../../core/src/transfer/ReplyBody.ts"
import * as ApiHttp from "../../platform/http/ApiHttp.ts"
import * as LinkHttp from "../../platform/http/LinkHttp.ts"
import * as AccountLockFiles from "../../platform/locks/AccountLockFiles.ts"
import { version } from "../main/Version.ts"
import { adviceOn } from "./Advice.ts"
import { type Check, fail, ok, serviceNames, skipped, skippedAfter, warn } from "./Check.ts"

const patience = "60 seconds"

/** `links` is skipped without an analysis. */
export const checkService = Effect.fn("svc.step.checkService")(function* (settings: Settings, analysis: string | null) {
  const { apiTimeout, baseUrl, caFile, lockDir, password, proxy, token, username } = settings
  const profile = makeSessionProfile(version)
  const logout = yield* Ref.make<number | null>(null)

  /** Watches the requests of the session, to see its logout, of which the session says nothing. */
  const watched = Layer.effect(
    HttpClient.HttpClient,
    Effect.map(
      HttpClient.HttpClient,
      HttpClient.tap((response) =>
        new URL(response.request.url).pathname.endsWith(profile.logoutPath)
          ? Ref.set(logout, response.status)
          : Effect.void
      )
    )
  ).pipe(Layer.provide(ApiHttp.layer({ proxy, caFile })))
  // Two tries in all: the doctor is to say what is wrong, not to get through.
  const session = Session.layer({ baseUrl, username, password, token, profile, apiTimeout, tries: 2 }).pipe(
    Layer.provide([watched, AccountLockFiles.layer({ lockDir })])
  )
  const services = Layer.mergeAll(
    ServiceClient.layer.pipe(Layer.provide(session)),
    LinkHttp.layer({ proxy, caFile, target: baseUrl, userAgent: profile.userAgent })
  )

  return yield* Effect.acquireUseRelease(
    Scope.make(),
    (scope) =>
      Effect.gen(function* () {
        const before = yield* Clock.currentTimeMillis
        const opened = yield* Layer.buildWithScope(services, scope).pipe(
          Effect.timeoutOrElse({
            duration: patience,
            orElse: () => {
              const reason = `no login within ${patience}: perhaps another step holds the lock of the account`
              return Effect.fail(new Unavailable({ host: baseUrl.host, reason, attempts: 1 }))
            }
          }),
          Effect.result
        )
        if (opened._tag === "Failure") {
          const error = opened.failure
          return [fail("login", error, adviceOn("login", error)), ...skippedAfter(serviceNames, "login")]
        }
        const took = (yield* Clock.currentTimeMillis) - before
        const login =
          token === null
            ? ok("login", `${username} is logged in (${took} ms)`)
            : skipped("login", "the gateway logs in; requests show whether it takes the token")
        const api = yield* Effect.provide(apiCheck, opened.success)
        const links = yield* Effect.provide(linksCheck(analysis), opened.success)
        // The logout happens now.
        yield* Scope.close(scope, Exit.void)
        const ended =
          token === null ? logoutCheck(yield* Ref.get(logout)) : skipped("logout", "the session is the gateway's")
        return [login, api, links, ended]
      }),
    (scope, exit) => Scope.close(scope, exit)
  )
})

export const noService = (why: string): ReadonlyArray<Check> => serviceNames.map((name) => skipped(name, why))

const logoutCheck = (status: number | null): Check =>
  status !== null && status < 400
    ? ok("logout", `the session is closed (status ${status})`)
    : warn(
        "logout",
        status === null ? "no answer to the logout" : `the logout was answered with status ${status}`,
        "Sessions stay open until they expire; the next login works all the same"
      )

const apiCheck = Effect.gen(function* () {
  const client = yield* ServiceClient
  const before = yield* Clock.currentTimeMillis
  return yield* Effect.matchEffect(client.getVirtualPanelSummaries, {
    onFailure: (error) => Effect.succeed(fail("api", error, adviceOn("api", error))),
    onSuccess: (panels) =>
      Effect.map(Clock.currentTimeMillis, (now) =>
        ok("api", `a request is answered (${panels.length} virtual panels, ${now - before} ms)`)
      )
  })
})

/** Asks for one byte of the first file that is not archived. */
const linksCheck = (analysis: string | null) =>
  Effect.gen(function* () {
    const name = "links"
    if (analysis === null) return skipped(name, "give an analysis with -a to look at its link host")
    const client = yield* ServiceClient
    const { apiFileLinks } = yield* client.getFileDownloadLinks(AnalysisId.make(analysis))
    const file = apiFileLinks.find(
      ({ currentlyArchived, downloadLink }) => downloadLink != null && currentlyArchived !== true
    )
    if (file?.downloadLink == null) {
      return warn(name, `analysis ${analysis} has no file outside the archive`, "Give another analysis with -a")
    }
    const links = yield* LinkHost
    const title = file.fileName ?? "a file"
    const range = "bytes=0-0"
    const asked = { first: 0, end: 1, range: true, size: file.size ?? null, known: null }
    const reply = yield* links.get({ file: title, link: file.downloadLink, range }).pipe(
      Effect.flatMap((it) => withBeginning(asked, it)),
      Effect.timeoutOrElse({
        duration: patience,
        orElse: () =>
          Effect.fail(new Unavailable({ host: "the link host", reason: `no answer within ${patience}`, attempts: 1 }))
      })
    )
    const verdict = judge(asked, reply)
    const { host, status } = reply
    switch (verdict._tag) {
      case "Bytes":
        return ok(name, `${host} gives parts of files: transfers can go on where they stopped`)
      case "RangeIgnored":
        return warn(name, `${host} gives whole files only`, "Downloads work, but start over when they break")
      case "Redirect":
        return warn(
          name,
          `${host} sends to another place (status ${status})`,
          "Downloads follow, if the place is allowed"
        )
      case "Stale":
        return yield* new LinkForbidden({ file: title, host, status })
      case "Later":
        return yield* new Unavailable({ host, reason: verdict.reason, attempts: 1 })
      case "Wrong":
      case "Changed":
        return yield* new LinkProtocol({ file: title, host, reason: verdict.reason })
      case "WrongSize":
        return yield* new LinkProtocol({
          file: title,
          host,
          reason: `has ${verdict.size} bytes, and the listing says ${file.size}`
        })
    }
  }).pipe(
    Effect.scoped,
    Effect.catchTag("LinkBroken", ({ host, reason }) => new Unavailable({ host, reason, attempts: 1 })),
    Effect.catch((error) => Effect.succeed(fail("links", error, adviceOn("links", error))))
  )
