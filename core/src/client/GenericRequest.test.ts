import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { HttpClientRequest } from "effect/http"
import { type Answer, service } from "../../../test/wire/FakeService.ts"
import type { GenericBody } from "./GenericRequest.ts"
import { ServiceClient } from "./ServiceClient.ts"

describe("request", () => {
  const send = (answer: Answer, request = HttpClientRequest.get("/person-list?a=1")) => {
    const { layer, lines } = service(answer)
    return Effect.provide(
      Effect.flatMap(ServiceClient, (c) => Effect.exit(c.request(request))),
      layer
    ).pipe(Effect.map((exit) => ({ exit, lines: lines() })))
  }
  const reply = (answer: Answer) =>
    Effect.flatMap(send(answer), ({ exit }) => exit).pipe(
      Effect.map(({ body, contentType, status }) => ({ body, contentType, status }))
    )
  const failure = (answer: Answer, request?: HttpClientRequest.HttpClientRequest) =>
    Effect.flip(Effect.flatMap(send(answer, request), ({ exit }) => exit))

  it.effect("any method, path, query and body goes through", () =>
    Effect.gen(function* () {
      const { lines } = yield* send("[]", HttpClientRequest.delete("/a%2Fb?x=1").pipe(HttpClientRequest.bodyText("x")))
      assert.deepStrictEqual(lines, ["DELETE /a%2Fb?x=1"])
    })
  )

  it.effect("H17 replies are what they contain: JSON, text, bytes or nothing", () =>
    Effect.gen(function* () {
      const json: GenericBody = { _tag: "Json", json: { a: 1 }, text: '{"a":1}' }
      const bytes = new Uint8Array([0x42, 0x41, 0x4d, 1, 0, 255])
      assert.deepStrictEqual((yield* reply('{"a":1}')).body, json)
      assert.deepStrictEqual((yield* reply({ body: '{"a":1}', type: "text/html" })).body, json)
      assert.deepStrictEqual((yield* reply({ body: '{"a":1}', type: "" })).body, json)
      assert.deepStrictEqual((yield* reply({ body: "{a", type: "text/plain" })).body, { _tag: "Text", text: "{a" })
      assert.deepStrictEqual((yield* reply({ body: "12", type: "text/plain" })).body, { _tag: "Text", text: "12" })
      assert.deepStrictEqual((yield* reply("12")).body, { _tag: "Json", json: 12, text: "12" })
      assert.deepStrictEqual((yield* reply({ body: "<p>", type: "text/html" })).body, { _tag: "Text", text: "<p>" })
      assert.deepStrictEqual((yield* reply({ body: bytes, type: "application/octet-stream" })).body, {
        _tag: "Bytes",
        bytes
      })
      assert.deepStrictEqual(yield* reply({ body: "", status: 201, type: "" }), {
        body: { _tag: "Empty" },
        contentType: null,
        status: 201
      })
    })
  )

  it.effect("no and not found are errors here too", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        (yield* failure({ status: 404, body: "" })).message,
        "GET /person-list: not found (status 404)"
      )
      const no = yield* failure('{"success":false,"errorMessageId":"E1","errorId":7}')
      assert.strictEqual(no.message, "GET /person-list: the service rejected it: E1; support reference 7")
      assert.strictEqual((yield* failure({ status: 400, body: "" }))._tag, "SvcRequestRejected")
      assert.strictEqual((yield* failure({ status: 409, body: "<p>" }))._tag, "SvcRequestRejected")
      assert.strictEqual((yield* failure("[1,"))._tag, "SvcReplyMalformed")
    })
  )

  it.effect.each(["http://elsewhere.test/x", "//elsewhere.test/x", "/\\elsewhere.test", "person-list", ""])(
    "a path %j is refused before anything is sent",
    (url) =>
      Effect.gen(function* () {
        const { exit, lines } = yield* send("[]", HttpClientRequest.get(url))
        assert.strictEqual((yield* Effect.flip(exit))._tag, "SvcUsageError")
        assert.lengthOf(lines, 0)
      })
  )
})
