import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Redacted, Schema } from "effect"
import { type JsonObject, samples } from "../../../test/wire/Samples.ts"
import { AnalysisItem } from "./Analyses.ts"
import { CaseReport } from "./CaseReports.ts"
import { AnalysisFiles, FileLink, RestoreAnswer } from "./Files.ts"
import { Person } from "./Persons.ts"

type Json = Schema.Json

const codec = (schema: Schema.Top) => schema as unknown as Schema.Codec<unknown, unknown>
const decode = (schema: Schema.Top, wire: unknown) => Schema.decodeUnknownExit(codec(schema))(wire)
const roundTrip = (schema: Schema.Top, wire: Json) =>
  Schema.decodeEffect(codec(schema))(wire).pipe(Effect.flatMap(Schema.encodeUnknownEffect(codec(schema))))

/** As JSON text with sorted keys: an own `__proto__` shows there, and in no deep comparison. */
const text = (json: unknown): string => JSON.stringify(sorted(json as Json))
const sorted = (json: Json): Json =>
  Array.isArray(json)
    ? json.map(sorted)
    : isObject(json)
      ? Object.fromEntries(
          Object.entries(json)
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([key, value]) => [key, sorted(value)])
        )
      : json

const isObject = (json: Json): json is JsonObject => typeof json === "object" && json !== null && !Array.isArray(json)

/** Objects that are maps with values of one kind: a stranger among them is a wrong value, not an unknown field. */
const maps = /^(sampleIds|data|ranges|COVERAGE|metricResults|relativesData|geneIdTo\w+)$/

/** `json` with `extra` in every record of it. */
const sprinkled = (json: Json, extra: JsonObject, key = ""): Json =>
  Array.isArray(json)
    ? json.map((each: Json) => sprinkled(each, extra))
    : isObject(json)
      ? {
          ...Object.fromEntries(Object.entries(json).map(([key, value]) => [key, sprinkled(value, extra, key)])),
          ...(maps.test(key) && !Object.hasOwn(json, "personId") ? {} : extra)
        }
      : json

/** What a record cannot do without; all other fields may be null or absent. */
const required: Readonly<Record<string, ReadonlyArray<string>>> = {
  AnalysisItem: ["id"],
  FoundAnalysis: ["analysisId"],
  PersonUpdate: ["id"],
  CaseReportInfo: ["limsId"],
  VirtualPanelSummary: ["id"],
  VirtualPanel: ["name", "genes"],
  VirtualPanelUpdate: ["name", "active", "geneIds"],
  Gene: ["id", "symbol"],
  CoverageItem: ["chromosome", "start", "end"],
  QcCaseMetrics: ["metricResults"],
  SnvAnnotations: ["data", "header"],
  CnvTargetResults: ["targetRegionsHeader", "data"],
  PendingCnvSegments: ["data"],
  CaseReport: ["items"],
  AnalysisFiles: ["apiFileLinks"]
}

describe("records", () => {
  it.effect.each(samples)("%s is written as it was read", ([, schema, wire]) =>
    Effect.gen(function* () {
      assert.strictEqual(text(yield* roundTrip(schema, wire)), text(wire))
    })
  )

  it.effect.each(samples)("H20 %s keeps what it does not know, hostile names too", ([, schema, wire]) =>
    Effect.gen(function* () {
      const extra = JSON.parse(
        '{"ofTomorrow":{"a":[1,null,{"b":true}]},"__proto__":{"polluted":true},"constructor":1,"toString":null,"":0}'
      )
      const strange = sprinkled(wire, extra)
      const written = yield* roundTrip(schema, strange)
      assert.strictEqual(text(written), text(strange))
      assert.notProperty({}, "polluted")
      assert.notProperty(written, "polluted")
    })
  )

  it.each(samples)("%s takes null and absence for every field that is not its point", (name, schema, wire) => {
    const needed = (change: (key: string) => JsonObject) =>
      Object.keys(wire).filter((key) => Exit.isFailure(decode(schema, change(key))))
    const without = (key: string) => Object.fromEntries(Object.entries(wire).filter(([other]) => other !== key))
    assert.sameMembers(needed(without), [...(required[name] ?? [])])
    assert.sameMembers(
      needed((key) => ({ ...wire, [key]: null })),
      [...(required[name] ?? [])]
    )
  })

  it.effect.prop("an unknown field may be any JSON", [Schema.String, Schema.Json], ([key, value]) =>
    Effect.gen(function* () {
      const wire: JsonObject = JSON.parse(JSON.stringify({ id: 1, nested: { [`?${key}`]: value } }))
      assert.strictEqual(text(yield* roundTrip(AnalysisItem, wire)), text(wire))
    })
  )

  it.effect("words that no release knows yet are kept", () =>
    Effect.gen(function* () {
      const wire = { id: 1, analysisType: "LONG_READ", sampleOrigin: "", status: "PAUSED" }
      assert.deepStrictEqual(yield* roundTrip(AnalysisItem, wire), wire)
    })
  )

  it("a known item of a report is held to its kind, a new kind is kept", () => {
    assert.isTrue(Exit.isSuccess(decode(CaseReport, { items: [{ type: "NEW", analyses: 1 }] })))
    assert.isTrue(Exit.isFailure(decode(CaseReport, { items: [{ type: "METHODS", analyses: 1 }] })))
    assert.isTrue(Exit.isFailure(decode(CaseReport, { items: [{}] })))
  })

  it("a list instead of a record is refused", () => {
    for (const wire of [[], "", 0, null, true]) assert.isTrue(Exit.isFailure(decode(Person, wire)))
  })
})

describe("files", () => {
  it.effect.each([
    ["12", null],
    [-1, null],
    [1.5, null],
    [2 ** 53, null],
    [JSON.parse("9007199254740993"), null],
    [JSON.parse("1e400"), null],
    [Number.NaN, null],
    ["NaN", null],
    [true, null],
    [{}, null],
    [null, null],
    [0, 0],
    [2 ** 53 - 1, 2 ** 53 - 1]
  ] as const)("H21 size %s is %s", ([size, expected]) =>
    Effect.gen(function* () {
      const file = yield* Schema.decodeEffect(FileLink)({ size })
      assert.strictEqual(file.size, expected)
    })
  )

  it.effect("H21 no size is not a size of 0", () =>
    Effect.gen(function* () {
      assert.isUndefined((yield* Schema.decodeEffect(FileLink)({})).size)
    })
  )

  it.effect("a link is nowhere to be read but in its own value", () =>
    Effect.gen(function* () {
      const link = "https://files.example.org/a?X-Amz-Signature=canary"
      const files = yield* Schema.decodeEffect(AnalysisFiles)({ id: 1, apiFileLinks: [{ downloadLink: link }] })
      assert.notInclude(`${JSON.stringify(files)} ${String(files.apiFileLinks[0]?.downloadLink)}`, "canary")
      const [file] = files.apiFileLinks
      assert.strictEqual(file?.downloadLink == null ? null : Redacted.value(file.downloadLink), link)
    })
  )

  it.effect.each([1_763_700_000, {}, true, null])("an estimate of %j says nothing", (estimate) =>
    Effect.gen(function* () {
      const file = yield* Schema.decodeEffect(FileLink)({ estimatedRestoreTime: estimate })
      const answer = yield* Schema.decodeEffect(RestoreAnswer)({ restoreEstimation: estimate })
      assert.deepStrictEqual([file.estimatedRestoreTime, answer.restoreEstimation], [null, null])
    })
  )
})
