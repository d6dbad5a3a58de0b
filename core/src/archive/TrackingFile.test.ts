import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { growsEvenly } from "../../../test/CpuTime.ts"
import { AnalysisId } from "../contract/Ids.ts"
import { keyOf, type NewEntry, optionsKeyOf } from "./TrackingEntry.ts"
import { empty, entriesOf, parse, put, render, type TrackingDocument, without } from "./TrackingFile.ts"

const nameOf = (stored: string | null) => stored ?? "https://here/"
const here = "https://here/"

const defaults = {
  destination: "./data",
  overwrite: false,
  range: null,
  bed: null,
  restorationFile: "awaiting-restoration.json",
  filetypes: ["bam", "bam.bai"] as const
}

const stored = (more: object = {}, options: object = {}) => ({
  analysisId: "A1",
  fileName: "S1.bam",
  restoreEstimation: "2026-11-21T12:00:00.000Z",
  options: { ...defaults, ...options },
  ...more
})

const fresh = (more: Partial<NewEntry> = {}): NewEntry => ({
  target: here,
  analysisId: AnalysisId.make("A1"),
  fileName: "S1.bam",
  restoreEstimation: null,
  requestTime: "2026-11-21T00:00:00.000Z",
  status: "pending",
  options: defaults,
  ...more
})

const read = (text: string): TrackingDocument => Result.getOrThrow(parse(text))
const refusal = (text: string): string | null =>
  Result.match(parse(text), { onSuccess: () => null, onFailure: (reason) => reason })
const keys = (document: TrackingDocument) => [...entriesOf(document, here, nameOf).keys()]

describe("TrackingDocument", () => {
  it("reads the array layout of docs/dev/service.md 2.3 and writes it", () => {
    const document = read(JSON.stringify([stored()]))
    const [entry] = [...entriesOf(document, here, nameOf).values()]
    assert.strictEqual(entry?.analysisId, "A1")
    assert.strictEqual(entry?.restoreEstimation, "2026-11-21T12:00:00.000Z")
    assert.deepStrictEqual(entry?.options.filetypes, ["bam", "bam.bai"])
    const written = JSON.parse(render(put(empty, fresh(), nameOf)))
    const [keys, options] = [Object.keys(written[0]), Object.keys(written[0].options)]
    assert.strictEqual(keys.join(" "), "analysisId fileName restoreEstimation options target requestTime status")
    assert.strictEqual(options.join(" "), "destination overwrite range bed restorationFile filetypes")
  })

  it("T1 an empty array has no entries, and no entries are an empty array", () => {
    assert.deepStrictEqual(read("[]").items, [])
    assert.deepStrictEqual(read(" [ \r\n ] ").items, [])
    assert.strictEqual(render(empty), "[]\n")
  })

  it("T2 refuses zero bytes, zeros, garbage and every cut of a good file", () => {
    const text = render(put(put(empty, fresh(), nameOf), fresh({ analysisId: AnalysisId.make("A2") }), nameOf))
    for (let length = 0; length < text.trimEnd().length; length++) assert.isNotNull(refusal(text.slice(0, length)))
    assert.match(refusal("") ?? "", /0 bytes/)
    assert.match(refusal("\0".repeat(100)) ?? "", /zero bytes/)
    assert.match(refusal(text.slice(0, 60)) ?? "", /not JSON: expected .* in line \d+, column \d+/)
    for (const garbage of ["null", "12", '"x"', "true", "{}", '{"restorations":{}}', "\u001b[2J", "<html>", "PK\u0003"])
      assert.isNotNull(refusal(garbage), garbage)
  })

  it("T3 reads the object layout with all its keys and writes the array", () => {
    const odd = {
      analysisId: 7,
      fileName: "S7.bam",
      requestTime: "2026-11-20T00:00:00Z",
      status: "pending",
      target: here
    }
    const text = JSON.stringify({ note: [1, { restorations: [] }], restorations: [odd], lastUpdated: "x" }, null, 2)
    const document = read(text)
    assert.strictEqual(document.layout, "object")
    assert.deepStrictEqual(
      [...entriesOf(document, here, nameOf).values()].map(({ analysisId, options, status }) => [
        analysisId,
        status,
        options
      ]),
      [["7", "pending", {}]]
    )
    assert.deepStrictEqual(JSON.parse(render(document)), [odd])
    assert.match(refusal('{"restorations":[],"restorations":[]}') ?? "", /twice/)
  })

  it("T4 takes CRLF; refuses a byte order mark, JSON lines, a trailing comma, comments", () => {
    const text = JSON.stringify([stored()], null, 2)
    assert.strictEqual(keys(read(text.replaceAll("\n", "\r\n"))).length, 1)
    assert.match(refusal(`\ufeff${text}`) ?? "", /byte order mark/)
    for (const broken of [`${text}\n${text}`, text.replace(/\]$/, ",]"), `// x\n${text}`, `${text}x`, "[[[]]"]) {
      assert.match(refusal(broken) ?? "", /not JSON: expected/, broken.slice(0, 20))
    }
    assert.match(refusal(`${"[".repeat(100_000)}${"]".repeat(100_000)}`) ?? "", /deeper/)
  })

  it("T6 the same request is one, however it is spelled; other options are another", () => {
    const one = stored()
    const backwards = Object.fromEntries(Object.entries(stored({ analysisId: "A1" })).reverse())
    const other = stored({}, { destination: "./other" })
    const document = read(JSON.stringify([one, backwards, other, stored({ target: "https://there/" })]))
    assert.strictEqual(keys(document).length, 2)
    assert.strictEqual(keys(read(JSON.stringify([stored({ analysisId: 12 }), stored({ analysisId: "12" })]))).length, 1)
    const [first] = keys(document)
    const rest = without(document, ({ entry }) => entry !== null && keyOf(nameOf(entry.target), entry) === first)
    assert.deepStrictEqual(JSON.parse(render(rest)), [other, stored({ target: "https://there/" })])
  })

  it("T6 what says nothing makes no difference: null, false, the flat layout, where the file lies, order of types", () => {
    const key = optionsKeyOf(stored().options)
    const same = { filetypes: ["bam.bai", "bam"], destination: "./data", layout: "flat", restorationFile: "/x.json" }
    assert.strictEqual(optionsKeyOf(same), key)
    for (const other of [
      { overwrite: true },
      { range: "chr1" },
      { unmapped: true },
      { layout: "analysis" },
      { n: 1 }
    ]) {
      assert.notStrictEqual(optionsKeyOf({ ...same, ...other }), key)
    }
    assert.strictEqual(optionsKeyOf({ n: 12 }), optionsKeyOf({ n: "12" }))
  })

  it("T7 bad entries stay as they are, with a reason, and the good ones count", () => {
    const bad = [
      "12",
      "null",
      '[{"analysisId":"A1"}]',
      "{}",
      '{"analysisId":"A1"}',
      '{"analysisId":1.5,"fileName":"S1.bam"}',
      '{"analysisId":"A1","fileName":"../S1.bam"}',
      '{"analysisId":"A1","fileName":"passwd"}',
      '{"analysisId":"A1","fileName":"S1.bam","options":{"overwrite":"yes"}}',
      '{"analysisId":"A1","fileName":"S1.bam","options":{"filetypes":["exe"]}}',
      '{"analysisId":"A1","fileName":"S1.bam","options":{"destination":7}}'
    ]
    const good =
      '{ "__proto__": {"polluted": 1}, "analysisId" : "A2","fileName":"S2.bam", "big": 12345678901234567890 }'
    const document = read(`[${[...bad, good].join(" , ")}]`)
    assert.deepStrictEqual(
      document.items.map(({ problem, text }) => [text, problem === null]),
      [...bad.map((text) => [text, false]), [good, true]]
    )
    for (const { problem } of document.items.slice(0, -1)) assert.isNotEmpty(problem)
    assert.isUndefined(Reflect.get({}, "polluted"))
    const changed = put(
      put(document, fresh(), nameOf),
      fresh({ analysisId: AnalysisId.make("A2"), fileName: "S3.bam" }),
      nameOf
    )
    for (const text of [...bad, good]) assert.include(render(changed), text)
  })

  it("T7 an entry brought up to date keeps its other keys, `__proto__` too", () => {
    const text = JSON.stringify([{ ...stored({ more: { deep: [1] } }), status: "x" }]).replace(
      '"more"',
      '"__proto__":{"a":1},"more"'
    )
    const written = render(put(read(text), fresh({ restoreEstimation: "soon" }), nameOf))
    assert.include(written, '"__proto__"')
    const [entry] = JSON.parse(written)
    assert.deepStrictEqual([entry.more, entry.restoreEstimation, entry.status], [{ deep: [1] }, "soon", "pending"])
    assert.strictEqual(JSON.parse(written).length, 1)
  })

  it("L11 any text is kept as the estimation, and what is no text does no harm", () => {
    for (const raw of ["tomorrow", "9999-12-31T23:59:59Z", "", 0, null, { a: 1 }]) {
      const text = JSON.stringify([stored({ restoreEstimation: raw })])
      assert.strictEqual(keys(read(text)).length, 1)
      assert.include(
        render(put(read(text), fresh({ analysisId: AnalysisId.make("A9") }), nameOf)),
        `"restoreEstimation":${JSON.stringify(raw)}`
      )
    }
  })

  it("T8 thousands of entries: none of them is looked at for each of the others", () => {
    const padding = "x".repeat(200)
    const many = Array.from({ length: 8_000 }, (_, index) => stored({ analysisId: `A${index}`, padding }))
    growsEvenly(many.length, (entries) => {
      const document = read(JSON.stringify(many.slice(0, entries), null, 2))
      const [first] = keys(document)
      const rest = render(without(document, (item) => item.entry !== null && keyOf(here, item.entry) === first))
      assert.strictEqual(JSON.parse(rest).length, entries - 1)
    })
  })

  it("an id beyond 2^53 keeps its digits, in the file and in what is asked for", () => {
    const text = JSON.stringify([stored({ analysisId: "ID", more: "ID" }), stored({ analysisId: "A2" })]).replaceAll(
      '"ID"',
      "90071992547409931"
    )
    const document = read(text)
    const ids = [...entriesOf(document, here, nameOf).values()].map(({ analysisId }) => analysisId)
    assert.deepStrictEqual(ids, ["90071992547409931", "A2"])
    const later = put(
      document,
      fresh({ analysisId: AnalysisId.make("90071992547409931"), status: "available" }),
      nameOf
    )
    assert.include(render(later), '"analysisId": 90071992547409931,')
    assert.include(render(later), '"more": 90071992547409931,')
    assert.lengthOf(later.items, 2)
  })

  it.effect.prop(
    "T5 unknown keys and values at every level survive any change, in their order",
    [Schema.Array(Schema.Json), Schema.Json, Schema.Json],
    ([others, extra, inside]) =>
      Effect.sync(() => {
        const text = JSON.stringify([...others, stored({ extra }, { inside }), ...others], null, 1)
        const document = read(text)
        const added = put(document, fresh({ analysisId: AnalysisId.make("new") }), nameOf)
        assert.deepStrictEqual(JSON.parse(render(document)), JSON.parse(text))
        assert.deepStrictEqual(JSON.parse(render(added)).slice(0, -1), JSON.parse(text))
        const back = without(added, ({ entry }) => entry?.analysisId === "new")
        assert.deepStrictEqual(JSON.parse(render(back)), JSON.parse(text))
        assert.strictEqual(render(read(render(added))), render(added))
      })
  )
})
