/** Serves the files of analyses: listings, redirects to links, bytes, restorations. */
import type { ServerResponse } from "node:http"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as Cache from "effect/Cache"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Metric from "effect/Metric"
import { headOf } from "../core/src/serving/Conditions.ts"
import { type BytesError, FileBytes, unknownVersion } from "../core/src/serving/FileBytes.ts"
import { InArchive, LinkStore, type ServedFile } from "../core/src/serving/LinkStore.ts"
import { Reader } from "../core/src/serving/Questions.ts"
import { makeReaderShare } from "../core/src/serving/ReaderShare.ts"
import { Restorations } from "../core/src/serving/Restorations.ts"
import { warnOf } from "../core/src/telemetry/FailureLog.ts"
import { printable } from "../core/src/text/Printable.ts"
import { LinkHost } from "../core/src/transfer/LinkHost.ts"
import { makeOutputTurns, makeReaderOutput } from "../platform/http/ReaderOutput.ts"
import { beginReading, CurrentReading } from "./AccessLog.ts"
import { Caller, fileUrl, json, makeFailures, mustMay } from "./Answers.ts"
import { GatewayApi } from "./GatewayApi.ts"
import { GatewaySettings } from "./GatewaySettings.ts"
import * as Metrics from "./Metrics.ts"
import { makeFolderPage, wantsPage } from "./PageHandlers.ts"

type Request = HttpServerRequest.HttpServerRequest

/** `HEAD` of one reader at a time. */
const mostHeads = 16

export const fileHandlers = HttpApiBuilder.group(
  GatewayApi,
  "files",
  Effect.fn(function* (handlers) {
    const store = yield* LinkStore
    const bytes = yield* FileBytes
    const restorations = yield* Restorations
    const { readerConnections, relay } = yield* GatewaySettings
    const failures = yield* makeFailures
    const links = yield* LinkHost
    const folderPage = yield* makeFolderPage
    const turns = makeOutputTurns()
    const redirectedVersion = yield* makeRedirectedVersion
    const sending = yield* makeReaderShare(readerConnections)
    // Of their own, so that they do not wait for the end of downloads.
    const heads = yield* makeReaderShare(mostHeads)

    /** A page cannot read from a link host that allows none: ours asks for the bytes themselves. */
    const relays = ({ headers }: Request) => relay || headers["svc-relay"] !== undefined

    const list = Effect.fnUntraced(function* (analysisId: string) {
      yield* beginReading({ what: "list", analyses: [analysisId], file: null })
      yield* mustMay("read")
      const caller = yield* Caller
      const files = yield* store.files(analysisId)
      return json(200, {
        analysisId,
        files: files.map(({ archived, fileName, size }) => ({
          name: fileName,
          size,
          archived,
          url: fileUrl(caller, analysisId, fileName)
        }))
      })
    })

    const redirect = Effect.fnUntraced(function* (file: ServedFile) {
      const link = yield* store.handOut(file)
      const location = yield* links.approve({ file: file.fileName, link })
      const headers = { location, "cache-control": "no-store", "referrer-policy": "no-referrer", "content-length": "0" }
      return HttpServerResponse.empty({ status: 307, headers })
    })

    /** Determines the version before it sends the head. When the file changes before the first byte, it starts once more. */
    const sendBytes = Effect.fnUntraced(function* (file: ServedFile, request: Request) {
      const response = NodeHttpServerRequest.toServerResponse(request) as ServerResponse
      const reading = yield* CurrentReading
      const attempt = Effect.gen(function* () {
        const version = yield* bytes.version(file)
        const { end, first, headers, status } = headOf(version, request.headers)
        if (status !== 200 && status !== 206) return HttpServerResponse.empty({ status, headers })
        const output = makeReaderOutput(response, { status, headers }, () => {
          reading.cut = true
        })
        const turn = turns.of((yield* Reader).key)
        const write = (piece: Uint8Array) =>
          Effect.andThen(
            Effect.andThen(turn(piece.length), output.write(piece)),
            Effect.suspend(() => {
              reading.bytes = (reading.bytes ?? 0) + piece.length
              return Metric.update(Metrics.bytes, piece.length)
            })
          )
        return yield* bytes.send(file, version, { first, end }, write).pipe(
          Effect.andThen(output.end),
          Effect.as(HttpServerResponse.empty({ status })),
          Effect.catch((error) =>
            output.begun()
              ? warnOf(error, (sentence) => `${file.fileName} was cut: ${sentence}`).pipe(
                  Effect.andThen(output.cut),
                  Effect.as(HttpServerResponse.empty({ status }))
                )
              : Effect.fail(error)
          )
        )
      })
      return yield* Effect.catchTag(attempt, "FileChanged", () => attempt)
    })

    /** Not redirected, as link hosts refuse HEAD. Tag and date tell a program that resumes whether its copy is of this version. */
    const head = Effect.fnUntraced(function* (file: ServedFile, request: Request) {
      const version = yield* relays(request) ? bytes.version(file) : redirectedVersion(file)
      const { headers, status } = headOf(version, { ...request.headers, range: undefined })
      return HttpServerResponse.empty({ status, headers })
    })

    const get = Effect.fnUntraced(function* (analysisId: string, fileName: string, request: Request) {
      yield* beginReading({ what: "file", analyses: [analysisId], file: fileName })
      yield* mustMay("read")
      const file = yield* store.file(analysisId, fileName)
      if (file.archived) return yield* new InArchive({ file })
      if (request.method === "HEAD") return yield* heads(head(file, request))
      if (!relays(request)) return yield* redirect(file)
      // That one is in vain tells nothing of the others: they wait for the end of downloads.
      return yield* yield* sending(Effect.exit(sendBytes(file, request)))
    })

    /** What became of a request for a restoration is a line of the log, whatever it is: somebody pays for it. */
    const restore = Effect.fnUntraced(function* (analysisId: string, fileName: string) {
      yield* beginReading({ what: "restoration", analyses: [analysisId], file: fileName })
      const { key } = yield* Reader
      const say = (what: string) =>
        Effect.logInfo(`${printable(analysisId)}/${printable(fileName)}: restoration ${what}, by ${printable(key)}`)
      yield* Effect.tapError(mustMay("restore"), () => say("refused: neither --allowRestore nor may=restore allows it"))
      const file = yield* store.file(analysisId, fileName)
      if (!file.archived) {
        yield* say("not needed")
        return json(200, { archived: false, restoringSince: null, restoreEstimation: null })
      }
      const { estimation, joined, since } = yield* restorations.request(file)
      yield* say(joined ? "joined" : "asked for")
      return json(202, { archived: true, restoringSince: since, restoreEstimation: estimation })
    })

    return handlers
      .handleRaw("list", ({ params: { analysisId }, request }) =>
        wantsPage(request.url, request.headers["accept"])
          ? folderPage(analysisId, request)
          : Effect.catch(list(analysisId), failures.file(analysisId))
      )
      .handleRaw("file", ({ params, request }) =>
        Effect.catch(get(params.analysisId, params.fileName, request), failures.file(pathOf(params)))
      )
      .handleRaw("restore", ({ params }) =>
        Effect.catch(restore(params.analysisId, params.fileName), failures.file(pathOf(params)))
      )
  })
)

const pathOf = ({ analysisId, fileName }: { readonly analysisId: string; readonly fileName: string }) =>
  `${analysisId}/${fileName}`

/** How long a link host may take to answer while it is not known whether the gateway reaches it. */
const longestLook = Duration.seconds(3)
/** How long it is left alone after that. */
const silence = Duration.minutes(1)
/** Of how many link hosts is known whether they answer. */
const mostHosts = 1000

/** Failures that are no answer of a link host. */
const silent: ReadonlySet<BytesError["_tag"]> = new Set([
  "ServiceAway",
  "SvcUnavailable",
  "SvcTlsRefused",
  "SvcProxyRefused"
])

/** One of the files of a link host, by which it is found out whether that answers: whichever came first. */
class Probe extends Context.Service<Probe, ServedFile>()("svc-steps/gateway/Probe") {}

/** The version of a file whose bytes a reader gets from its link host: for HEAD, which link hosts refuse. */
export const makeRedirectedVersion = Effect.gen(function* () {
  const store = yield* LinkStore
  const bytes = yield* FileBytes
  const links = yield* LinkHost

  const answers = yield* Cache.makeWith(
    (_host: string) =>
      Effect.flatMap(Probe, bytes.version).pipe(
        Effect.as(true),
        // Whatever it says of this file, it is there.
        Effect.catch(({ _tag }) => Effect.succeed(!silent.has(_tag))),
        Effect.timeoutOrElse({ duration: longestLook, orElse: () => Effect.succeed(false) })
      ),
    {
      capacity: mostHosts,
      requireServicesAt: "lookup",
      timeToLive: (exit) => (Exit.isSuccess(exit) && exit.value ? Duration.infinity : silence)
    }
  )

  /**
   * A reader may reach a link host that the gateway does not, so as long as it has not answered, the size alone will do. Afterwards a
   * failure is one: a reader would take a file without its tag for another one.
   */
  return Effect.fnUntraced(function* (file: ServedFile) {
    const { size } = file
    // Of an empty file no link host is asked.
    if (size === null || size === 0) return yield* bytes.version(file)
    const { link } = yield* store.lend(file)
    const { host } = new URL(yield* links.approve({ file: file.fileName, link }))
    const reached = yield* Effect.provideService(Cache.get(answers, host), Probe, file)
    return reached ? yield* bytes.version(file) : { ...unknownVersion, size }
  })
})
