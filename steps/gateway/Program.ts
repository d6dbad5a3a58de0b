/** The program of `svc-gateway`: check who may come, listen, log in, say where, and serve until a signal ends it. */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Queue from "effect/Queue"
import * as Ref from "effect/Ref"
import * as Result from "effect/Result"
import { ServiceClient } from "../../core/src/client/ServiceClient.ts"
import { TokenFileUnusable } from "../../core/src/Errors.ts"
import { FileBytes } from "../../core/src/serving/FileBytes.ts"
import { LinkStore } from "../../core/src/serving/LinkStore.ts"
import { Restorations } from "../../core/src/serving/Restorations.ts"
import { ServiceAccess } from "../../core/src/serving/ServiceAccess.ts"
import { Tickets } from "../../core/src/serving/Tickets.ts"
import { Session } from "../../core/src/session/Session.ts"
import { makeSessionProfile } from "../../core/src/session/SessionSettings.ts"
import type { Settings } from "../../core/src/settings/Settings.ts"
import { isLoopback } from "../../core/src/text/HostReach.ts"
import { counted } from "../../core/src/text/Quantity.ts"
import { Scrubber } from "../../core/src/text/Scrubber.ts"
import { defaultSettings, LinkPool } from "../../core/src/transfer/LinkPool.ts"
import { start } from "../../gateway/Gateway.ts"
import { GatewaySettings } from "../../gateway/GatewaySettings.ts"
import * as Metrics from "../../gateway/Metrics.ts"
import { type NamedReader, parseReaders } from "../../gateway/Readers.ts"
import * as ApiHttp from "../../platform/http/ApiHttp.ts"
import * as CookieJars from "../../platform/http/CookieJars.ts"
import * as LinkHttp from "../../platform/http/LinkHttp.ts"
import * as ZlibCodec from "../../platform/inflate/ZlibCodec.ts"
import { textIn } from "../../platform/inputs/InputFile.ts"
import { exposure, readSmallFile } from "../../platform/inputs/PrivateFile.ts"
import * as AccountLockFiles from "../../platform/locks/AccountLockFiles.ts"
import { openLogFile } from "../../platform/terminal/LogFile.ts"
import { makeServiceProgram, Stopping, valuesOf, withProblems } from "../main/Program.ts"
import { linePrinter, printLines } from "../main/StandardOutput.ts"
import type { ValuesOf } from "../main/Step.ts"
import { version } from "../main/Version.ts"
import type { options } from "./GatewayStep.ts"

/** How long the gateway waits for the first login before it announces its address; the login goes on after that. */
const firstLogin = "5 seconds"

type Values = ValuesOf<typeof options>

export const program = makeServiceProgram(
  (_settings, _operands, own) => {
    const values = valuesOf<typeof options>(own)
    const { allowOrigin, host, publicUrl, socket, tokenFile } = values
    const problems: Array<string> = []
    if (socket !== null && (own.given("host") || own.given("port"))) {
      problems.push("--socket takes the place of --host and --port: give either")
    }
    if (socket === null && tokenFile === null && !isLoopback(host)) {
      problems.push(`--host ${host} lets other computers in: give --tokenFile FILE with a secret that they must show`)
    }
    if (tokenFile === null && allowOrigin.includes("*")) {
      problems.push("--allowOrigin * lets every page of the web read: give --tokenFile FILE, or the origins")
    }
    for (const origin of allowOrigin) {
      if (origin !== "*" && !(URL.canParse(origin) && new URL(origin).origin === origin)) {
        problems.push(`Invalid value for --allowOrigin: "${origin}": expected an origin such as https://igv.org`)
      }
    }
    if (publicUrl !== null && !isPublicUrl(publicUrl)) {
      problems.push(`Invalid value for --publicUrl: "${publicUrl}": expected an http or https address without a query`)
    } else if (publicUrl !== null && tokenFile === null && !isLoopback(new URL(publicUrl).hostname)) {
      problems.push(
        `--publicUrl ${publicUrl} lets other computers in: give --tokenFile FILE with what readers must show`
      )
    }
    return withProblems(Result.succeed(values), problems)
  },
  Effect.fnUntraced(function* (settings: Settings, values: Values) {
    const { accessLog, host, port, publicUrl, queueTimeout, socket, tokenFile, ...given } = values
    const stopping = yield* Stopping
    const serving = Effect.gen(function* () {
      const access = yield* ServiceAccess
      const url = yield* start
      yield* Effect.timeoutOption(Effect.raceFirst(Effect.asVoid(access.client), access.lost), firstLogin)
      yield* printLines(JSON.stringify(socket === null ? { url } : { url, socket }))
      // A gateway only serves, so one that is stopped by a signal has succeeded: exit code 0.
      yield* stopping.endWith(0)
      return yield* Effect.tapError(access.lost, () => stopping.endWith(null))
    })
    return yield* Effect.gen(function* () {
      const files = yield* openFiles(values)
      return yield* serving.pipe(
        Effect.provideService(GatewaySettings, {
          ...given,
          ...files,
          address: socket === null ? { host, port } : { socket },
          publicUrl: publicUrl?.replace(/\/+$/, "") ?? null,
          version
        }),
        Effect.provide(wiring(settings, queueTimeout))
      )
    }).pipe(Effect.scoped)
  })
)

/** Who may read and where that is written down; SIGHUP has both files looked at again, and ends no reading. */
const openFiles = Effect.fnUntraced(function* ({
  accessLog: path,
  tokenFile
}: Pick<Values, "accessLog" | "tokenFile">) {
  /** What signals and closing connections want done, which are outside of any effect. */
  const errands = yield* Queue.unbounded<Effect.Effect<void>>()
  yield* Effect.forkScoped(Effect.forever(Effect.flatten(Queue.take(errands))))
  const file =
    path === null || path === "-"
      ? null
      : yield* openLogFile(path, (problem) => void Queue.offerUnsafe(errands, Effect.logError(problem)))
  const print = yield* linePrinter
  const write = file === null ? print : (line: string) => file.append(`${line}\n`)
  const accessLog = path === null ? null : { write }
  if (tokenFile === null) {
    if (file !== null) yield* (yield* Stopping).onHangup(file.reopen)
    return { accessLog, readers: null }
  }
  const readers = yield* Ref.make(yield* readTokenFile(tokenFile))
  const readAgain = readTokenFile(tokenFile).pipe(
    Effect.flatMap((found) =>
      Effect.andThen(
        Ref.set(readers, found),
        Effect.logInfo(`Read ${tokenFile} again: ${counted(found.length, "reader")}`)
      )
    ),
    Effect.catch((error) => Effect.logError(`${error.message}; the readers of before stay`))
  )
  yield* (yield* Stopping).onHangup(() => {
    file?.reopen()
    Queue.offerUnsafe(errands, readAgain)
  })
  return { accessLog, readers }
})

/** Of a token file, in bytes: some ten thousand readers. */
const longest = 1024 * 1024

/** Whom the file names; from here on their tokens appear in no line of the log. Logs a warning when others may read the file. */
export const readTokenFile = Effect.fn("svc.step.readTokenFile")(function* (
  path: string
): Effect.fn.Return<ReadonlyArray<NamedReader>, TokenFileUnusable> {
  const unusable = (reason: string) => new TokenFileUnusable({ path, reason })
  const scrubber = yield* Scrubber
  const file = yield* Effect.mapError(readSmallFile(path, longest), unusable)
  yield* Effect.forEach(exposure(path, file), (warning) => Effect.logWarning(warning), { discard: true })
  if (file.bytes.length > longest) return yield* unusable("it is longer than 1 MB")
  const text = yield* textIn(file.bytes, unusable)
  const readers = yield* Effect.fromResult(Result.mapError(parseReaders(text), unusable))
  for (const { token } of readers) scrubber.protect(token)
  return readers
})

const isPublicUrl = (text: string) => /^https?:\/\/[^?#@]+$/.test(text) && URL.canParse(text)

/** Each reader of bytes has one of its own, which a reader that pauses keeps. */
const connections = 1024

/**
 * What goes through is passed on early: waiting for more leaves the reader idle (bench/README.md). A reader that takes nothing holds
 * twice as much. Bytes.
 */
const batch = 64 * 1024

/** @param queueTimeout - how long a reader waits for its turn while the service answers others */
const wiring = ({ baseUrl, caFile, lockDir, password, proxy, username }: Settings, queueTimeout: Duration.Duration) => {
  const profile = makeSessionProfile(version)

  /** Counts the logins of the session, which does not count them itself. */
  const watched = Layer.effect(
    HttpClient.HttpClient,
    Effect.map(
      HttpClient.HttpClient,
      HttpClient.tapRequest(({ method, url }) =>
        method === "POST" && new URL(url).pathname.endsWith(profile.loginPath)
          ? Metric.update(Metrics.logins, 1)
          : Effect.void
      )
    )
  ).pipe(Layer.provide(ApiHttp.layer({ proxy, caFile })))
  const session = Session.layer({ baseUrl, username, password, profile }).pipe(
    Layer.provide([watched, AccountLockFiles.layer({ lockDir }), CookieJars.layer])
  )
  const access = ServiceAccess.layer(ServiceClient.layer.pipe(Layer.provide(session)))
  const linkHosts = Layer.merge(
    LinkHttp.layer({ proxy, caFile, target: baseUrl, userAgent: profile.userAgent, batch }),
    LinkPool.layer({ ...defaultSettings, connections })
  )
  return Layer.mergeAll(Tickets.layer, Restorations.layer).pipe(
    Layer.provideMerge(FileBytes.layer),
    Layer.provideMerge(LinkStore.layer(queueTimeout)),
    Layer.provideMerge(access),
    Layer.provide([linkHosts, ZlibCodec.layer])
  )
}
