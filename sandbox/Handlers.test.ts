import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { AnalysisItem, FoundAnalysis } from "../core/src/contract/Analyses.ts"
import { CnvTargetResults, PendingCnvSegments, SnvAnnotations } from "../core/src/contract/Annotations.ts"
import { CaseReport, CaseReportInfo } from "../core/src/contract/CaseReports.ts"
import { type EndpointName, endpointNotes } from "../core/src/contract/EndpointNotes.ts"
import { declare } from "../core/src/contract/Endpoints.ts"
import { enveloped } from "../core/src/contract/Envelope.ts"
import { ExactNumber } from "../core/src/contract/ExactNumber.ts"
import { AnalysisFiles, RestoreAnswer } from "../core/src/contract/Files.ts"
import { WirePanelId, WirePersonId } from "../core/src/contract/Ids.ts"
import { Gene, VirtualPanel, VirtualPanelSummary } from "../core/src/contract/Panels.ts"
import { Person } from "../core/src/contract/Persons.ts"
import { CoverageItem, QcCaseMetrics } from "../core/src/contract/QualityControl.ts"
import { json, visit } from "../test/servers/Visitor.ts"

/** Path, and the record of the contract that its answer has to be. A is a CNV analysis of L. */
const endpoints = (ids: { lims: string; person: string; analysis: string; cnv: string; panel: string }) =>
  [
    [`/api/person/${ids.lims}/id`, enveloped(WirePersonId)],
    [`/api/person/${ids.lims}`, enveloped(Person)],
    [`/api/analysis/${ids.analysis}/annotations`, SnvAnnotations],
    ["/api/analyses", enveloped(Schema.Array(AnalysisItem))],
    [`/person/${ids.lims}/analyses`, Schema.Array(AnalysisItem)],
    [
      "/analysis-list/find-by-customer-provided-input-file-name?customerProvidedInputFileName=fastq",
      enveloped(Schema.Array(FoundAnalysis))
    ],
    [`/api/results/${ids.lims}/cnv?analysisIds=${ids.cnv}&virtualPanelId=1`, CnvTargetResults],
    [`/pending-cnv?personId=${ids.person}&analysesIds=${ids.cnv}&virtualPanelId=1`, enveloped(PendingCnvSegments)],
    [`/api/qualitycontrol/metrics/case/${ids.lims}`, enveloped(QcCaseMetrics)],
    [`/api/${ids.lims}/coverage`, Schema.Array(CoverageItem)],
    [`/api/cases/${ids.lims}/report`, enveloped(CaseReport)],
    ["/api/cases/reports/info", enveloped(Schema.Array(CaseReportInfo))],
    [`/virtual-panel/${ids.panel}`, enveloped(VirtualPanel)],
    ["/virtual-panels", enveloped(Schema.Array(VirtualPanelSummary))],
    ["/virtual-panel-genes", enveloped(Schema.Array(Gene))],
    [`/api/analysis/${ids.analysis}/get-file-download-links`, enveloped(AnalysisFiles)]
  ] as const

const text = { lims: "LIMS-0001", person: "P1", analysis: "A1", cnv: "A5", panel: "V2" }
const numeric = { lims: "LIMS-0001", person: "1001", analysis: "1", cnv: "5", panel: "2" }

/** Every value under a key that ends in `Id`, `Ids` or is `id`, with its key. */
const idsIn = (value: unknown, key = ""): ReadonlyArray<readonly [string, unknown]> =>
  Array.isArray(value)
    ? value.flatMap((one) => idsIn(one, key))
    : typeof value === "object" && value !== null
      ? Object.entries(value).flatMap(([name, one]) => idsIn(one, name))
      : [[key, value]]

layer(NodeServices.layer, { excludeTestServices: true })("endpoints", (it) => {
  for (const [name, ids, options] of [
    ["text", text, {}],
    ["numeric", numeric, { behaviour: { ids: "numeric" } }]
  ] as const) {
    it.effect(`with ${name} ids, every answer is the record of the contract`, () =>
      Effect.gen(function* () {
        const { get, sandbox } = yield* visit(options)
        for (const [path, schema] of endpoints(ids)) {
          const heard = yield* get(path)
          assert.strictEqual(heard.status, 200, path)
          assert.match(String(heard.headers["content-type"]), /^application\/json/, path)
          yield* Schema.decodeUnknownEffect(schema as Schema.Codec<unknown>)(json(heard))
        }
        const { requests } = yield* sandbox.stats
        const names = Object.keys(endpointNotes) as ReadonlyArray<EndpointName>
        const read = names.filter((name) => declare(name).method === "GET")
        assert.includeMembers(Object.keys(requests), read, "a new endpoint: add it to the table above")
        assert.isUndefined(requests["other"])
      })
    )
  }

  it.effect("numeric ids are integers on the wire, LIMS and sample ids are text", () =>
    Effect.gen(function* () {
      const { getJson } = yield* visit({ behaviour: { ids: "numeric" } })
      const found: Array<readonly [string, unknown]> = []
      for (const [path] of endpoints(numeric)) found.push(...idsIn(yield* getJson(path)))
      const integers = ["analysisId", "personId", "virtualPanelId", "geneIds", "analysisIds"]
      for (const [key, value] of found) {
        if (value === null) continue
        // The metrics call a LIMS id personId (docs/dev/service.md 12).
        if (integers.includes(key) && value !== "LIMS-0001") assert.isTrue(Number.isInteger(value), `${key}: ${value}`)
        if (["limsId", "personLimsId", "sampleId"].includes(key)) assert.isString(value, key)
      }
      assert.strictEqual((yield* getJson("/api/person/LIMS-0002/id")).response, 1002)
      assert.deepStrictEqual(
        (yield* getJson("/api/analyses?analysisIds=1,3,99")).response.map((item: { id: number }) => item.id),
        [1, 3]
      )
    })
  )

  describe("not found", () => {
    const forms: ReadonlyArray<readonly [path: string, status: number]> = [
      ["/api/person/NOBODY/id", 404],
      ["/api/person/NOBODY", 404],
      ["/api/analysis/A99/annotations", 400],
      ["/api/results/NOBODY/cnv?analysisIds=A5", 404],
      ["/api/results/LIMS-0001/cnv?analysisIds=A1", 422],
      ["/api/results/LIMS-0002/cnv?analysisIds=A5", 422],
      ["/pending-cnv?personId=P99&analysesIds=A5", 400],
      ["/pending-cnv?personId=P1&analysesIds=A99", 400],
      ["/api/qualitycontrol/metrics/case/NOBODY", 400],
      ["/api/NOBODY/coverage", 400],
      ["/person/NOBODY/analyses", 400],
      ["/api/cases/NOBODY/report", 404],
      ["/api/cases/LIMS-0005/report", 404],
      ["/api/analysis/A99/get-file-download-links", 400]
    ]
    for (const [path, status] of forms) {
      it.effect(`${status} ${path}`, () =>
        Effect.gen(function* () {
          const { get } = yield* visit()
          const heard = yield* get(path)
          assert.strictEqual(heard.status, status)
          const { errorMessageId, response, success } = json(heard)
          assert.deepStrictEqual({ response, success }, { response: null, success: false })
          assert.isString(errorMessageId)
        })
      )
    }

    it.effect("a panel: 200, success true, response null", () =>
      Effect.gen(function* () {
        const { getJson } = yield* visit()
        const { response, success } = yield* getJson("/virtual-panel/V99")
        assert.deepStrictEqual({ response, success }, { response: null, success: true })
      })
    )

    it.effect("unknown analyses and file names: an empty list", () =>
      Effect.gen(function* () {
        const { getJson } = yield* visit()
        const find = "/analysis-list/find-by-customer-provided-input-file-name?customerProvidedInputFileName="
        assert.deepStrictEqual((yield* getJson("/api/analyses?analysisIds=A99,A98")).response, [])
        assert.deepStrictEqual((yield* getJson(`${find}nowhere`)).response, [])
        assert.strictEqual((yield* getJson(`${find}run-102&customerProvidedInputFileName=S2`)).response.length, 1)
      })
    )
  })

  describe("changing records", () => {
    it.effect("PUT person creates, updates, and keeps what a null or nothing stands for", () =>
      Effect.gen(function* () {
        const { getJson, send } = yield* visit({ behaviour: { ids: "numeric" } })
        const born = { birthDateYear: 2001, birthDateMonth: 2, birthDateDay: 3 }
        const created = yield* send("PUT", "/api/person", {
          id: "NEW 1/2",
          firstName: "Eva",
          comment: "first",
          ...born
        })
        assert.strictEqual(json(created), 1006)
        const updated = yield* send("PUT", "/api/person", { id: "NEW 1/2", firstName: null, comment: "second" })
        assert.strictEqual(json(updated), 1006)
        const { personalInformation } = (yield* getJson("/api/person/NEW%201%2F2")).response
        const { birthDate, comment, firstName, sex } = personalInformation
        assert.deepStrictEqual(
          { birthDate, comment, firstName, sex },
          { birthDate: "2001-02-03", comment: "second", firstName: "Eva", sex: "UNKNOWN" }
        )
        assert.strictEqual((yield* send("PUT", "/api/person", { id: "" })).status, 400)
      })
    )

    it.effect("POST virtual panel creates and replaces; says success false without genes", () =>
      Effect.gen(function* () {
        const { getJson, send } = yield* visit()
        const panel = { name: "Mine", active: true, geneIds: ["G2", "G3"] }
        assert.strictEqual(json(yield* send("POST", "/api/virtual-panel", panel)).response, "V4")
        yield* send("POST", "/api/virtual-panel", { ...panel, id: "V4", geneIds: ["G3"] })
        const genes = (yield* getJson("/virtual-panel/V4")).response.genes
        assert.deepStrictEqual(
          genes.map((gene: { symbol: string }) => gene.symbol),
          ["BRCA2"]
        )
        const summaries = (yield* getJson("/virtual-panels")).response
        assert.deepStrictEqual(
          summaries.map((one: { id: string }) => one.id),
          ["V2", "V3", "V4"]
        )
        for (const bad of [
          { ...panel, geneIds: [] },
          { ...panel, geneIds: ["G99"] },
          { ...panel, id: "V77" }
        ]) {
          const heard = yield* send("POST", "/api/virtual-panel", bad)
          assert.deepStrictEqual([heard.status, json(heard).success], [200, false])
        }
      })
    )

    it.effect("an answer without virtualPanelId uses the panel chosen last", () =>
      Effect.gen(function* () {
        const { getJson } = yield* visit()
        const coverage = "/api/LIMS-0001/coverage"
        const all: ReadonlyArray<unknown> = yield* getJson(coverage)
        const some: ReadonlyArray<unknown> = yield* getJson(`${coverage}?virtualPanelId=V3`)
        assert.isBelow(some.length, all.length)
        assert.deepStrictEqual(yield* getJson(coverage), some)
        assert.deepStrictEqual(yield* getJson(`${coverage}?virtualPanelId=1`), all)
      })
    )
  })

  describe("annotations", () => {
    it.effect("data stand before the header, or after it", () =>
      Effect.gen(function* () {
        for (const annotationHeader of ["last", "first"] as const) {
          const { get } = yield* visit({ behaviour: { annotationHeader } })
          const { body } = yield* get("/api/analysis/A1/annotations")
          const { data, header } = JSON.parse(body.toString())
          assert.deepStrictEqual([data.length, data[0].length], [200, header.length])
          assert.strictEqual(body.indexOf('"data"') < body.indexOf('"header"'), annotationHeader === "last")
        }
      })
    )

    it.effect("a large body streams, each row with its own id", () =>
      Effect.gen(function* () {
        const { get } = yield* visit({ behaviour: { annotationRows: 5000 } })
        const { data } = json(yield* get("/api/analysis/A1/annotations"))
        const ids = data.map((row: ReadonlyArray<string>) => row[0])
        assert.deepStrictEqual(
          [ids.length, new Set(ids).size, ids[0], ids[4999]],
          [5000, 5000, "V0000000001", "V0000005000"]
        )
      })
    )

    it.effect("of no rows are still an annotations body", () =>
      Effect.gen(function* () {
        const { getJson } = yield* visit({ behaviour: { annotationRows: 0 } })
        assert.deepStrictEqual((yield* getJson("/api/analysis/A1/annotations")).data, [])
      })
    )
  })

  it.effect("a report has positions as objects, and inactive items where they are asked for", () =>
    Effect.gen(function* () {
      const { getJson } = yield* visit()
      const report = "/api/cases/LIMS-0001/report"
      const { items } = (yield* getJson(report)).response
      const [{ cnvConclusions, snvConclusions }] = items[2].conclusions
      assert.deepStrictEqual(snvConclusions[0].position, { chromosome: "15", start: 48_505_037, end: 48_505_037 })
      assert.deepStrictEqual(cnvConclusions[0].position, { chromosome: "15", start: 48_600_000, end: 48_600_900 })
      const active = (list: ReadonlyArray<{ active: boolean }>) => list.map((item) => item.active)
      assert.deepStrictEqual(active(items), [true, true, true])
      assert.deepStrictEqual(active((yield* getJson(`${report}?inactive=true`)).response.items), [
        true,
        true,
        true,
        false
      ])
    })
  )

  it.effect("ids beyond 2^53 keep their digits", () =>
    Effect.gen(function* () {
      const id = new ExactNumber("9007199254740993")
      const { get } = yield* visit({
        behaviour: { ids: "numeric" },
        world: {
          persons: [{ limsId: "L-9", id: new ExactNumber("9007199254740995") }],
          analyses: [{ id, personLimsId: "L-9", files: [{ name: "S.bam", base64: "" }] }]
        }
      })
      const answers = [
        ["/api/analyses?analysisIds=9007199254740993", '"id":9007199254740993,'],
        ["/api/analyses?analysisIds=9007199254740992", '"response":[]'],
        ["/api/person/L-9/id", '"response":9007199254740995,'],
        ["/api/analysis/9007199254740993/get-file-download-links", '"id":9007199254740993,']
      ] as const
      for (const [path, part] of answers) assert.include((yield* get(path)).body.toString(), part)
    })
  )

  it.effect("reports may answer 500", () =>
    Effect.gen(function* () {
      const { get } = yield* visit({ behaviour: { reports: "500" } })
      assert.strictEqual((yield* get("/api/cases/LIMS-0001/report")).status, 500)
    })
  )

  it.effect("calls beside the contract: person list, variants of a gene, and anything else 404", () =>
    Effect.gen(function* () {
      const { form, get, getJson } = yield* visit()
      assert.strictEqual((yield* getJson("/person-list")).length, 5)
      assert.strictEqual((yield* getJson("/search/griddata?gene=TP53")).data[0][6], "TP53")
      assert.strictEqual((yield* get("/api/nothing/here/at/all")).status, 404)
      assert.strictEqual((yield* form("/archive/person/restore", [["limsId", "LIMS-0003"]])).status, 404)
      const other = yield* visit({ behaviour: { personRestoreField: "limsId" } })
      const heard = yield* other.form("/archive/person/restore", [["limsId", "LIMS-0003"]])
      yield* Schema.decodeUnknownEffect(enveloped(Schema.Array(RestoreAnswer)))(json(heard))
      assert.isString(json(heard).response[0].restoreEstimation)
    })
  )

  it.effect("a panel id stays what it is in both forms", () =>
    Effect.gen(function* () {
      const { getJson } = yield* visit()
      const panel = yield* Schema.decodeUnknownEffect(WirePanelId)((yield* getJson("/virtual-panel/1")).response.id)
      assert.strictEqual(panel, "1")
    })
  )
})
