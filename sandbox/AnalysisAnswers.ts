import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import { annotationsBody } from "./Annotations.ts"
import { Archive } from "./Archive.ts"
import { Behaviour } from "./Behaviour.ts"
import { Counters } from "./Counters.ts"
import { envelopedAnswer, refusal } from "./Envelope.ts"
import { Files } from "./Files.ts"
import { Links } from "./Links.ts"
import { Registry } from "./Registry.ts"
import type { StoredFile } from "./StoredFile.ts"
import type { JsonObject } from "./WireIds.ts"
import { type AnalysisRecord, World } from "./World.ts"

type Answer = Effect.Effect<HttpServerResponse.HttpServerResponse>

const noSuchAnalysis = (id: string) => refusal(400, "ANALYSIS_NOT_FOUND", `No analysis with id ${id}`)

const iso = (millis: number) => DateTime.formatIso(DateTime.makeUnsafe(millis))

/** What the service answers about analyses, their files and the archive: docs/dev/service.md 12, 14 and 15. */
export class AnalysisAnswers extends Context.Service<
  AnalysisAnswers,
  {
    /** All of them, or those of the given ids that exist. */
    readonly list: (ids: ReadonlyArray<string> | null) => Answer
    readonly annotations: (id: string) => Answer
    /** Analyses with an input file whose path contains every one of `parts`. */
    readonly findByInputFile: (parts: ReadonlyArray<string>) => Answer
    /** `hostname` is the name the caller used for this server. */
    readonly links: (id: string, hostname: string) => Answer
    readonly restore: (ids: ReadonlyArray<string>) => Answer
    readonly restorePerson: (limsId: string) => Answer
  }
>()("svc-steps/sandbox/AnalysisAnswers") {
  static readonly layer = Layer.effect(
    AnalysisAnswers,
    Effect.gen(function* () {
      const world = yield* World
      const registry = yield* Registry
      const behaviour = yield* Behaviour
      const files = yield* Files
      const archive = yield* Archive
      const links = yield* Links
      const { stats } = yield* Counters

      const byId = (id: string) => world.analyses.find((analysis) => String(analysis.id) === id)

      const link = Effect.fnUntraced(function* (file: StoredFile, hostname: string) {
        // Before the link is signed: the bytes of a sample are made when they are first looked at.
        const listed = file.listedSize === undefined ? file.size : file.listedSize
        const now = yield* Clock.currentTimeMillis
        const state = yield* archive.state(file)
        const online = state._tag === "Online"
        const signed = file.link ?? links.sign(hostname, file, now)
        if (online || behaviour.archivedLink === "dead") stats.linksIssued++
        const downloadLink: JsonObject =
          online || behaviour.archivedLink === "dead"
            ? { downloadLink: signed }
            : behaviour.archivedLink === "null"
              ? { downloadLink: null }
              : {}
        const size: JsonObject =
          behaviour.sizes === "absent" ? {} : { size: behaviour.sizes === "null" ? null : listed }
        return {
          fileName: file.name,
          ...downloadLink,
          currentlyArchived: !online,
          estimatedRestoreTime: state._tag === "Thawing" ? iso(state.readyAt) : null,
          ...size
        }
      })

      /** One item per analysis; its behaviour decides what is not known of the service. */
      const restoreOne = Effect.fnUntraced(function* (analysis: AnalysisRecord) {
        const now = yield* Clock.currentTimeMillis
        const states = yield* Effect.forEach(files.ofAnalysis(String(analysis.id)), (file) =>
          Effect.map(archive.state(file), (state) => ({ file, state }))
        )
        const cold = states.filter(({ state }) => state._tag !== "Online")
        if (cold.length === 0) {
          if (behaviour.restoreOnline === "refuse") return "NOT_ARCHIVED"
          return { analysisId: analysis.id, restoreEstimation: behaviour.restoreOnline === "now" ? iso(now) : null }
        }
        if (behaviour.restoreAgain === "refuse" && cold.every(({ state }) => state._tag === "Thawing")) {
          return "ALREADY_RESTORING"
        }
        const readyAt = Math.max(...(yield* Effect.forEach(cold, ({ file }) => archive.restore(file))))
        const estimation = behaviour.restoreEstimation
        return {
          analysisId: analysis.id,
          ...(estimation === "absent"
            ? {}
            : { restoreEstimation: estimation === "real" ? iso(readyAt) : estimation === "null" ? null : estimation })
        }
      })

      const restore = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
        const analyses = ids.flatMap((id) => byId(id) ?? [])
        if (analyses.length === 0 || analyses.length < ids.length) {
          return refusal(200, "ANALYSIS_NOT_FOUND", `Not all analyses exist: ${ids.join(", ")}`)
        }
        const items = yield* Effect.forEach(analyses, restoreOne)
        const no = items.find((item) => typeof item === "string")
        return no === undefined
          ? envelopedAnswer(items.filter((item) => typeof item !== "string"))
          : refusal(200, no, "Nothing to restore")
      })

      return AnalysisAnswers.of({
        list: (ids) =>
          Effect.sync(() =>
            envelopedAnswer(
              world.analyses
                .filter((analysis) => ids === null || ids.includes(String(analysis.id)))
                .map((analysis) => analysis.item)
            )
          ),
        annotations: (id) =>
          Effect.sync(() => {
            const analysis = byId(id)
            if (analysis === undefined) return noSuchAnalysis(id)
            const { annotationHeader: header, annotationRows: rows } = behaviour
            const body = annotationsBody({ genes: world.genes, seed: analysis.seed, rows, header })
            return HttpServerResponse.stream(body, { contentType: "application/json" })
          }),
        findByInputFile: (parts) =>
          Effect.sync(() => {
            const found = world.analyses.flatMap((analysis): ReadonlyArray<JsonObject> => {
              const path = analysis.inputFilePaths.find((each) => parts.every((part) => each.includes(part)))
              if (path === undefined || parts.length === 0) return []
              return [
                {
                  analysisId: analysis.id,
                  personId: registry.personByLimsId(analysis.personLimsId ?? "")?.id ?? null,
                  enrichmentKitId: 5,
                  analysisStatus: analysis.item["status"] ?? null,
                  matchingOriginalFileName: path.slice(path.lastIndexOf("/") + 1),
                  matchingCustomerProvidedInputFilePath: path,
                  sampleOrigin: analysis.item["sampleOrigin"] ?? null,
                  analysisType: analysis.item["analysisType"] ?? null,
                  finishedDate: analysis.item["lastAnnotated"] ?? null
                }
              ]
            })
            return envelopedAnswer(found)
          }),
        links: (id, hostname) =>
          Effect.gen(function* () {
            const analysis = byId(id)
            if (analysis === undefined) return noSuchAnalysis(id)
            return envelopedAnswer({
              id: analysis.id,
              sampleId: analysis.sampleId,
              limsId: analysis.personLimsId,
              customerProvidedInputFilePaths: analysis.inputFilePaths,
              apiFileLinks: yield* Effect.forEach(files.ofAnalysis(id), (file) => link(file, hostname))
            })
          }),
        restore,
        restorePerson: (limsId) =>
          restore(
            world.analyses.filter((analysis) => analysis.personLimsId === limsId).map((analysis) => String(analysis.id))
          )
      })
    })
  )
}
