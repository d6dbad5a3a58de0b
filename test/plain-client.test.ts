/**
 * A client of other hands, as one writes it in a script: HEAD for the token, form login, cookies by hand, identifiers as
 * integers. It shares no line with ours; what it gets from the sandbox is what the public library expects
 * (docs/dev/service.md 11 and 12).
 */
import { request } from "node:http"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { start } from "../sandbox/Sandbox.ts"

interface Answer {
  readonly status: number
  readonly token: string | undefined
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: a script does not know what it gets
  readonly json: () => any
}

class PlainClient {
  readonly #base: string
  readonly #cookies = new Map<string, string>()
  #token = ""

  constructor(base: string) {
    this.#base = base
  }

  send(method: string, path: string, body?: { readonly type: string; readonly text: string }): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const headers = {
        ...(this.#cookies.size === 0 ? {} : { cookie: [...this.#cookies].map((pair) => pair.join("=")).join("; ") }),
        ...(this.#token === "" ? {} : { "X-CSRF-TOKEN": this.#token }),
        ...(body === undefined ? {} : { "content-type": body.type, "content-length": Buffer.byteLength(body.text) })
      }
      const outgoing = request(`${this.#base}${path}`, { method, headers }, (incoming) => {
        for (const cookie of incoming.headers["set-cookie"] ?? []) {
          const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
          this.#cookies.set(name, value)
        }
        let text = ""
        incoming.setEncoding("utf8").on("data", (part: string) => (text += part))
        incoming.on("error", reject).on("end", () => {
          const token = incoming.headers["x-csrf-token"]
          resolve({
            status: incoming.statusCode ?? 0,
            token: typeof token === "string" ? token : undefined,
            text,
            json: () => JSON.parse(text)
          })
        })
      })
      outgoing.on("error", reject).end(body?.text)
    })
  }

  get(path: string) {
    return this.send("GET", path)
  }

  sendJson(method: string, path: string, value: unknown) {
    return this.send(method, path, { type: "application/json", text: JSON.stringify(value) })
  }

  form(path: string, fields: Readonly<Record<string, string>>) {
    const type = "application/x-www-form-urlencoded"
    return this.send("POST", path, { type, text: new URLSearchParams(fields).toString() })
  }

  async logIn(username: string, password: string): Promise<boolean> {
    this.#token = (await this.send("HEAD", "/")).token ?? ""
    const answer = await this.form("/login", { _csrf: this.#token, username, password })
    if (answer.status !== 200 || answer.token === undefined) return false
    this.#token = answer.token
    return true
  }

  logOut() {
    return this.form("/logout", { _csrf: this.#token })
  }
}

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
