import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { HttpClientError, HttpClientRequest, HttpClientResponse } from "effect/http"
import { AnalysisId, LimsId } from "../contract/Ids.ts"
import type { ServiceError } from "../Errors.ts"
import { JsonReply } from "../session/RequestMarks.ts"
import { Session } from "../session/Session.ts"
import { ServiceClient } from "./ServiceClient.ts"

/** A session that streams one answer, in chunks of `size` bytes; `breaks` ends it with a broken connection. */
const service = (body: string, { breaks = false, size = 7, status = 200 } = {}) => {
  const asked: Array<string> = []
  const bytes = new TextEncoder().encode(body)
  const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.slice(i * size, (i + 1) * size))
  const session = Session.of({
    http: undefined as never,
    stream: Effect.fnUntraced(function* (request) {
      assert.isNotNull(yield* JsonReply)
      const { search, pathname } = new URL(`http://service.test${request.url}`)
      asked.push(
        `${request.method} ${pathname}${search}${request.urlParams.params.map((pair) => `&${pair.join("=")}`)}`
      )
      const absolute = HttpClientRequest.setUrl(request, `http://service.test${request.url}`)
      const plain = HttpClientResponse.fromWeb(absolute, new Response(bytes, { status }))
      const reason = new HttpClientError.DecodeError({ request: absolute, response: plain, description: "reset" })
      const broken = Stream.fail(new HttpClientError.HttpClientError({ reason }))
      const stream = Stream.concat(Stream.fromIterable(chunks), breaks ? broken : Stream.empty)
      return new Proxy(plain, { get: (it, key) => (key === "stream" ? stream : Reflect.get(it, key, it)) })
    })
  })
  return { asked, layer: ServiceClient.layer.pipe(Layer.provide(Layer.succeed(Session, session))) }
}

const text = (get: (bytes: ServiceClient["Service"]["bytes"]) => Stream.Stream<Uint8Array, ServiceError>) =>
  Effect.flatMap(ServiceClient, ({ bytes }) => Stream.mkString(Stream.decodeText(get(bytes))))

const annotations = text((bytes) => bytes("getSnvAnnotations", AnalysisId.make("A/1")))
const report = text((bytes) => bytes("getCaseReport", LimsId.make("L 1"), { draft: true }))

/** The failure of a call. */
const failure = (body: string, options: Parameters<typeof service>[1] = {}, ask = annotations) =>
  Effect.map(Effect.flip(Effect.provide(ask, service(body, options).layer)), ({ _tag, message }) => ({
    tag: _tag,
    message
  }))

describe("payloads as bytes", () => {
  it.effect("are asked for as the methods of the client do, and come as they are", () =>
    Effect.gen(function* () {
      const bare = service('{"data":[[1]],"header":[]}')
      assert.strictEqual(yield* Effect.provide(annotations, bare.layer), '{"data":[[1]],"header":[]}')
      assert.deepStrictEqual(bare.asked, ["GET /api/analysis/A%2F1/annotations"])
      const enveloped = service('{"success":true,"response":{"draft":true},"errorId":null}')
      assert.strictEqual(yield* Effect.provide(report, enveloped.layer), '{"draft":true}')
      assert.deepStrictEqual(enveloped.asked, ["GET /api/cases/L%201/report&draft=true"])
    })
  )

  it.effect("H20 every no and not found is what it is for the client", () =>
    Effect.gen(function* () {
      const no = '{"success":false,"response":null,"errorMessageId":"E1","errorId":7}'
      assert.deepStrictEqual(yield* failure(no), {
        tag: "SvcRequestRejected",
        message: "getSnvAnnotations (analysis A/1): the service rejected it: E1; support reference 7"
      })
      for (const [body, options] of [
        ['{"success":true,"response":null}', {}],
        ["null", {}],
        ['{"errorMessageId":"E"}', { status: 404 }],
        ['{"errorMessageId":"E"}', { status: 400 }]
      ] as const) {
        assert.strictEqual((yield* failure(body, options)).tag, "SvcNotFound", body)
      }
      assert.strictEqual((yield* failure("<html>", { status: 404 })).tag, "SvcUnavailable")
      assert.strictEqual((yield* failure("", { status: 409 })).tag, "SvcRequestRejected")
      assert.match((yield* failure("", { status: 404 }, report)).message, /^draft report of person L 1: not found/)
    })
  )

  it.effect("success false after a payload fails at the end", () =>
    Effect.map(failure('{"response":[1],"success":false,"errorMessageId":"E2"}'), ({ tag }) =>
      assert.strictEqual(tag, "SvcRequestRejected")
    )
  )

  it.effect("H17 H18 what is not JSON is malformed, in words that quote nothing", () =>
    Effect.gen(function* () {
      for (const body of ["", "<html>CANARY</html>", '{"data":[["CANARY"', '{"success":true,"response":[1}']) {
        const { message, tag } = yield* failure(body)
        assert.strictEqual(tag, "SvcReplyMalformed", body)
        assert.notInclude(message, "CANARY")
      }
    })
  )

  it.effect("a connection that breaks is not a body that is wrong", () =>
    Effect.map(failure('{"data":[', { breaks: true }), ({ tag }) => assert.strictEqual(tag, "SvcUnavailable"))
  )
})
