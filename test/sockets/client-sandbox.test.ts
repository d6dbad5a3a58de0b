/**
 * The client against the sandbox, which shares only the contract with it: both forms of identifiers. All methods that read are tried by
 * `api-methods.test.ts`.
 */
import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { ServiceClient, ServiceJson } from "../../core/src/client/ServiceClient.ts"
import { SnvAnnotations } from "../../core/src/contract/Annotations.ts"
import { CaseReport } from "../../core/src/contract/CaseReports.ts"
import { AnalysisId, GeneId, LimsId } from "../../core/src/contract/Ids.ts"
import type { ServiceError } from "../../core/src/Errors.ts"
import { AccountLock } from "../../core/src/session/Gate.ts"
import { Session } from "../../core/src/session/Session.ts"
import { makeSessionProfile } from "../../core/src/session/SessionSettings.ts"
import * as ApiHttp from "../../platform/http/ApiHttp.ts"
import { type RunningSandbox, start } from "../../sandbox/Sandbox.ts"

const clients = (sandbox: RunningSandbox) =>
  Layer.mergeAll(ServiceClient.layer, ServiceJson.layer).pipe(
    Layer.provide(
      Session.layer({
        baseUrl: new URL(sandbox.url),
        username: sandbox.user,
        password: Redacted.make(sandbox.password),
        profile: makeSessionProfile("0.0.0"),
        tries: 2
      })
    ),
    Layer.provide([ApiHttp.layer({ proxy: null, caFile: null, noProxy: "*" }), AccountLock.layerNone])
  )

const withClient = <A, E>(
  ids: "text" | "numeric",
  body: (client: ServiceClient["Service"], sandbox: RunningSandbox) => Effect.Effect<A, E, ServiceJson>
) =>
  Effect.gen(function* () {
    const sandbox = yield* start({ behaviour: { ids, strict: true } })
    return yield* Effect.flatMap(ServiceClient, (client) => body(client, sandbox)).pipe(
      Effect.provide(clients(sandbox))
    )
  }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))

/** A person with finished SNV and CNV analyses. */
const someone = (client: ServiceClient["Service"]) =>
  Effect.gen(function* () {
    const analyses = (yield* client.getAnalyses()).filter(({ status }) => status === "DONE")
    const cnv = analyses.find(({ analysisType }) => analysisType === "CNV")
    const lims = cnv?.personLimsId
    const snv = analyses.find(({ analysisType, personLimsId }) => analysisType === "SNV" && personLimsId === lims)
    if (cnv === undefined || snv === undefined || lims == null) return assert.fail("the sandbox has no such person")
    return { cnv: cnv.id, lims, snv: snv.id }
  })

describe.each(["text", "numeric"] as const)("client and sandbox, %s identifiers", (ids) => {
  it.live("writing methods are read back", () =>
    withClient(ids, (client) =>
      Effect.gen(function* () {
        const lims = LimsId.make("new/person?#%1")
        const personId = yield* client.createOrUpdatePerson({ id: lims, firstName: "Ada", birthDateYear: 1990 })
        assert.strictEqual(yield* client.getInternalPersonId(lims), personId)
        assert.strictEqual((yield* client.getPerson(lims)).personalInformation?.firstName, "Ada")

        const geneIds = (yield* client.getAllGenes).slice(0, 2).map(({ id }) => id)
        const id = yield* client.createOrUpdateVirtualPanel({ name: "Mine", active: true, geneIds })
        assert.strictEqual(
          yield* client.createOrUpdateVirtualPanel({ id, name: "Ours", active: false, geneIds: geneIds.slice(1) }),
          id
        )
        const panel = yield* client.getVirtualPanel(id)
        assert.deepStrictEqual(
          [panel.name, panel.active, panel.genes.map((gene) => gene.id)],
          ["Ours", false, geneIds.slice(1)]
        )
      })
    )
  )

  it.live("H20 what is not there is NotFound; what is refused is RequestRejected", () =>
    withClient(ids, (client) =>
      Effect.gen(function* () {
        const { lims, snv } = yield* someone(client)
        const nothing = client.getPendingCnvSegments(lims, [AnalysisId.make("999999")])
        assert.strictEqual((yield* Effect.flip(nothing))._tag, "SvcNotFound")
        const refused: ReadonlyArray<Effect.Effect<object | string, ServiceError>> = [
          client.getCnvTargetResults(lims, [snv]),
          client.createOrUpdatePerson({ id: LimsId.make("") }),
          client.createOrUpdateVirtualPanel({ name: "Empty", active: true, geneIds: [] }),
          client.createOrUpdateVirtualPanel({ name: "No such gene", active: true, geneIds: [GeneId.make("0")] })
        ]
        for (const call of refused) {
          const error = yield* Effect.flip(call)
          if (error._tag !== "SvcRequestRejected") return assert.fail(error._tag)
          assert.isNotNull(error.errorMessageId)
        }
      })
    )
  )

  it.live("payloads as JSON are those the records were read from", () =>
    withClient(ids, (client) =>
      Effect.gen(function* () {
        const { lims, snv } = yield* someone(client)
        const json = yield* ServiceJson
        assert.strictEqual(typeof (yield* json.getInternalPersonId(lims)), ids === "numeric" ? "number" : "string")
        const annotations: unknown = yield* Schema.encodeEffect(SnvAnnotations)(yield* client.getSnvAnnotations(snv))
        assert.deepStrictEqual(annotations, yield* json.getSnvAnnotations(snv))
        if (ids === "text") return
        const report: unknown = yield* Schema.encodeEffect(CaseReport)(yield* client.getCaseReport(lims))
        assert.deepStrictEqual(report, yield* json.getCaseReport(lims))
      })
    )
  )

  it.live("restoration is asked for, and any other address too", () =>
    withClient(ids, (client, sandbox) =>
      Effect.gen(function* () {
        const analyses = yield* client.getAnalyses()
        let restored = 0
        for (const { id } of analyses) {
          const { apiFileLinks } = yield* client.getFileDownloadLinks(id)
          if (!apiFileLinks.some(({ currentlyArchived }) => currentlyArchived)) continue
          restored++
          const [answer] = yield* client.requestRestore([id])
          assert.match(answer?.restoreEstimation ?? "", /^\d{4}-.*Z$/)
        }
        assert.isAbove(restored, 0)
        const { body } = yield* client.request(HttpClientRequest.get("/person-list"))
        assert.strictEqual(body._tag, "Json")
        const stats = yield* sandbox.stats
        assert.deepStrictEqual([stats.logins, stats.overlaps], [1, 0])
      })
    )
  )
})
