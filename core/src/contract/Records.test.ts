import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Redacted, Schema } from "effect"
import * as SeededRandom from "../../../sandbox/samples/SeededRandom.ts"
import { records } from "../../../test/wire/Shapes.ts"
import * as Contract from "../library/Contract.ts"
import { enveloped } from "./Envelope.ts"
import { FileLink } from "./Files.ts"

type Json = Schema.Json
type JsonObject = { readonly [key: string]: Json }

const schemas = {
  ...Contract,
  Envelope: enveloped(Contract.Gene)
} satisfies Readonly<Record<keyof typeof records, Schema.Top>>

const each = (Object.keys(records) as ReadonlyArray<keyof typeof records>).map(
  (name) =>
    [
      name,
      schemas[name] as Schema.Top,
      (random: SeededRandom.SeededRandom) => records[name](random) as JsonObject
    ] as const
)

/** Takes what may be absent, the longest list, and the last of a choice: of each record the one with every field. */
const fullest: SeededRandom.SeededRandom = {
  next: () => 0.75,
  between: (_, to) => to - 1,
  pick: (from) => from[from.length - 1] ?? from[0],
  chance: () => false
}

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

/** A map has values of one kind: a stranger among them is a wrong value, not an unknown field. `Shapes.ts` calls its keys so. */
const isMap = (json: JsonObject) => Object.keys(json).every((key) => key.startsWith("key "))

/** `json` with `extra` in every record of it. */
const sprinkled = (json: Json, extra: JsonObject): Json =>
  Array.isArray(json)
    ? json.map((one: Json) => sprinkled(one, extra))
    : isObject(json)
      ? {
          ...Object.fromEntries(Object.entries(json).map(([key, value]) => [key, sprinkled(value, extra)])),
          ...(isMap(json) ? {} : extra)
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
  it.effect.each(each)(
    "H20 %s is written as it was read, with what it does not know, hostile names too",
    ([name, schema, shape]) =>
      Effect.gen(function* () {
        const extra = JSON.parse(
          '{"ofTomorrow":{"a":[1,null,{"b":true}]},"__proto__":{"polluted":true},"constructor":1,"toString":null,"":0}'
        )
        for (let seed = 1; seed <= 10; seed++) {
          const strange = sprinkled(shape(SeededRandom.make(SeededRandom.seedOf(seed, name))), extra)
          const written = yield* roundTrip(schema, strange)
          assert.strictEqual(text(written), text(strange), `seed ${seed}`)
          assert.notProperty({}, "polluted")
          assert.notProperty(written, "polluted")
        }
      })
  )

  it.each(each)("%s takes null and absence for every field that is not its point", (name, schema, shape) => {
    const wire = shape(fullest)
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
      assert.strictEqual(text(yield* roundTrip(Contract.AnalysisItem, wire)), text(wire))
    })
  )

  it.effect("words that no release knows yet are kept", () =>
    Effect.gen(function* () {
      const wire = { id: 1, analysisType: "LONG_READ", sampleOrigin: "", status: "PAUSED" }
      assert.deepStrictEqual(yield* roundTrip(Contract.AnalysisItem, wire), wire)
    })
  )

  it("a known item of a report is held to its kind, a new kind is kept", () => {
    assert.isTrue(Exit.isSuccess(decode(Contract.CaseReport, { items: [{ type: "NEW", analyses: 1 }] })))
    assert.isTrue(Exit.isFailure(decode(Contract.CaseReport, { items: [{ type: "METHODS", analyses: 1 }] })))
    assert.isTrue(Exit.isFailure(decode(Contract.CaseReport, { items: [{}] })))
  })

  it("a list instead of a record is refused", () => {
    for (const wire of [[], "", 0, null, true]) assert.isTrue(Exit.isFailure(decode(Contract.Person, wire)))
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
      const files = yield* Schema.decodeEffect(Contract.AnalysisFiles)({
        id: 1,
        apiFileLinks: [{ downloadLink: link }]
      })
      assert.notInclude(`${JSON.stringify(files)} ${String(files.apiFileLinks[0]?.downloadLink)}`, "canary")
      const [file] = files.apiFileLinks
      assert.strictEqual(file?.downloadLink == null ? null : Redacted.value(file.downloadLink), link)
    })
  )

  it.effect.each([1_763_700_000, 1_763_700_000_000])(
    "an estimate of %j is a time, in seconds or milliseconds",
    (estimate) =>
      Effect.gen(function* () {
        const answer = yield* Schema.decodeEffect(Contract.RestoreAnswer)({ restoreEstimation: estimate })
        assert.strictEqual(answer.restoreEstimation, "2025-11-21T04:40:00.000Z")
      })
  )

  it.effect.each([0, -1, 1e300, {}, true, null])("an estimate of %j says nothing", (estimate) =>
    Effect.gen(function* () {
      const file = yield* Schema.decodeEffect(FileLink)({ estimatedRestoreTime: estimate })
      const answer = yield* Schema.decodeEffect(Contract.RestoreAnswer)({ restoreEstimation: estimate })
      assert.deepStrictEqual([file.estimatedRestoreTime, answer.restoreEstimation], [null, null])
    })
  )
})
