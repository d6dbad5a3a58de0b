import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { Cookies, Headers, HttpClientRequest, UrlParams } from "effect/http"
import { ReplyResponse } from "./ReplyReading.ts"

const request = HttpClientRequest.get("https://svc.example/api/x")
const head = {
  url: "https://svc.example/api/x",
  status: 200,
  headers: Headers.fromInput({ "set-cookie": "sid=canary" }),
  cookies: Cookies.empty
}
const encode = (text: string) => new TextEncoder().encode(text)

describe("ReplyResponse", () => {
  it.effect("gives a body in memory in every form, as often as one likes", () =>
    Effect.gen(function* () {
      const response = new ReplyResponse(request, head, encode("\uFEFF[1,2]"))
      for (let turn = 0; turn < 2; turn++) {
        assert.deepStrictEqual(yield* response.json, [1, 2])
        assert.strictEqual(yield* response.text, "[1,2]")
        assert.strictEqual((yield* response.arrayBuffer).byteLength, 8)
        assert.strictEqual((yield* Stream.mkUint8Array(response.stream)).length, 8)
      }
    })
  )

  it.effect("gives only its own bytes out of a larger buffer", () =>
    Effect.gen(function* () {
      const response = new ReplyResponse(request, head, encode("xx{}yy").subarray(2, 4))
      assert.strictEqual(new TextDecoder().decode(yield* response.arrayBuffer), "{}")
    })
  )

  it.effect("reads a body that is still to come", () =>
    Effect.gen(function* () {
      const response = new ReplyResponse(request, head, Stream.make(encode("a=1"), encode("&b=2")))
      assert.strictEqual(UrlParams.toString(yield* response.urlParamsBody), "a=1&b=2")
    })
  )

  it.effect("an empty body is null as JSON and no chunk as a stream", () =>
    Effect.gen(function* () {
      const response = new ReplyResponse(request, head, encode(""))
      assert.isNull(yield* response.json)
      assert.deepStrictEqual(yield* Stream.runCollect(response.stream), [])
    })
  )

  it.effect("H18 what is not JSON is a typed error without the body in it", () =>
    Effect.gen(function* () {
      for (const body of ["[1", "[1]x", "canary", "\0", "{'a':1}"]) {
        const error = yield* Effect.flip(new ReplyResponse(request, head, encode(body)).json)
        assert.strictEqual(error.reason._tag, "DecodeError")
        assert.notInclude(error.message, "canary")
      }
    })
  )

  it.effect("forms and upgrades are refused", () =>
    Effect.gen(function* () {
      const response = new ReplyResponse(request, head, encode(""))
      assert.include((yield* Effect.flip(response.formData)).message, "multipart")
      assert.include((yield* Effect.flip(response.upgrade)).message, "upgrades")
    })
  )

  it("Z5 shows no cookie when it is printed", () => {
    const response = new ReplyResponse(request, head, encode("canary"))
    assert.notInclude(JSON.stringify(response), "canary")
    assert.notInclude(String(response), "canary")
  })
})
