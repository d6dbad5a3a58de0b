import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { AnalysisId, LimsId, SampleId } from "../contract/Ids.ts"
import { filterFields, parse } from "./Filter.ts"
import { byIds, idsToAsk, needsRecords, type SelectionRequest, select } from "./Selection.ts"

const records = [
  { id: AnalysisId.make("1"), sampleId: "S1", personLimsId: "L1", status: "DONE" },
  { id: AnalysisId.make("2"), sampleId: "S2", personLimsId: "L1", status: "FAILED" },
  { id: AnalysisId.make("10"), sampleId: "S1", personLimsId: "200000000", status: "DONE" },
  { id: AnalysisId.make("11"), sampleId: null, personLimsId: null, status: "DONE" },
  { id: AnalysisId.make("2"), sampleId: "S2", personLimsId: "L1", status: "FAILED" }
]

interface Wanted extends Partial<Pick<SelectionRequest, "filters" | "latest">> {
  readonly analysisIds?: ReadonlyArray<string>
  readonly sampleIds?: ReadonlyArray<string>
  readonly limsIds?: ReadonlyArray<string>
}

const request = ({ analysisIds = [], limsIds = [], sampleIds = [], ...some }: Wanted): SelectionRequest => ({
  analysisIds: analysisIds.map((id) => AnalysisId.make(id)),
  sampleIds: sampleIds.map((id) => SampleId.make(id)),
  limsIds: limsIds.map((id) => LimsId.make(id)),
  filters: [],
  latest: false,
  ...some
})
const filter = (source: string) => Result.getOrThrow(parse(source, filterFields))
const ids = (some: Wanted) => select(request(some), records).analyses.map(({ analysisId }) => analysisId)
const missing = (some: Wanted) => select(request(some), records).missing.map(({ error }) => error.message)

describe("Selection", () => {
  it("ids alone need no records; the order is kept, a repeated id counts once", () => {
    const alone = request({ analysisIds: ["7", "A1", "7"] })
    assert.isFalse(needsRecords(alone))
    assert.deepStrictEqual(byIds(alone).analyses, [
      { analysisId: AnalysisId.make("7"), named: true, older: [] },
      { analysisId: AnalysisId.make("A1"), named: true, older: [] }
    ])
    for (const more of [
      { sampleIds: ["S1"] },
      { limsIds: ["L1"] },
      { latest: true },
      { filters: [filter("id = 1")] }
    ]) {
      assert.isTrue(needsRecords(request({ analysisIds: ["7"], ...more })))
    }
  })

  it("asks for the ids it knows, unless samples or persons have to be told apart, or there are too many", () => {
    assert.deepStrictEqual(
      idsToAsk(request({ analysisIds: ["2", "2", "1"], latest: true })),
      ["2", "1"].map((id) => AnalysisId.make(id))
    )
    assert.isNull(idsToAsk(request({ analysisIds: ["2"], sampleIds: ["S1"] })))
    assert.isNull(idsToAsk(request({ sampleIds: ["S1"] })))
    assert.isNull(idsToAsk(request({ analysisIds: Array.from({ length: 201 }, (_, i) => `${i}`), latest: true })))
  })

  it("criteria are ANDed, values of one criterion are ORed", () => {
    assert.deepStrictEqual(ids({ sampleIds: ["S1"] }), ["1", "10"])
    assert.deepStrictEqual(ids({ sampleIds: ["S1", "S2"] }), ["1", "2", "10"])
    assert.deepStrictEqual(ids({ sampleIds: ["S1"], limsIds: ["L1"] }), ["1"])
    assert.deepStrictEqual(ids({ analysisIds: ["10", "2", "1"], sampleIds: ["S1"] }), ["10", "1"])
    assert.deepStrictEqual(ids({ limsIds: ["200000000"] }), ["10"])
    assert.deepStrictEqual(ids({ sampleIds: ["S1", "S2"], filters: [filter("status = DONE"), filter("id > 1")] }), [
      "10"
    ])
  })

  it("the newest is chosen among those that pass the filters", () => {
    assert.deepStrictEqual(ids({ limsIds: ["L1"], latest: true }), ["2"])
    const [newest] = select(request({ limsIds: ["L1"], latest: true }), records).analyses
    assert.deepStrictEqual(newest?.older, [{ analysisId: AnalysisId.make("1"), named: false }])
    assert.deepStrictEqual(ids({ limsIds: ["L1"], latest: true, filters: [filter("status = DONE")] }), ["1"])
  })

  it("a criterion that matches nothing is named, and the others go on", () => {
    const wanted = { analysisIds: ["1", "99"], sampleIds: ["S1", "S9"], limsIds: ["L1", "L9"] }
    assert.deepStrictEqual(ids(wanted), ["1"])
    assert.deepStrictEqual(missing(wanted), [
      "analysis 99: not found",
      "sample S9: not found (no analysis is of it)",
      "person L9: not found (no analysis is of this person)"
    ])
  })

  it("an empty result is not found either", () => {
    assert.deepStrictEqual(missing({ sampleIds: ["S2"], limsIds: ["200000000"] }), [
      "selected analyses: not found (none fits the analysis, sample and LIMS ids together)"
    ])
    assert.deepStrictEqual(missing({ sampleIds: ["S2"], filters: [filter("status = DONE")] }), [
      "selected analyses: not found (1 fit the ids, none passes the filters)"
    ])
    assert.deepStrictEqual(missing({ sampleIds: ["S2"] }), [])
  })
})
