/**
 * A client of other hands, as one writes it in a script: HEAD for the token, form login, cookies by hand, identifiers as
 * integers. It shares no line with ours; what it gets from the sandbox is what the public library expects
 * (docs/dev/service.md 11 and 12).
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { start } from "../../sandbox/Sandbox.ts"
import { PlainClient } from "../PlainClient.ts"

const withClient = (use: (client: PlainClient, account: { user: string; password: string }) => Promise<void>) =>
  Effect.gen(function* () {
    const { password, url, user } = yield* start({
      behaviour: { ids: "numeric", strict: true },
      // Slow enough for two to overlap.
      faults: [{ when: { endpoint: "getVirtualPanelSummaries" }, then: { delay: 100 } }]
    })
    yield* Effect.promise(() => use(new PlainClient(url), { user, password }))
  }).pipe(Effect.provide(NodeServices.layer))

describe("the sandbox with --ids numeric", () => {
  it.live("serves a plain client from login to logout", () =>
    withClient(async (client, { password, user }) => {
      assert.isTrue(await client.logIn(user, password))
      const id = (await client.get("/api/person/LIMS-0001/id")).json()
      assert.deepInclude(id, { success: true, response: 1001 })
      const analyses = (await client.get("/api/analyses?analysisIds=1,5")).json().response
      assert.deepStrictEqual(
        analyses.map((item: { id: unknown }) => item.id),
        [1, 5]
      )
      const pending = await client.get("/pending-cnv?personId=1001&analysesIds=5&virtualPanelId=1")
      assert.sameMembers(Object.keys(pending.json().response), ["data", "cnvHeader"])
      assert.isTrue(pending.json().response.data.every((item: { analysisId: unknown }) => item.analysisId === 5))
      const metrics = (await client.get("/api/qualitycontrol/metrics/case/LIMS-0001")).json().response.metricResults
      assert.deepStrictEqual(Object.keys(metrics), ["LIMS-0001"])
      const body = (await client.get("/api/analysis/1/annotations")).text
      assert.isBelow(body.indexOf('"data"'), body.indexOf('"header"'))
      const links = (await client.get("/api/analysis/1/get-file-download-links")).json().response
      assert.strictEqual(links.id, 1)
      assert.match(links.apiFileLinks[0].downloadLink, /X-Amz-Expires=\d+/)
      assert.isBelow((await client.logOut()).status, 400)
      assert.notStrictEqual((await client.get("/api/analyses")).status, 200)
    })
  )

  it.live("takes integers in what is written, and answers with them", () =>
    withClient(async (client, { password, user }) => {
      await client.logIn(user, password)
      const person = await client.sendJson("PUT", "/api/person", { id: "L9", sex: null, birthDateYear: 2016 })
      assert.isNumber(person.json())
      const genes = (await client.get("/virtual-panel-genes")).json().response
      const geneIds = genes.slice(0, 2).map((gene: { id: number }) => gene.id)
      assert.isTrue(geneIds.every(Number.isInteger))
      const panel = { id: null, name: "n", active: true, geneIds, description: null, personId: person.json() }
      const created = (await client.sendJson("POST", "/api/virtual-panel", panel)).json()
      assert.isNumber(created.response)
      const stored = (await client.get(`/virtual-panel/${created.response}`)).json().response
      assert.deepStrictEqual(
        stored.genes.map((gene: { id: number }) => gene.id),
        geneIds
      )
      const refused = await client.sendJson("POST", "/api/virtual-panel", { ...panel, geneIds: [] })
      assert.deepStrictEqual([refused.status, refused.json().success], [200, false])
    })
  )

  it.live("says no as the service does: no token for a wrong password, null, 404, 400, and 302 then 403", () =>
    withClient(async (client, { password, user }) => {
      assert.isFalse(await client.logIn(user, "wrong"))
      assert.isTrue(await client.logIn(user, password))
      assert.deepInclude((await client.get("/virtual-panel/999")).json(), { success: true, response: null })
      assert.strictEqual((await client.get("/api/person/nobody")).status, 404)
      assert.strictEqual((await client.get("/api/nobody/coverage")).status, 400)
      const both = await Promise.all([client.get("/virtual-panels"), client.get("/virtual-panels")])
      const ended = both.find(({ status }) => status === 302)
      assert.match(ended?.text ?? "", /^\s*</)
      assert.strictEqual((await client.get("/virtual-panels")).status, 403)
    })
  )
})
