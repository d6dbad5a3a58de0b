import { assert, describe, it, vi } from "@effect/vitest"
import { Effect, Layer, type Schema } from "effect"
import { makeService, succeeded, withSession } from "../../../test/session/SessionGround.ts"
import { type Call, callRows } from "../../../test/wire/Calls.ts"
import { type Answer, enveloped, service } from "../../../test/wire/FakeService.ts"
import { endpointNotes } from "../contract/EndpointNotes.ts"
import { NotFound } from "../contract/Envelope.ts"
import { AnalysisId, GeneId, LimsId, PanelId } from "../contract/Ids.ts"
import { Session } from "../session/Session.ts"
import { endpointOf } from "./EndpointCalls.ts"
import { ServiceClient } from "./ServiceClient.ts"
import { serversChoice } from "./ServiceMethods.ts"

const lims = LimsId.make("L1")
const analysis = AnalysisId.make("7")
const ids = ["7", "A8"].map((id) => AnalysisId.make(id))

const made = (call: Call, layer: Layer.Layer<ServiceClient>) =>
  Effect.provide(Effect.flatMap(ServiceClient, call), layer)

/** Of those that only read. */
const readingRows = callRows.filter(([name]) => !("mutates" in endpointNotes[name]))

describe("methods", () => {
  it.effect.each(readingRows)(
    "%s asks what is declared and takes the payload in both forms",
    ([, call, line, payload]) =>
      Effect.gen(function* () {
        for (const body of [enveloped(payload), JSON.stringify(payload)]) {
          const { layer, lines } = service(body)
          yield* made(call, layer)
          assert.deepStrictEqual(lines(), [line])
        }
      })
  )

  const words = JSON.stringify({ success: false, response: null, errorMessageId: "NO_SUCH" })
  const bare = ["", "<html><title>Not here</title></html>", '{"status":404,"error":"Not Found","path":"/api"}', "[]"]

  it.effect.each(callRows)(
    "H20 %s: what is missing, and a service that lacks the endpoint, are told apart by the contract",
    (row) =>
      Effect.gen(function* () {
        const [name, call, line, , subject] = row
        const declares404 = endpointOf(name).error.has(NotFound)
        const reads = !("mutates" in endpointNotes[name])
        const missing = subject === null ? "SvcRequestRejected" : "SvcNotFound"
        const answers: ReadonlyArray<readonly [tag: string, answer: Answer]> = [
          ...bare.map((body) => [declares404 ? missing : "SvcUnavailable", { status: 404, body }] as const),
          [missing, { status: 404, body: words }],
          ...[words, "not json"].map(
            (body) => [reads ? missing : "SvcRequestRejected", { status: 400, body }] as const
          ),
          ...[enveloped(null), '{"success":true}', "null"].map(
            (body) => [subject === null ? "SvcReplyMalformed" : "SvcNotFound", body] as const
          )
        ]
        // A null is what the service says of analyses whose restoration it has nothing to say of.
        for (const [tag, answer] of name === "requestRestore" ? answers.slice(0, -3) : answers) {
          const error = yield* Effect.flip(made(call, service(answer).layer))
          assert.strictEqual(error._tag, tag, JSON.stringify(answer))
          if (tag === "SvcNotFound") {
            const advice = { analysis: "findId", person: "findId" }[subject?.split(" ")[0] ?? ""] ?? null
            assert.isTrue(error.message.startsWith(`${subject}: not found`), error.message)
            assert.strictEqual(error.advice, advice)
          } else if (tag === "SvcUnavailable") {
            const [method] = line.split(" ")
            assert.include(error.message, `service.test is unavailable: it answers 404 to ${method} /`)
          } else assert.include(error.message, name)
        }
      })
  )

  it.effect("L6 links of another analysis than the one that was asked for are refused", () =>
    Effect.gen(function* () {
      const asked = (id: Schema.Json) =>
        made((c) => c.getFileDownloadLinks(analysis), service(enveloped({ id, apiFileLinks: [] })).layer)
      const error = yield* Effect.flip(asked(8))
      assert.strictEqual(error._tag, "SvcReplyMalformed")
      assert.include(error.message, "(analysis 7): unreadable reply: it is of analysis 8")
      for (const same of [7, "7", null]) yield* asked(same)
    })
  )

  it.effect("every answer must be JSON", () =>
    Effect.gen(function* () {
      for (const [name, call, , payload] of callRows) {
        const { layer, sent } = service(enveloped(payload))
        yield* made(call, layer)
        assert.isTrue(sent[0]?.json ?? true, name)
      }
    })
  )
})

describe("arguments", () => {
  it.effect.each([
    ["a/b", "a%2Fb"],
    ["a?b#c", "a%3Fb%23c"],
    ["50%25", "50%2525"],
    ["a b+c&d=e", "a%20b%2Bc%26d%3De"],
    ["%2F", "%252F"],
    ["Größe 🧬", "Gr%C3%B6%C3%9Fe%20%F0%9F%A7%AC"],
    ["...", "..."],
    ["a\\b\n", "a%5Cb%0A"]
  ] as const)("an identifier %j is encoded once, as %j", ([id, path]) =>
    Effect.gen(function* () {
      const { layer, lines } = service(enveloped({}))
      yield* Effect.provide(
        Effect.flatMap(ServiceClient, (c) => c.getPerson(LimsId.make(id))),
        layer
      )
      assert.deepStrictEqual(lines(), [`GET /api/person/${path}`])
    })
  )

  it.effect.each(["", ".", "..", "\ud800"])("an identifier %j would change the path: nothing is sent", (id) =>
    Effect.gen(function* () {
      const { layer, sent } = service(enveloped({}))
      const error = yield* Effect.flip(
        Effect.provide(
          Effect.flatMap(ServiceClient, (c) => c.getPerson(LimsId.make(id))),
          layer
        )
      )
      assert.strictEqual(error._tag, "SvcNotFound")
      assert.lengthOf(sent, 0)
    })
  )

  it.effect("the panel is all genes, a named one, or the service's choice", () =>
    Effect.gen(function* () {
      const { layer, lines } = service(enveloped([]))
      yield* Effect.gen(function* () {
        const client = yield* ServiceClient
        yield* client.getCoverageData(lims)
        yield* client.getCoverageData(lims, { virtualPanelId: PanelId.make("17") })
        yield* client.getCoverageData(lims, { virtualPanelId: serversChoice })
      }).pipe(Effect.provide(layer))
      assert.deepStrictEqual(lines(), [
        "GET /api/L1/coverage?virtualPanelId=1",
        "GET /api/L1/coverage?virtualPanelId=17",
        "GET /api/L1/coverage"
      ])
    })
  )

  it.effect("pending segments convert a LIMS identifier first", () =>
    Effect.gen(function* () {
      const { layer, lines } = service((line) => enveloped(line.endsWith("/id") ? "1001" : { data: [] }))
      yield* Effect.gen(function* () {
        yield* (yield* ServiceClient).getPendingCnvSegments(lims, [analysis], { virtualPanelId: serversChoice })
        yield* (yield* ServiceClient).json("getPendingCnvSegments", lims, [analysis], { virtualPanelId: serversChoice })
      }).pipe(Effect.provide(layer))
      const asked = ["GET /api/person/L1/id", "GET /pending-cnv?personId=1001&analysesIds=7"]
      assert.deepStrictEqual(lines(), [...asked, ...asked])
    })
  )

  it.effect("an empty list of analyses is an empty answer, not a question for all", () =>
    Effect.gen(function* () {
      const { layer, sent } = service(enveloped([{ id: 1 }]))
      yield* Effect.gen(function* () {
        const client = yield* ServiceClient
        assert.deepStrictEqual(yield* client.getAnalyses([]), [])
        assert.deepStrictEqual(yield* client.requestRestore([]), [])
      }).pipe(Effect.provide(layer))
      assert.lengthOf(sent, 0)
    })
  )
})

describe("writing methods", () => {
  it.effect("a person: identifiers as text, unknown fields and nulls as given", () =>
    Effect.gen(function* () {
      const { layer, sent } = service("1001")
      const update = { id: LimsId.make("200"), sex: null, hpoTermIds: ["HP:0001166"], ofTomorrow: { a: [1] } }
      const id = yield* Effect.provide(
        Effect.flatMap(ServiceClient, (c) => c.createOrUpdatePerson(update)),
        layer
      )
      assert.strictEqual(id, "1001")
      assert.deepStrictEqual([sent[0]?.line, sent[0]?.contentType], ["PUT /api/person", "application/json"])
      assert.deepStrictEqual(JSON.parse(sent[0]?.body ?? ""), { ...update })
    })
  )

  it.effect("a panel: integers go as integers, text as text", () =>
    Effect.gen(function* () {
      const { layer, sent } = service(enveloped(17))
      const geneIds = ["2200", "G7"].map((id) => GeneId.make(id))
      const id = yield* Effect.provide(
        Effect.flatMap(ServiceClient, (c) => c.createOrUpdateVirtualPanel({ name: "n", active: true, geneIds })),
        layer
      )
      assert.strictEqual(id, "17")
      assert.strictEqual(sent[0]?.line, "POST /api/virtual-panel")
      assert.deepStrictEqual(JSON.parse(sent[0]?.body ?? ""), { name: "n", active: true, geneIds: [2200, "G7"] })
    })
  )

  it.effect("a restoration: a form with one field per analysis", () =>
    Effect.gen(function* () {
      const { layer, sent } = service(enveloped([{ restoreEstimation: "2026-11-21T12:00:00Z" }]))
      const answers = yield* Effect.provide(
        Effect.flatMap(ServiceClient, (c) => c.requestRestore(ids)),
        layer
      )
      assert.deepStrictEqual(answers, [{ restoreEstimation: "2026-11-21T12:00:00Z" }])
      assert.deepStrictEqual(
        [sent[0]?.line, sent[0]?.contentType, sent[0]?.body],
        [
          "POST /archive/analysis/restore",
          "application/x-www-form-urlencoded",
          "analysisIds=7&analysisIds=A8&disableArchive=false"
        ]
      )
    })
  )

  it.effect("a restoration that answers only yes has no estimates", () =>
    Effect.gen(function* () {
      const { layer } = service(enveloped(null))
      assert.deepStrictEqual(
        yield* Effect.provide(
          Effect.flatMap(ServiceClient, (c) => c.requestRestore(ids)),
          layer
        ),
        []
      )
    })
  )

  it.effect("400 on a write is a rejection, not a missing thing", () =>
    Effect.gen(function* () {
      const { layer } = service({ status: 400, body: JSON.stringify({ errorMessageId: "INVALID_PERSON" }) })
      const error = yield* Effect.flip(
        Effect.provide(
          Effect.flatMap(ServiceClient, (c) => c.createOrUpdatePerson({ id: LimsId.make("") })),
          layer
        )
      )
      assert.strictEqual(error._tag, "SvcRequestRejected")
      assert.include(error.message, "INVALID_PERSON")
    })
  )

  it.effect(
    "an answer is parsed once, although the session looks whether it is JSON; a cut one is asked for again",
    () =>
      Effect.gen(function* () {
        const parse = vi.spyOn(JSON, "parse")
        yield* Effect.addFinalizer(() => Effect.sync(() => parse.mockRestore()))
        const whole = '{"success":true,"response":{"note":"once"}}'
        // Its identifier keeps its digits only where a number knows its source.
        const exact = '{"success":true,"response":{"id":12345678901234567}}'
        for (const [body, json] of [[whole, { note: "once" }] as const, [exact, null] as const]) {
          const asked = makeService(({ path }, count) =>
            path === "/api/person/L1" ? { body: count === 1 ? body.slice(0, -3) : body } : null
          )
          const exit = yield* withSession(asked, (session) => {
            const layer = Layer.provide(ServiceClient.layer, Layer.succeed(Session, session))
            return Effect.provide(
              ServiceClient.use(({ json }) => json("getPerson", lims)),
              layer
            )
          })
          const person = succeeded(exit)
          if (json === null) assert.strictEqual(JSON.stringify(person), '{"id":12345678901234567}')
          else assert.deepStrictEqual<unknown>(person, json)
          const parses = parse.mock.calls.filter(([text]) => text === body).length
          assert.strictEqual(parses, json === null ? 0 : 1)
        }
      })
  )
})
