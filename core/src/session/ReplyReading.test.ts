import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { Cookies, Headers, HttpClientRequest, UrlParams } from "effect/http"
import { headersInUtf8, inUtf8, ReplyResponse } from "./ReplyReading.ts"

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

  const typed = (type: string | null, status = 200) => ({
    ...head,
    status,
    headers: Headers.fromInput(type === null ? {} : { "content-type": type })
  })
  const name = "Jos\u00e9 M\u00fcller"
  const latin1 = Uint8Array.from(name, (character) => character.charCodeAt(0))

  /** A body as it is read, in pieces of one byte, and what its header then says. */
  const read = (bytes: Uint8Array, type: string | null, status?: number) =>
    Effect.gen(function* () {
      const { headers } = typed(type)
      const pieces = Stream.fromIterable(Array.from(bytes, (byte) => Uint8Array.of(byte)))
      const body = yield* Stream.mkUint8Array(inUtf8(pieces, headers))
      const response = new ReplyResponse(request, { ...typed(type, status), headers: headersInUtf8(headers) }, body)
      return [yield* response.text, response.headers["content-type"]]
    })

  it.effect("H17 text is decoded by its label, else it is UTF-8", () =>
    Effect.gen(function* () {
      const utf8 = encode(name)
      for (const [bytes, type, then] of [
        [latin1, "application/json;charset=ISO-8859-1", "application/json;charset=utf-8"],
        [latin1, 'text/plain; Charset="windows-1252"; x=1', "text/plain;charset=utf-8; x=1"],
        [utf8, "application/json;charset=UTF-8", "application/json;charset=UTF-8"],
        [utf8, "application/json", "application/json"],
        [utf8, "application/json;charset=nonsense", "application/json;charset=nonsense"],
        [utf8, null, undefined]
      ] as const) {
        assert.deepStrictEqual(yield* read(bytes, type), [name, then])
      }
    })
  )

  it.effect(
    "H17 what is neither is an error, and no name is changed; words of an error are read as far as they can be",
    () =>
      Effect.gen(function* () {
        for (const type of [
          null,
          "application/json",
          "application/json;charset=utf-8",
          "text/plain;charset=nonsense"
        ]) {
          const error = yield* Effect.flip(read(latin1, type))
          assert.include(error.message, "not UTF-8")
          assert.match(String((yield* read(latin1, type, 404))[0]), /^Jos. M.ller$/)
        }
        // Bytes that are none in the charset that is named.
        const error = yield* Effect.flip(read(Uint8Array.of(0x81, 0xff), "text/plain;charset=Shift_JIS"))
        assert.include(error.message, "not in the charset")
      })
  )

  it("Z5 shows no cookie when it is printed", () => {
    const response = new ReplyResponse(request, head, encode("canary"))
    assert.notInclude(JSON.stringify(response), "canary")
    assert.notInclude(String(response), "canary")
  })
})
