import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import { annotationsBody } from "./AnnotationsBody.ts"
import { api } from "./Endpoints.ts"
import { State } from "./State.ts"
import type { StoredFile } from "./Storage.ts"
import { bare, envelopedAnswer, type JsonObject, refusal } from "./WireJson.ts"
import type { AnalysisRecord } from "./World.ts"

const noSuchAnalysis = (id: string) => refusal(400, "ANALYSIS_NOT_FOUND", `No analysis with id ${id}`)

const iso = (millis: number) => DateTime.formatIso(DateTime.makeUnsafe(millis))

const finderOf = (analyses: ReadonlyArray<AnalysisRecord>) => (id: string) =>
  analyses.find((analysis) => String(analysis.id) === id)

const analysis = HttpApiBuilder.group(
  api,
  "analysis",
  Effect.fn(function* (handlers) {
    const { behaviour, registry, world } = yield* State
    const { analyses, genes } = world
    const { annotationHeader: header, annotationRows: rows } = behaviour
    const byId = finderOf(analyses)

    const annotations = (id: string) => {
      const analysis = byId(id)
      if (analysis === undefined) return noSuchAnalysis(id)
      const body = annotationsBody({ genes, seed: analysis.seed, rows, header })
      return HttpServerResponse.stream(body, { contentType: "application/json" })
    }

    /** Null when no input file has a path that contains every one of `parts`. */
    const foundBy = (parts: ReadonlyArray<string>, { id, inputFilePaths, item, personLimsId }: AnalysisRecord) => {
      const path = inputFilePaths.find((each) => parts.every((part) => each.includes(part)))
      if (path === undefined || parts.length === 0) return null
      return {
        analysisId: id,
        personId: registry.personByLimsId(personLimsId ?? "")?.id ?? null,
        enrichmentKitId: 5,
        analysisStatus: item["status"] ?? null,
        matchingOriginalFileName: path.slice(path.lastIndexOf("/") + 1),
        matchingCustomerProvidedInputFilePath: path,
        sampleOrigin: item["sampleOrigin"] ?? null,
        analysisType: item["analysisType"] ?? null,
        finishedDate: item["lastAnnotated"] ?? null
      }
    }

    return handlers
      .handle("getSnvAnnotations", ({ params }) => Effect.sync(() => annotations(params.analysisId)))
      .handle("getAnalyses", ({ query: { analysisIds: ids } }) =>
        Effect.sync(() => {
          const asked = analyses.filter(({ id }) => ids === undefined || ids.some((each) => each === String(id)))
          return envelopedAnswer(asked.map(({ item }) => item))
        })
      )
      .handle("getPersonAnalyses", ({ params: { personLimsId: limsId } }) =>
        Effect.sync(() =>
          registry.personByLimsId(limsId) === undefined
            ? refusal(400, "PERSON_NOT_FOUND", `No person with id ${limsId}`)
            : bare(analyses.filter(({ personLimsId }) => personLimsId === limsId).map(({ item }) => item))
        )
      )
      .handle("findAnalysesByFilename", ({ query }) =>
        Effect.sync(() =>
          envelopedAnswer(analyses.flatMap((one) => foundBy(query.customerProvidedInputFileName, one) ?? []))
        )
      )
  })
)

const file = HttpApiBuilder.group(
  api,
  "file",
  Effect.fn(function* (handlers) {
    const { behaviour, links, stats, storage, world } = yield* State
    const byId = finderOf(world.analyses)
    const { archivedLink, sizes } = behaviour

    const link = Effect.fnUntraced(function* (file: StoredFile, hostname: string) {
      // Before the link is signed: the bytes of a sample are made when they are first looked at.
      const listed = file.listedSize === undefined ? file.size : file.listedSize
      const now = yield* Clock.currentTimeMillis
      const state = yield* storage.state(file)
      const online = state._tag === "Online"
      const signed = file.link ?? links.sign(hostname, file, now)
      const linked = online || archivedLink === "dead"
      if (linked) stats.linksIssued++
      const downloadLink: JsonObject = linked
        ? { downloadLink: signed }
        : archivedLink === "null"
          ? { downloadLink: null }
          : {}
      const size: JsonObject = sizes === "absent" ? {} : { size: sizes === "null" ? null : listed }
      return {
        fileName: file.name,
        ...downloadLink,
        currentlyArchived: !online,
        estimatedRestoreTime: state._tag === "Thawing" ? iso(state.readyAt) : null,
        ...size
      }
    })

    return handlers.handle(
      "getFileDownloadLinks",
      Effect.fnUntraced(function* ({ params: { analysisId }, request }) {
        const analysis = byId(analysisId)
        if (analysis === undefined) return noSuchAnalysis(analysisId)
        // Of the name that the caller used for this server.
        const hostname = (request.headers["host"] ?? "127.0.0.1").replace(/:\d+$/, "")
        return envelopedAnswer({
          id: analysis.id,
          sampleId: analysis.sampleId,
          limsId: analysis.personLimsId,
          customerProvidedInputFilePaths: analysis.inputFilePaths,
          apiFileLinks: yield* Effect.forEach(storage.ofAnalysis(analysisId), (file) => link(file, hostname))
        })
      })
    )
  })
)

/** Restores all archived files of analyses; the behaviour decides what is not known of the service. */
const makeRestore = Effect.gen(function* () {
  const { behaviour, storage, world } = yield* State
  const byId = finderOf(world.analyses)

  /** One item per analysis, or why there is none. */
  const restoreOne = Effect.fnUntraced(function* (analysis: AnalysisRecord) {
    const now = yield* Clock.currentTimeMillis
    const states = yield* Effect.forEach(storage.ofAnalysis(String(analysis.id)), (file) =>
      Effect.map(storage.state(file), (state) => ({ file, state }))
    )
    const cold = states.filter(({ state }) => state._tag !== "Online")
    if (cold.length === 0) {
      if (behaviour.restoreOnline === "refuse") return "NOT_ARCHIVED"
      return { analysisId: analysis.id, restoreEstimation: behaviour.restoreOnline === "now" ? iso(now) : null }
    }
    if (behaviour.restoreAgain === "refuse" && cold.every(({ state }) => state._tag === "Thawing")) {
      return "ALREADY_RESTORING"
    }
    const readyAt = Math.max(...(yield* Effect.forEach(cold, ({ file }) => storage.restore(file))))
    const estimation = behaviour.restoreEstimation
    return {
      analysisId: analysis.id,
      ...(estimation === "absent"
        ? {}
        : { restoreEstimation: estimation === "real" ? iso(readyAt) : estimation === "null" ? null : estimation })
    }
  })

  const restore = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
    const found = ids.flatMap((id) => byId(id) ?? [])
    if (found.length === 0 || found.length < ids.length) {
      return refusal(200, "ANALYSIS_NOT_FOUND", `Not all analyses exist: ${ids.join(", ")}`)
    }
    const items = yield* Effect.forEach(found, restoreOne)
    const no = items.find((item) => typeof item === "string")
    return no === undefined
      ? envelopedAnswer(items.filter((item) => typeof item !== "string"))
      : refusal(200, no, "Nothing to restore")
  })

  const restorePerson = (limsId: string) =>
    restore(world.analyses.flatMap(({ id, personLimsId }) => (personLimsId === limsId ? [String(id)] : [])))

  return { restore, restorePerson }
})

const archive = HttpApiBuilder.group(
  api,
  "archive",
  Effect.fn(function* (handlers) {
    const { restore } = yield* makeRestore
    return handlers.handle("requestRestore", ({ payload }) => restore(payload.analysisIds))
  })
)

/** What the service answers about analyses, their files and the archive: docs/dev/service.md 12, 14 and 15. */
export const analysisHandlers = Layer.mergeAll(analysis, file, archive)

/** The person-level restore, which the contract does not know. */
export const personRestore = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const { personRestoreField } = (yield* State).behaviour
    const { restorePerson } = yield* makeRestore
    yield* router.add("POST", "/archive/person/restore", (request) =>
      Effect.gen(function* () {
        if (personRestoreField === null) return HttpServerResponse.empty({ status: 404 })
        const form = new URLSearchParams(yield* request.text)
        return yield* restorePerson(form.get(personRestoreField) ?? "")
      })
    )
  })
)
