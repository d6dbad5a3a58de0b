/** Serves the page: where an analysis is chosen, its files, its scripts, and what the view in it asks for. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { FileSystem } from "effect/FileSystem"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Option from "effect/Option"
import { NotFound } from "../core/src/Errors.ts"
import { headOf } from "../core/src/serving/Conditions.ts"
import { unknownVersion } from "../core/src/serving/FileBytes.ts"
import { LinkStore } from "../core/src/serving/LinkStore.ts"
import { Restorations } from "../core/src/serving/Restorations.ts"
import { Tickets } from "../core/src/serving/Tickets.ts"
import { beginReading, unlogged } from "./AccessLog.ts"
import { Caller, type FileFailure, json, makeFailures, mustMay, openUrl } from "./Answers.ts"
import { GatewayApi } from "./GatewayApi.ts"
import { GatewaySettings } from "./GatewaySettings.ts"
import { makePageFiles, type PageFile } from "./PageFiles.ts"
import { analysesPage, contentPolicy, failurePage, folderPage, lockedPage } from "./PageMarkup.ts"
import { pageStyle } from "./PageStyle.ts"

type Request = HttpServerRequest.HttpServerRequest

const pathOf = (url: string) => url.replace(/[?#].*$/s, "")

/**
 * Whether a page is wanted. A folder, whose address ends with a slash, is one for everybody who does not ask for JSON: `wget -r` and
 * rclone say no more than that they take anything.
 */
export const wantsPage = (url: string, accept: string | undefined): boolean =>
  /\btext\/html\b/.test(accept ?? "") || (pathOf(url).endsWith("/") && !/\bjson\b/.test(accept ?? ""))

/** From a path to `/`. */
const rootFrom = (url: string) => "../".repeat(Math.max(0, pathOf(url).split("/").length - 2))

const html = (body: string, status = 200) =>
  HttpServerResponse.text(body, {
    status,
    contentType: "text/html; charset=utf-8",
    headers: {
      "cache-control": "no-store",
      "content-security-policy": contentPolicy,
      "referrer-policy": "no-referrer",
      "cross-origin-opener-policy": "same-origin",
      vary: "Accept, Authorization"
    }
  })

/** The page for somebody without a good token; null where the refusal is to be told in JSON. */
export const refusalPage = (url: string, accept: string | undefined, message: string) =>
  /^(?:\/t\/[^/]+)?\/(?:files(?:\/[^/]*\/?)?)?$/.test(pathOf(url)) && /\btext\/html\b/.test(accept ?? "")
    ? html(lockedPage(rootFrom(url), message), 401)
    : null

/** What a browser is sent to, relative to where it is: the gateway may stand below a path that it does not know. */
const moved = (location: string) =>
  HttpServerResponse.empty({ status: 303, headers: { location, "cache-control": "no-store" } })

const sent = ({ etag, gzipped, plain }: PageFile, contentType: string, asked: Request["headers"]) => {
  const fields = { ...kept, etag, vary: "Accept-Encoding" }
  if (asked["if-none-match"] === etag) return HttpServerResponse.empty({ status: 304, headers: fields })
  const zipped = /\bgzip\b/.test(asked["accept-encoding"] ?? "")
  return HttpServerResponse.uint8Array(zipped ? gzipped : plain, {
    contentType,
    headers: zipped ? { ...fields, "content-encoding": "gzip" } : fields
  })
}

/** How long the page of an analysis waits for its sample and person. */
const patience = "2 seconds"

/** The page of one analysis, for `GET /files/{analysis}` where a page is wanted. */
export const makeFolderPage = Effect.gen(function* () {
  const store = yield* LinkStore
  const restorations = yield* Restorations
  const { genes, genome } = yield* GatewaySettings
  const failures = yield* makeFailures

  const folder = Effect.fnUntraced(function* (analysisId: string) {
    yield* beginReading({ what: "list", analyses: [analysisId], file: null })
    yield* mustMay("read")
    const { may, reader } = yield* Caller
    const files = yield* Effect.forEach(yield* store.files(analysisId), (file) =>
      Effect.map(file.archived ? restorations.of(file) : Effect.succeed(null), (restoring) => ({ ...file, restoring }))
    )
    // The list of files does not wait for it while the service is busy.
    const about = yield* Effect.timeoutOption(store.about(analysisId), patience).pipe(Effect.orElseSucceed(Option.none))
    const rights = { mayRestore: may("restore"), closed: reader !== null }
    const page = folderPage({
      analysisId,
      about: Option.getOrNull(about),
      files,
      genome,
      hasGenes: genes !== null,
      ...rights
    })
    return html(page)
  })

  return Effect.fnUntraced(function* (analysisId: string, request: Request) {
    if (!pathOf(request.url).endsWith("/")) return moved(`${encodeURIComponent(analysisId)}/`)
    return yield* Effect.catch(folder(analysisId), (error) =>
      Effect.map(failures.told(analysisId, error), ({ message, status }) =>
        html(failurePage("../../", status === 404 ? `${message}, or not for this reader` : message), status)
      )
    )
  })
})

export const pageHandlers = HttpApiBuilder.group(
  GatewayApi,
  "page",
  Effect.fn(function* (handlers) {
    const store = yield* LinkStore
    const tickets = yield* Tickets
    const files = yield* makePageFiles()
    const disk = yield* FileSystem
    const { genes, genome, signedLinks } = yield* GatewaySettings
    const failures = yield* makeFailures

    const choose = Effect.fnUntraced(function* ({ headers, url }: Request) {
      const folder = pathOf(url).startsWith("/files") ? "" : "files/"
      if (!wantsPage(url, headers["accept"])) {
        return json(404, { error: "NotFound", message: "nothing is served at this address" })
      }
      if (folder === "" && !pathOf(url).endsWith("/")) return moved("files/")
      const asked = new URLSearchParams(/\?(.*)$/s.exec(url)?.[1] ?? "").get("analysis")?.trim() ?? ""
      if (asked !== "") return moved(`${folder}${encodeURIComponent(asked)}/`)
      const scopes = (yield* Caller).reader?.scopes ?? null
      // The first page waits for no service; who is told all ids by the token file needs none.
      const told = folder !== "" || scopes?.every((scope) => !scope.endsWith("*")) === true
      const page = { root: rootFrom(url), folder, scopes, listed: null, failure: null }
      if (told) return html(analysesPage(page))
      return yield* allAnalyses.pipe(
        Effect.map((listed) => html(analysesPage({ ...page, listed }))),
        // What works without the service stays: the form, and the ids that the token names.
        Effect.catch((error) =>
          Effect.map(failures.told("the list of analyses", error), ({ message, status }) =>
            html(analysesPage({ ...page, failure: message }), status)
          )
        )
      )
    })

    const allAnalyses = Effect.gen(function* () {
      yield* beginReading({ what: "list", analyses: null, file: null })
      yield* mustMay("read")
      return yield* store.analyses
    })

    /** A script or the style: the same for everybody, with a token or without. */
    const pageFile = Effect.fnUntraced(function* (name: string, { headers }: Request) {
      if (name === "page.css") {
        return HttpServerResponse.text(pageStyle, { contentType: "text/css; charset=utf-8", headers: kept })
      }
      const file = yield* Effect.catch(files(name), (error) =>
        Effect.as(Effect.logError(`${name}: ${error}`), "unread" as const)
      )
      if (file === "unread") return json(503, { error: "PageUnread", message: "the page's files cannot be read now" })
      if (file === null) return json(404, { error: "NotFound", message: "this build has no such file" })
      return sent(file, "text/javascript; charset=utf-8", headers)
    })

    const geneFile = Effect.gen(function* () {
      yield* mustMay("read")
      return genes ?? (yield* new NotFound({ what: "a file of genes" }))
    })

    /** A file of `--genome`; the browser reads pieces of it. */
    const genomeFile = Effect.fnUntraced(function* (name: string, request: Request) {
      yield* mustMay("read")
      const path = genome?.files.get(name)
      const nothing = new NotFound({ what: "this file" })
      if (path === undefined) return yield* nothing
      const { mtime, size } = yield* Effect.mapError(disk.stat(path), () => nothing)
      const lastModified = Option.getOrNull(Option.map(mtime, (time) => time.toUTCString()))
      const { end, first, headers, status } = headOf(
        { ...unknownVersion, size: Number(size), lastModified },
        request.headers
      )
      if (end === first) return HttpServerResponse.empty({ status, headers })
      // Effect's answer of a file joins two streams of Node, whose listeners are more than Node allows a response without a warning.
      return HttpServerResponse.stream(disk.stream(path, { offset: first, bytesToRead: end - first }), {
        status,
        contentType: "application/octet-stream",
        contentLength: end - first,
        headers
      })
    })

    /** As lines `name length first`, with tabs between, of which the first two are a file of chromosome sizes. */
    const sequences = Effect.fnUntraced(function* (analysisId: string, fileName: string) {
      yield* beginReading({ what: "file", analyses: [analysisId], file: fileName, range: "header" })
      yield* mustMay("read")
      const found = yield* tickets.sequences(analysisId, fileName)
      const lines = found.map(({ first, length, name }) => `${name}\t${length}\t${first ?? ""}\n`)
      return HttpServerResponse.text(lines.join(""), { contentType: "text/plain; charset=utf-8", headers: unkept })
    })

    /** An address for programs that get no token from the page: a download of the browser, IGV on the desktop. */
    const address = Effect.fnUntraced(function* (analysisId: string, fileName: string) {
      yield* beginReading({ what: "list", analyses: [analysisId], file: fileName })
      yield* mustMay("read")
      const { fileName: listed } = yield* store.file(analysisId, fileName)
      const now = yield* Clock.currentTimeMillis
      return json(200, { url: openUrl(yield* Caller, signedLinks, analysisId, listed, now) })
    })

    const withFailures = <A, R>(
      { analysisId, fileName }: { readonly analysisId: string; readonly fileName: string },
      answer: Effect.Effect<A, FileFailure, R>
    ) => Effect.catch(answer, failures.file(`${analysisId}/${fileName}`))

    return handlers
      .handleRaw("root", ({ request }) => choose(request))
      .handleRaw("folders", ({ request }) => choose(request))
      .handleRaw("pageFile", ({ params, request }) => unlogged(pageFile(params.name, request)))
      .handleRaw("genomeFile", ({ params, request }) =>
        unlogged(Effect.catch(genomeFile(params.name, request), failures.file(params.name)))
      )
      .handleRaw("genes", ({ request }) =>
        unlogged(
          geneFile.pipe(
            Effect.map((file) => sent(file, "text/plain; charset=utf-8", request.headers)),
            Effect.catch(failures.file("genes"))
          )
        )
      )
      .handleRaw("sequences", ({ params }) => withFailures(params, sequences(params.analysisId, params.fileName)))
      .handleRaw("address", ({ params }) => withFailures(params, address(params.analysisId, params.fileName)))
  })
)

const kept = { "cache-control": "private, no-cache" }
const unkept = { "cache-control": "no-store" }
