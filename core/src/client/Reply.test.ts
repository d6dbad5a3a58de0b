import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Schema } from "effect"
import { HttpClientRequest, HttpClientResponse } from "effect/http"
import { deepest } from "../text/JsonScanner.ts"
import { type ExpectedReply, payloadOf } from "./Reply.ts"

const asked: ExpectedReply = { request: "getPerson (person L1)", subject: "person L1", missing: [404, 400] }

const read = (body: string | Uint8Array<ArrayBuffer>, status = 200, about: ExpectedReply = asked) =>
  payloadOf(
    HttpClientResponse.fromWeb(
      HttpClientRequest.get("/"),
      new Response(typeof body === "string" ? new TextEncoder().encode(body) : body, { status })
    ),
    about
  )

describe("texts of the service", () => {
  it.effect("Z5 are cut between two words, so that no half of a secret is left", () =>
    Effect.gen(function* () {
      for (const lead of ["", "word ".repeat(97)]) {
        const text = `${lead}${"SECRET".repeat(100)} tail`
        const error = yield* Effect.flip(read(JSON.stringify({ success: false, errorMessageId: text })))
        assert.notInclude(error.message, "SECRET")
        assert.match(error.message, /\.\.\.$/)
      }
    })
  )
})

describe("envelopes", () => {
  it.effect.each([
    ['{"success":true,"response":{"a":1}}', { a: 1 }],
    ['{"success":"true","response":[]}', []],
    ['{"response":7}', 7],
    ['{"success":null,"response":false}', false],
    ['{"success":true,"response":0,"errorMessageId":null,"extra":{}}', 0],
    ['{"success":true,"response":"","errorMessageId":"WARNING"}', ""],
    ['{"a":1}', { a: 1 }],
    ["{}", {}],
    ["[]", []],
    ["17", 17],
    ['\ufeff{"a":1}', { a: 1 }],
    ['{"a":"\\ud800"}', { a: "\ud800" }],
    [' \n{"a":"[{\\"\\\\"}\t', { a: '[{"\\' }]
  ] as const)("H20 %s gives its payload", ([body, payload]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* read(body), payload)
    })
  )

  it.effect.each([
    '{"success":true,"response":null}',
    '{"success":true}',
    '{"success":"true","response":null,"errorMessageId":"X"}',
    '{"response":null}',
    "null"
  ])("H20 %s is not found", (body) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(read(body))
      assert.deepStrictEqual([error.message, error.advice], ["person L1: not found", "findId"])
      const unnamed = yield* Effect.flip(read(body, 200, { ...asked, subject: null }))
      assert.strictEqual(unnamed._tag, "SvcReplyMalformed")
      assert.deepStrictEqual(yield* read(body, 200, { ...asked, whenNull: [] }), [])
    })
  )

  it.effect.each([
    ['{"success":false}', [null, null, null]],
    ['{"success":false,"response":{"a":1},"errorMessageId":"E"}', ["E", null, null]],
    ['{"success":"false","errorMessageId":42,"errorId":7}', ["42", "7", null]],
    ['{"errorMessageId":"E","errorId":"i","additionalInformation":"why"}', ["E", "i", "why"]],
    ['{"success":false,"errorMessageId":null,"errorId":"","additionalInformation":{"a":1}}', [null, null, null]],
    ['{"success":false,"additionalInformation":"two\\nlines\\u001b[2J \\u202e"}', [null, null, "two lines [2J"]]
  ] as const)("H20 %s is rejected, with its three identifiers", ([body, said]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(read(body))
      if (error._tag !== "SvcRequestRejected") return assert.fail(error._tag)
      assert.deepStrictEqual([error.errorMessageId, error.errorId, error.additionalInformation], [...said])
      assert.strictEqual(error.status, 200)
    })
  )

  it.effect.each(['{"success":"maybe"}', '{"success":1,"response":{}}'])("H20 %s says nothing", (body) =>
    Effect.gen(function* () {
      assert.strictEqual((yield* Effect.flip(read(body)))._tag, "SvcReplyMalformed")
    })
  )

  it.effect("a long explanation is cut", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(read(JSON.stringify({ success: false, errorId: "x".repeat(100_000) })))
      assert.isBelow(error.message.length, 700)
    })
  )
})

describe("statuses", () => {
  const body = JSON.stringify({ success: false, errorMessageId: "E1", errorId: "i", additionalInformation: "why" })

  it.effect.each([
    [404, "SvcNotFound", "person L1: not found (E1)"],
    [400, "SvcNotFound", "person L1: not found (E1)"],
    [403, "SvcForbidden", "person L1: the service forbids it to this account (status 403)"],
    [
      422,
      "SvcRequestRejected",
      "getPerson (person L1): the service rejected it with status 422: E1; why; support reference i"
    ],
    [
      405,
      "SvcRequestRejected",
      "getPerson (person L1): the service rejected it with status 405: E1; why; support reference i"
    ]
  ] as const)("%d is %s", ([status, tag, message]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(read(body, status))
      assert.deepStrictEqual([error._tag, error.message], [tag, message])
    })
  )

  it.effect.each([
    [404, "person L1: not found (a page says 404 Not Found)"],
    [451, "getPerson (person L1): the service rejected it with status 451: a page says 404 Not Found"]
  ] as const)("of a page with status %d, which may be of a proxy, the title is told", ([status, message]) =>
    Effect.gen(function* () {
      const page = "<html><head><title>404\n Not Found</title></head><center>nginx</center></html>"
      assert.strictEqual((yield* Effect.flip(read(page, status))).message, message)
    })
  )

  it.effect.each(["", "<html><b>422</b></html>", '{"success":fal', '"text"', "[]", "null"])(
    "an error body %j that explains nothing leaves the status",
    (text) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(read(text, 422))
        assert.strictEqual(error.message, "getPerson (person L1): the service rejected it with status 422")
      })
  )
})

describe("bodies that cannot be read", () => {
  const secret = "canary"
  const whole = JSON.stringify({
    success: true,
    response: { name: `${secret} "Ä\\n", 🧬`, list: [1, -2.5e3, null, true] }
  })

  it.effect("H18 a body cut at any byte is typed and quotes nothing", () =>
    Effect.gen(function* () {
      const bytes = new TextEncoder().encode(whole)
      for (let length = 0; length < bytes.length; length++) {
        const error = yield* Effect.flip(read(bytes.slice(0, length)))
        assert.strictEqual(error._tag, "SvcReplyMalformed", `cut at ${length}`)
        assert.notInclude(error.message, "can", `cut at ${length}`)
      }
      yield* read(bytes)
    })
  )

  it.effect.prop("H18 any bytes give a payload or a typed error", [Schema.Uint8Array], ([bytes]) =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(read(new Uint8Array(bytes)))
      assert.isFalse(Exit.hasDies(exit))
    })
  )

  it.effect.each([
    ["", "its body is empty"],
    [" \n", "its body is empty"],
    ["<!doctype html><p>canary", "a page of HTML or XML instead of JSON"],
    ["\ufeff\n<p>canary", "a page of HTML or XML instead of JSON"],
    ['{"a":1}canary', "not JSON at character 8 of 13"],
    ['{"a":canary}', "not JSON"],
    ['{"a":"\u0000canary"}', "not JSON at character 7 of 15"],
    ["canary at position 3", "not JSON"],
    ['{"a":"canary', "not JSON: it breaks off after 12 characters"],
    ['{"canary":', "not JSON: it breaks off after 10 characters"]
  ] as const)("H17 H18 %j", ([body, reason]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(read(body))
      assert.strictEqual(error.message, `getPerson (person L1): unreadable reply: ${reason}`)
    })
  )

  it.effect("H18 UTF-16 is no JSON", () =>
    Effect.gen(function* () {
      const utf16 = new Uint8Array([0xff, 0xfe, ...[..."{}"].flatMap((c) => [c.charCodeAt(0), 0])])
      assert.strictEqual((yield* Effect.flip(read(utf16)))._tag, "SvcReplyMalformed")
    })
  )

  it.effect("H19 depth has a limit, which brackets in texts do not count for", () =>
    Effect.gen(function* () {
      const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`
      yield* read(nested(deepest))
      yield* read(JSON.stringify(`"${"[".repeat(5000)}`))
      yield* read(`[${"[],".repeat(5000)}[]]`)
      const error = yield* Effect.flip(read(nested(200_000)))
      assert.include(error.message, "nested deeper than 1000 levels")
    })
  )
})
