import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { ChunkedFrames, parseHead } from "./HttpReply.ts"

const parse = (...lines: ReadonlyArray<string>) => parseHead(lines.join("\r\n"))
const reasonOf = (...lines: ReadonlyArray<string>) =>
  Result.match(parse(...lines), { onFailure: (reason) => reason, onSuccess: () => "accepted" })

describe("HttpReply", () => {
  it("reads status, fields and framing", () => {
    const head = Result.getOrThrow(
      parse("HTTP/1.1 206 Partial Content", 'ETag: "a"', "Content-Length:5", "X: 1", "x: 2 ")
    )
    assert.strictEqual(head.status, 206)
    assert.deepStrictEqual(
      [...head.headers],
      [
        ["etag", '"a"'],
        ["content-length", "5"],
        ["x", "1, 2"]
      ]
    )
    assert.deepStrictEqual(head.framing, { _tag: "Length", length: 5 })
    assert.isTrue(head.keepAlive)
  })

  it("H8 what two readers could frame in two ways is refused", () => {
    const ok = "HTTP/1.1 200 OK"
    const bad: ReadonlyArray<ReadonlyArray<string>> = [
      [ok, "Content-Length: 5", "Content-Length: 6"],
      [ok, "Content-Length: 5", "Content-Length: 5"],
      [ok, "Content-Length: abc"],
      [ok, "Content-Length: -5"],
      [ok, "Content-Length: +5"],
      [ok, "Content-Length: 100000000000000000000"],
      [ok, "Content-Length: 9999999999999999"],
      [ok, "Content-Length: 0x5"],
      [ok, "Content-Length:"],
      [ok, "Content-Length: 5", "Transfer-Encoding: chunked"],
      [ok, "Transfer-Encoding: gzip, chunked"],
      [ok, "Transfer-Encoding: chunked", "Transfer-Encoding: chunked"]
    ]
    for (const lines of bad) assert.match(reasonOf(...lines), /^sent /, lines.join(" | "))
  })

  it("H14 H16 folded fields, bad names and other protocols are refused, Latin-1 and empty reasons are not", () => {
    assert.match(reasonOf("HTTP/1.1 200 OK", "a: 1", " folded"), /cannot be read/)
    assert.match(reasonOf("HTTP/1.1 200 OK", "a b: 1"), /cannot be read/)
    assert.match(reasonOf("HTTP/1.1 200 OK", "a : 1"), /cannot be read/)
    assert.match(reasonOf("HTTP/1.1 200 OK", ": 1"), /cannot be read/)
    for (const line of [
      "SSH-2.0-OpenSSH",
      "HTTP/2 200",
      "HTTP/1.1 20",
      "HTTP/1.1 099 x",
      "http/1.1 200 OK",
      "",
      "<html>"
    ]) {
      assert.match(reasonOf(line), /does not speak/, line)
    }
    assert.strictEqual(reasonOf("HTTP/1.1 200", "a: \u00e9"), "accepted")
  })

  it("knows when a connection can be used again", () => {
    const keeps = (...lines: ReadonlyArray<string>) => Result.getOrThrow(parse(...lines)).keepAlive
    assert.isFalse(keeps("HTTP/1.1 200 OK", "Content-Length: 1", "Connection: Close"))
    assert.isFalse(keeps("HTTP/1.1 200 OK"))
    assert.isFalse(keeps("HTTP/1.0 200 OK", "Content-Length: 1"))
    assert.isTrue(keeps("HTTP/1.0 200 OK", "Content-Length: 1", "Connection: keep-alive"))
    assert.isTrue(keeps("HTTP/1.1 304 Not Modified"))
  })

  it.prop("any text gets a verdict, never an exception", [Schema.String], ([text]) => {
    parseHead(text)
    parseHead(`HTTP/1.1 200 OK\r\n${text}`)
  })

  const unframe = (bytes: Uint8Array, portion: number): { body: string; ended: boolean; failure: string | null } => {
    const frames = new ChunkedFrames()
    let body = ""
    let at = 0
    while (at < bytes.length && !frames.ended) {
      const seen = frames.look(bytes.subarray(at, at + portion))
      if (Result.isFailure(seen)) return { body, ended: false, failure: seen.failure }
      const { skip, data } = seen.success
      body += Buffer.from(bytes.subarray(at + skip, at + skip + data)).toString("latin1")
      at += skip + data
    }
    return { body, ended: frames.ended, failure: null }
  }
  const Portion = Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 1, maximum: 9 })))
  const Text = Schema.String.pipe(Schema.check(Schema.isNonEmpty()))

  it.prop(
    "N9 chunks come out as they went in, in any portions, and a cut is seen",
    [Schema.Array(Text), Portion],
    ([texts, portion]) => {
      const chunks = texts.map((text) => Buffer.from(text))
      const framed = chunks
        .map((chunk) => `${chunk.length.toString(16)};ext=1\r\n${chunk.toString("latin1")}\r\n`)
        .join("")
      const bytes = Buffer.from(`${framed}0\r\nTrailer: 1\r\n\r\n`, "latin1")
      const whole = unframe(bytes, portion)
      assert.deepStrictEqual(whole, { body: Buffer.concat(chunks).toString("latin1"), ended: true, failure: null })
      assert.isFalse(unframe(bytes.subarray(0, bytes.length - 1), portion).ended)
    }
  )

  it("H8 a chunk that cannot be read is refused", () => {
    for (const text of ["x\r\n", "-1\r\n", "1\r\nab\r\n", "fffffffffffffff\r\n", "\r\n", `${"1".repeat(2000)}`]) {
      assert.isNotNull(unframe(Buffer.from(text), 4).failure, text)
    }
    assert.isNotNull(unframe(Buffer.from(`0\r\n${"a: b\r\n".repeat(200)}`), 9).failure)
  })
})
