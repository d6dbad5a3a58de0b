import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import { PersonUpdate } from "../core/src/contract/Persons.ts"
import { api } from "./Endpoints.ts"
import { Caller } from "./RequestMiddleware.ts"
import {
  type CaseAnalysis,
  cnvResultsOf,
  coverageOf,
  pendingCnvHeader,
  pendingCnvOf,
  qualityOf,
  reportOf
} from "./SampleRecords.ts"
import { State } from "./State.ts"
import { bare, envelopedAnswer, type JsonObject, refusal, withJson } from "./WireJson.ts"
import type { AnalysisRecord } from "./World.ts"

const noSuchPerson = (status: 400 | 404, id: string) => refusal(status, "PERSON_NOT_FOUND", `No person with id ${id}`)

const asCaseAnalysis = ({ id, item, sampleId }: AnalysisRecord): CaseAnalysis => ({
  id,
  sampleId: sampleId ?? "",
  type: String(item["analysisType"]),
  kit: String(item["enrichmentKitName"] ?? "")
})

/** The part of a person record an update names: nulls and missing keys leave things as they are (docs/dev/service.md 12). */
const givenFields = ({ comment, country, familyId, firstName, lastName, sex }: PersonUpdate): JsonObject =>
  Object.fromEntries(
    Object.entries({ familyId, firstName, lastName, comment, country, sex }).flatMap(([name, value]) =>
      value === undefined || value === null ? [] : [[name, value]]
    )
  )

const sexes: ReadonlyArray<string> = ["UNKNOWN", "MALE", "FEMALE", "INTERSEX"]

/** What the service would not store; null when everything is in order. */
const faultOf = ({ birthDateDay, birthDateMonth, birthDateYear, sex }: PersonUpdate): string | null => {
  if (sex != null && !sexes.includes(sex)) return `sex must be one of ${sexes.join(", ")}`
  const [year, month, day] = [birthDateYear ?? 2000, birthDateMonth ?? 1, birthDateDay ?? 1]
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  const exists = date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  return exists && year > 0 ? null : "birthDateYear, birthDateMonth and birthDateDay are not a date"
}

const twoDigits = (value: number) => String(value).padStart(2, "0")

/** Finished analyses of a person, and what answers about them have in common. */
const makeCases = Effect.gen(function* () {
  const { behaviour, registry, world } = yield* State
  const analysesOf = (limsId: string) => world.analyses.filter((analysis) => analysis.personLimsId === limsId)
  const doneAnalyses = (limsId: string, type: string) =>
    analysesOf(limsId).filter(({ item }) => item["analysisType"] === type && item["status"] === "DONE")
  /** The CNV analyses of these ids; null when not all of them are. */
  const cnvOf = (limsId: string, ids: ReadonlyArray<string>) => {
    const found = doneAnalyses(limsId, "CNV").filter((analysis) => ids.includes(String(analysis.id)))
    return found.length === 0 || found.length < ids.length ? null : found
  }
  /** The genes that the caller sees of a person. */
  const chosenGenes = (limsId: string, panelId: string | undefined) =>
    Effect.map(Caller, (session) => registry.chosenGenes(session?.account ?? "", limsId, panelId))
  return { behaviour, world, registry, analysesOf, doneAnalyses, cnvOf, chosenGenes }
})

const person = HttpApiBuilder.group(
  api,
  "person",
  Effect.fn(function* (handlers) {
    const { registry } = yield* State

    const save = (update: PersonUpdate) => {
      const limsId = update.id
      if (limsId.trim() === "") return refusal(400, "INVALID_PERSON", "id must not be empty")
      const fault = faultOf(update)
      if (fault !== null) return refusal(400, "INVALID_PERSON", fault)
      const old = registry.personByLimsId(limsId)
      const { birthDateDay, birthDateMonth, birthDateYear, hpoTermIds } = update
      const born =
        birthDateYear == null
          ? {}
          : { birthDate: `${birthDateYear}-${twoDigits(birthDateMonth ?? 1)}-${twoDigits(birthDateDay ?? 1)}` }
      const plain = { description: "", presence: "PRESENT", level: "UNKNOWN", modifiers: [] }
      const terms =
        hpoTermIds == null
          ? {}
          : { hpoTerms: hpoTermIds.map((accession) => ({ accession, name: accession, ...plain })) }
      const saved = registry.savePerson({
        limsId,
        personalInformation: { limsId, sex: "UNKNOWN", ...old?.personalInformation, ...givenFields(update), ...born },
        clinicalInformation: { limsId, hpoTerms: [], diseases: [], ...old?.clinicalInformation, ...terms }
      })
      return bare(saved.id)
    }

    return handlers
      .handle("getInternalPersonId", ({ params: { personLimsId } }) =>
        Effect.sync(() => {
          const person = registry.personByLimsId(personLimsId)
          return person === undefined ? noSuchPerson(404, personLimsId) : envelopedAnswer(person.id)
        })
      )
      .handle("getPerson", ({ params: { personLimsId } }) =>
        Effect.sync(() => {
          const person = registry.personByLimsId(personLimsId)
          if (person === undefined) return noSuchPerson(404, personLimsId)
          const { clinicalInformation, personalInformation } = person
          return envelopedAnswer({ personalInformation, clinicalInformation })
        })
      )
      .handleRaw("createOrUpdatePerson", withJson(PersonUpdate, save))
  })
)

const cnv = HttpApiBuilder.group(
  api,
  "cnv",
  Effect.fn(function* (handlers) {
    const { chosenGenes, cnvOf, registry } = yield* makeCases
    return handlers
      .handle(
        "getCnvTargetResults",
        Effect.fnUntraced(function* ({ params: { personLimsId }, query: { analysisIds, virtualPanelId } }) {
          if (registry.personByLimsId(personLimsId) === undefined) return noSuchPerson(404, personLimsId)
          const analysis = cnvOf(personLimsId, analysisIds)?.[0]
          if (analysis === undefined) {
            return refusal(422, "ANALYSIS_UNSUITABLE", `Not CNV analyses of ${personLimsId}: ${analysisIds.join(", ")}`)
          }
          return bare(cnvResultsOf(analysis.id, yield* chosenGenes(personLimsId, virtualPanelId)))
        })
      )
      .handle(
        "getPendingCnvSegments",
        Effect.fnUntraced(function* ({ query: { analysesIds, personId, virtualPanelId } }) {
          const limsId = registry.personById(personId)?.limsId
          if (limsId === undefined) return noSuchPerson(400, personId)
          const analyses = cnvOf(limsId, analysesIds)
          if (analyses === null) return refusal(400, "ANALYSIS_NOT_FOUND", `No CNV analyses ${analysesIds.join(", ")}`)
          const genes = yield* chosenGenes(limsId, virtualPanelId)
          const data = analyses.flatMap((analysis) => pendingCnvOf(analysis.id, genes))
          return envelopedAnswer({ data, cnvHeader: pendingCnvHeader })
        })
      )
  })
)

const quality = HttpApiBuilder.group(
  api,
  "quality",
  Effect.fn(function* (handlers) {
    const { doneAnalyses, registry } = yield* makeCases
    return handlers.handle("getQcCaseMetrics", ({ params: { personId } }) =>
      Effect.sync(() =>
        registry.personByLimsId(personId) === undefined
          ? noSuchPerson(400, personId)
          : envelopedAnswer(qualityOf(personId, doneAnalyses(personId, "SNV").map(asCaseAnalysis)))
      )
    )
  })
)

const coverage = HttpApiBuilder.group(
  api,
  "coverage",
  Effect.fn(function* (handlers) {
    const { chosenGenes, doneAnalyses, registry } = yield* makeCases
    return handlers.handle(
      "getCoverageData",
      Effect.fnUntraced(function* ({ params: { personId }, query: { virtualPanelId } }) {
        if (registry.personByLimsId(personId) === undefined) return noSuchPerson(400, personId)
        const genes = yield* chosenGenes(personId, virtualPanelId)
        return bare(doneAnalyses(personId, "SNV").flatMap((analysis) => coverageOf(analysis.id, genes)))
      })
    )
  })
)

const report = HttpApiBuilder.group(
  api,
  "report",
  Effect.fn(function* (handlers) {
    const { behaviour, doneAnalyses, registry, world } = yield* makeCases

    const reportAnswer = (limsId: string, choice: { readonly draft: boolean; readonly inactive: boolean }) => {
      if (behaviour.reports === "500") return refusal(500, "INTERNAL_ERROR", "The report cannot be made")
      const person = registry.personByLimsId(limsId)
      const analyses = doneAnalyses(limsId, "SNV")
      // Only persons with finished analyses have a report.
      return person === undefined || analyses.length === 0
        ? refusal(404, "REPORT_NOT_FOUND", `No report of ${limsId}`)
        : envelopedAnswer(reportOf(person, analyses.map(asCaseAnalysis), world.genes, choice))
    }

    const infoOf = (limsId: string) => ({
      limsId,
      timeSubmitted: "2026-10-02T09:14:03.120Z",
      timeApproved: "2026-10-05T16:40:00",
      markedForApproval: false
    })

    return handlers
      .handle("getCaseReport", ({ params, query }) =>
        Effect.sync(() =>
          reportAnswer(params.personId, { draft: query.draft === "true", inactive: query.inactive === "true" })
        )
      )
      .handle("getCaseReportInfos", () =>
        Effect.sync(() => {
          const reported = registry.persons().filter(({ limsId }) => doneAnalyses(limsId, "SNV").length > 0)
          return envelopedAnswer(reported.map(({ limsId }) => infoOf(limsId)))
        })
      )
  })
)

/** What the service answers about persons and their findings: statuses and forms of docs/dev/service.md 12. */
export const personHandlers = Layer.mergeAll(person, cnv, quality, coverage, report)

/** A list for the generic request. */
export const personList = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const { registry } = yield* State
    yield* router.add(
      "GET",
      "/person-list",
      Effect.sync(() =>
        bare(
          registry.persons().map(({ id, limsId, personalInformation }) => ({
            id,
            limsId,
            sex: personalInformation["sex"] ?? null,
            birthDate: personalInformation["birthDate"] ?? null,
            enrichmentKits: ["Exome v7"],
            clinicalInformation: ["(+) Arachnodactyly", "(-) Seizure"],
            reportedSnvs: [{ gene: "FBN1" }],
            reportedCnvs: []
          }))
        )
      )
    )
  })
)
