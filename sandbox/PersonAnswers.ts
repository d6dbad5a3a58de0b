import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import type { PersonUpdate } from "../core/src/contract/Persons.ts"
import { Behaviour } from "./Behaviour.ts"
import { bare, envelopedAnswer, refusal } from "./Envelope.ts"
import { Registry } from "./Registry.ts"
import {
  type CaseAnalysis,
  cnvResultsOf,
  coverageOf,
  pendingCnvHeader,
  pendingCnvOf,
  qualityOf,
  reportOf
} from "./SampleRecords.ts"
import type { JsonObject } from "./WireIds.ts"
import { type AnalysisRecord, World } from "./World.ts"

type Answer = Effect.Effect<HttpServerResponse.HttpServerResponse>

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

/** What the service answers about persons and their findings: statuses and forms of docs/dev/service.md 12. */
export class PersonAnswers extends Context.Service<
  PersonAnswers,
  {
    readonly internalId: (limsId: string) => Answer
    readonly person: (limsId: string) => Answer
    readonly save: (update: PersonUpdate) => Answer
    readonly analyses: (limsId: string) => Answer
    readonly cnvResults: (
      user: string,
      limsId: string,
      analysisIds: ReadonlyArray<string>,
      panelId: string | undefined
    ) => Answer
    readonly pendingCnv: (
      user: string,
      personId: string,
      analysisIds: ReadonlyArray<string>,
      panelId: string | undefined
    ) => Answer
    readonly quality: (limsId: string) => Answer
    readonly coverage: (user: string, limsId: string, panelId: string | undefined) => Answer
    readonly report: (limsId: string, draft: boolean, inactive: boolean) => Answer
    readonly reportInfos: Answer
    /** A list for the generic request. */
    readonly list: Answer
  }
>()("svc-steps/sandbox/PersonAnswers") {
  static readonly layer = Layer.effect(
    PersonAnswers,
    Effect.gen(function* () {
      const world = yield* World
      const registry = yield* Registry
      const behaviour = yield* Behaviour

      const analysesOf = (limsId: string) => world.analyses.filter((analysis) => analysis.personLimsId === limsId)
      const doneAnalyses = (limsId: string, type: string) =>
        analysesOf(limsId).filter(({ item }) => item["analysisType"] === type && item["status"] === "DONE")
      const cnvOf = (limsId: string, ids: ReadonlyArray<string>) => {
        const found = doneAnalyses(limsId, "CNV").filter((analysis) => ids.includes(String(analysis.id)))
        return found.length === 0 || found.length < ids.length ? null : found
      }

      return PersonAnswers.of({
        internalId: (limsId) =>
          Effect.sync(() => {
            const person = registry.personByLimsId(limsId)
            return person === undefined ? noSuchPerson(404, limsId) : envelopedAnswer(person.id)
          }),
        person: (limsId) =>
          Effect.sync(() => {
            const person = registry.personByLimsId(limsId)
            if (person === undefined) return noSuchPerson(404, limsId)
            const { clinicalInformation, personalInformation } = person
            return envelopedAnswer({ personalInformation, clinicalInformation })
          }),
        save: (update) =>
          Effect.gen(function* () {
            const limsId = update.id
            if (limsId.trim() === "") return refusal(400, "INVALID_PERSON", "id must not be empty")
            const fault = faultOf(update)
            if (fault !== null) return refusal(400, "INVALID_PERSON", fault)
            const old = registry.personByLimsId(limsId)
            const { birthDateDay, birthDateMonth, birthDateYear, hpoTermIds } = update
            const born =
              birthDateYear !== undefined && birthDateYear !== null
                ? { birthDate: `${birthDateYear}-${twoDigits(birthDateMonth ?? 1)}-${twoDigits(birthDateDay ?? 1)}` }
                : {}
            const terms =
              hpoTermIds !== undefined && hpoTermIds !== null
                ? {
                    hpoTerms: hpoTermIds.map((accession) => ({
                      accession,
                      name: accession,
                      description: "",
                      presence: "PRESENT",
                      level: "UNKNOWN",
                      modifiers: []
                    }))
                  }
                : {}
            const saved = yield* registry.savePerson({
              limsId,
              personalInformation: {
                limsId,
                sex: "UNKNOWN",
                ...old?.personalInformation,
                ...givenFields(update),
                ...born
              },
              clinicalInformation: { limsId, hpoTerms: [], diseases: [], ...old?.clinicalInformation, ...terms }
            })
            return bare(saved.id)
          }),
        analyses: (limsId) =>
          Effect.sync(() =>
            registry.personByLimsId(limsId) === undefined
              ? noSuchPerson(400, limsId)
              : bare(analysesOf(limsId).map((analysis) => analysis.item))
          ),
        cnvResults: (user, limsId, analysisIds, panelId) =>
          Effect.gen(function* () {
            if (registry.personByLimsId(limsId) === undefined) return noSuchPerson(404, limsId)
            const analysis = cnvOf(limsId, analysisIds)?.[0]
            if (analysis === undefined) {
              return refusal(422, "ANALYSIS_UNSUITABLE", `Not CNV analyses of ${limsId}: ${analysisIds.join(", ")}`)
            }
            return bare(cnvResultsOf(analysis.id, yield* registry.chosenGenes(user, limsId, panelId)))
          }),
        pendingCnv: (user, personId, analysisIds, panelId) =>
          Effect.gen(function* () {
            const limsId = registry.personById(personId)?.limsId
            if (limsId === undefined) return noSuchPerson(400, personId)
            const analyses = cnvOf(limsId, analysisIds)
            if (analyses === null)
              return refusal(400, "ANALYSIS_NOT_FOUND", `No CNV analyses ${analysisIds.join(", ")}`)
            const genes = yield* registry.chosenGenes(user, limsId, panelId)
            return envelopedAnswer({
              data: analyses.flatMap((analysis) => pendingCnvOf(analysis.id, genes)),
              cnvHeader: pendingCnvHeader
            })
          }),
        quality: (limsId) =>
          Effect.sync(() => {
            if (registry.personByLimsId(limsId) === undefined) return noSuchPerson(400, limsId)
            const analyses = doneAnalyses(limsId, "SNV")
            return envelopedAnswer(qualityOf(limsId, analyses.map(asCaseAnalysis)))
          }),
        coverage: (user, limsId, panelId) =>
          Effect.gen(function* () {
            if (registry.personByLimsId(limsId) === undefined) return noSuchPerson(400, limsId)
            const genes = yield* registry.chosenGenes(user, limsId, panelId)
            return bare(doneAnalyses(limsId, "SNV").flatMap((analysis) => coverageOf(analysis.id, genes)))
          }),
        report: (limsId, draft, inactive) =>
          Effect.sync(() => {
            if (behaviour.reports === "500") return refusal(500, "INTERNAL_ERROR", "The report cannot be made")
            const person = registry.personByLimsId(limsId)
            const analyses = doneAnalyses(limsId, "SNV")
            // Only persons with finished analyses have a report.
            if (person === undefined || analyses.length === 0) {
              return refusal(404, "REPORT_NOT_FOUND", `No report of ${limsId}`)
            }
            return envelopedAnswer(reportOf(person, analyses.map(asCaseAnalysis), world.genes, { draft, inactive }))
          }),
        reportInfos: Effect.sync(() =>
          envelopedAnswer(
            registry
              .persons()
              .filter((person) => doneAnalyses(person.limsId, "SNV").length > 0)
              .map(({ limsId }) => ({
                limsId,
                timeSubmitted: "2026-10-02T09:14:03.120Z",
                timeApproved: "2026-10-05T16:40:00",
                markedForApproval: false
              }))
          )
        ),
        list: Effect.sync(() =>
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
      })
    })
  )
}
