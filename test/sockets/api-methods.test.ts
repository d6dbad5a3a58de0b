/** Every method of the table against the sandbox, with identifiers as texts and as integers, in one session each. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted, type Schema, Stream } from "effect"
import { ServiceClient } from "../../core/src/client/ServiceClient.ts"
import { PanelId } from "../../core/src/contract/Ids.ts"
import type { ChangeError } from "../../core/src/Errors.ts"
import * as Service from "../../platform/Service.ts"
import { start } from "../../sandbox/Sandbox.ts"
import { methodTable } from "../../steps/api/ApiStep.ts"

const service = (ids: "text" | "numeric") =>
  Layer.unwrap(
    Effect.map(start({ behaviour: { ids, strict: true } }), ({ password, url, user }) =>
      Service.layer({ baseUrl: new URL(url), username: user, password: Redacted.make(password) })
    )
  ).pipe(Layer.provide(NodeServices.layer))

const given = {
  text: { person: "LIMS-0001", internal: "P1", analysis: "A1", cnv: "A5", panel: "V2" },
  numeric: { person: "LIMS-0001", internal: "1001", analysis: "1", cnv: "5", panel: "2" }
} as const

const rowOf = (method: string) => {
  const row = methodTable.find((row) => row.method === method)
  if (row === undefined) throw new Error(`no method ${method}`)
  return row
}

const calls = Effect.gen(function* () {
  const panel = { virtualPanelId: PanelId.make("1") }
  return { api: yield* ServiceClient, panel }
})

const call = (method: string, operands: ReadonlyArray<string>, values: Readonly<Record<string, unknown>> = {}) =>
  Effect.flatMap(calls, (calls): Effect.Effect<Schema.Json, ChangeError> => {
    const { work } = rowOf(method)
    if (work.kind === "each") return work.call(calls, operands[0] ?? "", values)
    return work.kind === "special" ? Effect.die(`${method} is special`) : work.call(calls, operands, values)
  })

const fields = (payload: Schema.Json) => (typeof payload === "object" && payload !== null ? Object.keys(payload) : [])
const items = (payload: Schema.Json) => (Array.isArray(payload) ? payload : [])

for (const ids of ["text", "numeric"] as const) {
  const { analysis, cnv, internal, panel, person } = given[ids]
  const pending = { "lims-id": person, "internal-person-id": null }

  layer(service(ids), { excludeTestServices: true })(`with ids as ${ids}`, (it) => {
    const cases: ReadonlyArray<
      readonly [string, ReadonlyArray<string>, Readonly<Record<string, unknown>>, (payload: Schema.Json) => void]
    > = [
      ["get-internal-person-id", [person], {}, (id) => assert.strictEqual(id, ids === "text" ? "P1" : 1001)],
      [
        "get-person",
        [person],
        {},
        (it) => assert.sameMembers(fields(it), ["personalInformation", "clinicalInformation"])
      ],
      ["get-person-analyses", [person], {}, (it) => assert.isAbove(items(it).length, 0)],
      ["get-analyses", [], {}, (it) => assert.isAbove(items(it).length, 2)],
      ["get-analyses", [analysis, cnv], {}, (it) => assert.lengthOf(items(it), 2)],
      ["find-analyses-by-filename", ["fastq"], {}, (it) => assert.isArray(it)],
      ["get-snv-annotations", [analysis], {}, (it) => assert.includeMembers(fields(it), ["data", "header"])],
      ["get-cnv-target-results", [person, cnv], {}, (it) => assert.include(fields(it), "targetRegionsHeader")],
      ["get-pending-cnv-segments", [cnv], pending, (it) => assert.sameMembers(fields(it), ["data", "cnvHeader"])],
      [
        "get-pending-cnv-segments",
        [cnv],
        { "lims-id": null, "internal-person-id": internal },
        (it) => assert.sameMembers(fields(it), ["data", "cnvHeader"])
      ],
      [
        "get-qc-case-metrics",
        [person],
        {},
        (it) => assert.nestedPropertyVal(it, `metricResults.${person}.personId`, person)
      ],
      ["get-coverage-data", [person], {}, (it) => assert.isAbove(items(it).length, 0)],
      ["get-case-report", [person], { draft: false, inactive: false }, (it) => assert.propertyVal(it, "draft", false)],
      ["get-case-report", [person], { draft: true, inactive: false }, (it) => assert.propertyVal(it, "draft", true)],
      [
        "get-case-report",
        [person],
        { draft: false, inactive: true },
        (it) => assert.nestedPropertyVal(it, "items[3].active", false)
      ],
      ["get-reports-info", [], {}, (it) => assert.isAbove(items(it).length, 0)],
      ["get-virtual-panel", [panel], {}, (it) => assert.propertyVal(it, "id", ids === "text" ? panel : Number(panel))],
      ["get-virtual-panel-summaries", [], {}, (it) => assert.isAbove(items(it).length, 0)],
      ["get-all-genes", [], {}, (it) => assert.isAbove(items(it).length, 0)],
      ["get-file-download-links", [analysis], {}, (it) => assert.include(fields(it), "apiFileLinks")]
    ]
    for (const [method, operands, values, check] of cases) {
      it.effect(`${method} ${operands.join(" ")} ${JSON.stringify(values)}`, () =>
        Effect.map(call(method, operands, values), check)
      )
    }

    it("every method is tried here, unless it has a work of its own, which its transcript tries", () => {
      const tried = new Set(cases.map(([method]) => method))
      const missing = methodTable.filter(({ method, work }) => work.kind !== "special" && !tried.has(method))
      const names = missing.map(({ method }) => method)
      assert.deepStrictEqual(names, [], `no case here for ${names.join(", ")}`)
    })

    it.effect("what is streamed is what is parsed", () =>
      Effect.gen(function* () {
        const service = yield* calls
        for (const [method, id] of [
          ["get-snv-annotations", analysis],
          ["get-case-report", person]
        ] as const) {
          const { work } = rowOf(method)
          if (work.kind !== "each" || work.stream === undefined) return assert.fail(`${method} has no stream`)
          const text = yield* Stream.mkString(Stream.decodeText(work.stream(service, id, {})))
          assert.deepStrictEqual(JSON.parse(text), yield* call(method, [id]))
        }
      })
    )

    const missing: ReadonlyArray<readonly [string, ReadonlyArray<string>, Readonly<Record<string, unknown>>]> = [
      ["get-internal-person-id", ["nobody"], {}],
      ["get-person", ["nobody"], {}],
      ["get-person-analyses", ["nobody"], {}],
      ["get-snv-annotations", ["99999"], {}],
      ["get-cnv-target-results", ["nobody", cnv], {}],
      ["get-pending-cnv-segments", [cnv], { "lims-id": "nobody", "internal-person-id": null }],
      ["get-pending-cnv-segments", [cnv], { "lims-id": null, "internal-person-id": "99999" }],
      ["get-qc-case-metrics", ["nobody"], {}],
      ["get-coverage-data", ["nobody"], {}],
      ["get-case-report", ["nobody"], { draft: false, inactive: false }],
      ["get-virtual-panel", ["99999"], {}],
      ["get-file-download-links", ["99999"], {}],
      ["get-person", ["a/../b?c#d%"], {}],
      ["get-person", [".."], {}]
    ]
    for (const [method, operands, values] of missing) {
      it.effect(`H20 ${method} ${operands.join(" ")} ${JSON.stringify(values)} is not found`, () =>
        Effect.map(Effect.flip(call(method, operands, values)), (error) =>
          assert.propertyVal(error, "_tag", "SvcNotFound")
        )
      )
    }

    it.effect("an analysis that is not CNV is rejected", () =>
      Effect.map(Effect.flip(call("get-cnv-target-results", [person, analysis])), (error) =>
        assert.include(error, { _tag: "SvcRequestRejected", errorMessageId: "ANALYSIS_UNSUITABLE" })
      )
    )

    it.effect("streams of what does not exist end before their first byte", () =>
      Effect.gen(function* () {
        const { bytes } = (yield* calls).api
        for (const stream of [
          bytes("getCaseReport", "nobody" as never),
          bytes("getSnvAnnotations", "99999" as never),
          bytes("getSnvAnnotations", ".." as never)
        ]) {
          assert.propertyVal(yield* Effect.flip(Stream.runDrain(stream)), "_tag", "SvcNotFound")
        }
      })
    )
  })
}
