import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { contentRange, judge, type ObjectVersion, type RangeAsked, strongTag, type Verdict } from "./RangeReply.ts"

const tag = '"v1"'
const known: ObjectVersion = { size: 1000, etag: tag, lastModified: "Mon, 01 Jan 2026 00:00:00 GMT", digests: [] }
const part: RangeAsked = { first: 100, end: 200, range: true, size: 1000, known }
const whole: RangeAsked = { first: 0, end: 1000, range: false, size: 1000, known: null }

const reply = (status: number, headers: Record<string, string> = {}, framed = true, code: string | null = null) => ({
  status,
  headers: new Map(Object.entries(headers)),
  framed,
  code
})
const good = { etag: tag, "content-range": "bytes 100-199/1000", "content-length": "100" }
const tagOf = (verdict: Verdict) => verdict._tag

describe("RangeReply", () => {
  it("takes the range that was asked for", () => {
    const verdict = judge(part, reply(206, good))
    assert.deepStrictEqual(verdict, {
      _tag: "Bytes",
      first: 100,
      end: 200,
      version: { size: 1000, etag: tag, lastModified: null, digests: [] }
    })
    assert.deepInclude(judge(whole, reply(200, { "content-length": "1000" })), { _tag: "Bytes", first: 0, end: 1000 })
    assert.deepInclude(
      judge(part, reply(206, { ...good, "content-range": "bytes 100-149/1000", "content-length": "50" })),
      {
        _tag: "Bytes",
        end: 150
      }
    )
  })

  it("H1 the whole file in place of a range is never appended", () => {
    assert.strictEqual(tagOf(judge(part, reply(200, { etag: tag, "content-length": "1000" }))), "RangeIgnored")
    const firstPiece: RangeAsked = { first: 0, end: 100, range: true, size: null, known: null }
    assert.strictEqual(tagOf(judge(firstPiece, reply(200, { "content-length": "1000" }))), "RangeIgnored")
    assert.deepInclude(judge(firstPiece, reply(200, { "content-length": "60" })), { _tag: "Bytes", end: 60 })
    assert.strictEqual(tagOf(judge(firstPiece, reply(200))), "RangeIgnored")
  })

  it("H1 a range sent with 200 in place of 206 is that range", () => {
    assert.deepStrictEqual(judge(part, reply(200, good)), judge(part, reply(206, good)))
    const first: RangeAsked = { first: 0, end: 100, range: true, size: null, known: null }
    const sent = { "content-range": "bytes 0-99/1000", "content-length": "100" }
    assert.deepInclude(judge(first, reply(200, sent)), { _tag: "Bytes", first: 0, end: 100 })
    assert.match(JSON.stringify(judge(part, reply(200, sent))), /from 0 when asked for 100/)
    // The whole file beside a field that repeats the request.
    assert.strictEqual(tagOf(judge(part, reply(200, { ...good, "content-length": "1000" }))), "RangeIgnored")
    assert.deepInclude(judge(whole, reply(200, { ...good, "content-length": "1000" })), { _tag: "Bytes", end: 1000 })
  })

  const wrongParts: ReadonlyArray<readonly [string, Record<string, string>, RegExp]> = [
    ["a later start", { "content-range": "bytes 101-199/1000" }, /from 101 when asked for 100/],
    ["an earlier start", { "content-range": "bytes 99-199/1000" }, /from 99 when asked for 100/],
    ["more than asked", { etag: tag, "content-range": "bytes 100-299/1000" }, /up to 300 when asked for 200/],
    ["no range", {}, /without saying which/],
    ["an unsatisfied range", { "content-range": "bytes */1000" }, /without saying which/],
    ["another unit", { "content-range": "items 100-199/1000" }, /without saying which/],
    ["garbage", { "content-range": "bytes a-b/c" }, /without saying which/],
    ["an end before the start", { "content-range": "bytes 100-99/1000" }, /without saying which/],
    ["an end beyond the total", { "content-range": "bytes 100-199/150" }, /without saying which/],
    ["several parts", { ...good, "content-type": "multipart/byteranges; boundary=x" }, /several ranges/],
    ["a length that contradicts", { ...good, "content-length": "99" }, /contradicts itself/]
  ]
  for (const [name, headers, reason] of wrongParts) {
    it(`H2 206 with ${name} is no reply`, () => {
      const verdict = judge(part, reply(206, headers))
      assert.strictEqual(verdict._tag, "Wrong")
      if (verdict._tag === "Wrong") assert.match(verdict.reason, reason)
    })
  }

  it("H2 206 with another total, or without a request for a range", () => {
    assert.deepInclude(judge({ ...part, known: null }, reply(206, { "content-range": "bytes 100-199/2000" })), {
      _tag: "WrongSize",
      size: 2000
    })
    assert.strictEqual(tagOf(judge(part, reply(206, { ...good, "content-range": "bytes 100-199/2000" }))), "Changed")
    assert.strictEqual(tagOf(judge(whole, reply(206, { "content-range": "bytes 0-999/1000" }))), "Wrong")
  })

  it("H3 another entity tag, or time of modification where there is no tag, is another file", () => {
    assert.strictEqual(tagOf(judge(part, reply(206, { ...good, etag: '"v2"' }))), "Changed")
    assert.strictEqual(tagOf(judge(part, reply(200, { etag: '"v2"', "content-length": "1000" }))), "Changed")
    assert.strictEqual(tagOf(judge(part, reply(206, { "content-range": "bytes 100-199/1000" }))), "Changed")
    const untagged = { ...part, known: { ...known, etag: null } }
    const date = { "content-range": "bytes 100-199/1000", "last-modified": "Tue, 02 Jan 2026 00:00:00 GMT" }
    assert.strictEqual(tagOf(judge(untagged, reply(206, date))), "Changed")
  })

  it("H3 another checksum of the whole is another file, where neither tag nor time tells", () => {
    const stating = (bytes: string) =>
      reply(206, { "content-range": "bytes 100-199/1000", "x-goog-hash": `crc32c=${bytes}` })
    const first = judge({ ...part, known: null }, stating("AAAAAA=="))
    const asked = { ...part, known: first._tag === "Bytes" ? first.version : null }
    assert.deepStrictEqual(
      ["AAAAAA==", "AAAAAQ=="].map((bytes) => tagOf(judge(asked, stating(bytes)))),
      ["Bytes", "Changed"]
    )
  })

  it("H3 a time of modification that is that of the reply tells nothing of the file", () => {
    const untagged = { ...part, known: { ...known, etag: null } }
    const sent = { "content-range": "bytes 100-199/1000", date: "Fri, 02 Jan 2026 00:00:06 GMT" }
    const tells = (second: string) =>
      tagOf(judge(untagged, reply(206, { ...sent, "last-modified": `Fri, 02 Jan 2026 00:00:${second} GMT` })))
    for (const second of ["01", "06", "11"]) assert.strictEqual(tells(second), "Bytes", second)
    // A clock that is ahead tells versions apart all the same.
    for (const second of ["00", "12"]) assert.strictEqual(tells(second), "Changed", second)
    // Beside a tag it is what it says: readers of a gateway ask for it.
    const tagged = { ...good, date: sent.date, "last-modified": sent.date }
    assert.deepInclude(judge(part, reply(206, tagged)), {
      version: { size: 1000, etag: tag, lastModified: sent.date, digests: [] }
    })
  })

  it("H4 only a quoted tag without W/ vouches for bytes", () => {
    assert.strictEqual(strongTag('"abc-2"'), '"abc-2"')
    assert.strictEqual(strongTag(' "" '), '""')
    for (const weak of ['W/"abc"', "abc", '"abc', 'abc"', '"a"b"', '"a b"', "", undefined, '"\u00e4"']) {
      assert.isNull(strongTag(weak), weak)
    }
  })

  it("H5 412 means that the file changed", () => {
    assert.strictEqual(tagOf(judge(part, reply(412))), "Changed")
  })

  it("H6 416 tells the true size, or nothing", () => {
    assert.deepInclude(judge({ ...part, known: null, size: null }, reply(416, { "content-range": "bytes */50" })), {
      _tag: "WrongSize",
      size: 50
    })
    assert.strictEqual(tagOf(judge(part, reply(416, { "content-range": "bytes */50" }))), "Changed")
    assert.strictEqual(tagOf(judge(part, reply(416, { "content-range": "bytes */1000" }))), "Wrong")
    assert.strictEqual(tagOf(judge(part, reply(416))), "Wrong")
  })

  it("H6 400 is what 416 is where the host says so in its word: the link is good", () => {
    const refused = (asked: RangeAsked, code: string | null = "InvalidRange") =>
      judge(asked, reply(400, { "content-range": `bytes */${50}` }, true, code))
    assert.strictEqual(tagOf(refused(part)), "Changed")
    assert.deepInclude(refused({ ...part, known: null, size: null }), { _tag: "WrongSize", size: 50 })
    assert.deepInclude(judge(part, reply(400, {}, true, "InvalidRange")), { _tag: "Wrong", ofRange: true })
    for (const code of [null, "ExpiredToken"]) assert.strictEqual(tagOf(refused(part, code)), "Stale")
  })

  it("H7 a length that contradicts the listing is found before a byte is taken", () => {
    assert.deepInclude(judge(whole, reply(200, { "content-length": "999" })), { _tag: "WrongSize", size: 999 })
    assert.deepInclude(judge(whole, reply(200, { "content-length": "1001" })), { _tag: "WrongSize", size: 1001 })
  })

  it("H8 without any length the end must be marked", () => {
    const unknown: RangeAsked = { first: 0, end: null, range: false, size: null, known: null }
    assert.strictEqual(tagOf(judge(unknown, reply(200, {}, false))), "Wrong")
    assert.deepInclude(judge(unknown, reply(200, {}, true)), { _tag: "Bytes", end: null })
    assert.deepInclude(judge(whole, reply(200, {}, false)), { _tag: "Bytes", end: 1000 })
  })

  it("H9 a body that is encoded on its way is never taken for the file, an object with a note of its encoding is", () => {
    const part: RangeAsked = { ...whole, first: 100, end: 200, range: true }
    const unlisted: RangeAsked = { ...whole, size: null }
    for (const encoding of ["gzip", "br", "aws-chunked", "identity, gzip", "identity"]) {
      const encoded = (headers: Readonly<Record<string, string>>, status = 200) =>
        reply(status, { "content-encoding": encoding, ...headers })
      const range = (total: string) =>
        encoded({ "content-range": `bytes 100-199/${total}`, "content-length": "100" }, 206)
      assert.strictEqual(tagOf(judge(whole, encoded({ "content-length": "1000" }))), "Bytes", encoding)
      assert.strictEqual(tagOf(judge(unlisted, encoded({ "content-length": "990" }))), "Bytes", encoding)
      assert.strictEqual(tagOf(judge(part, range("1000"))), "Bytes", encoding)
      if (encoding === "identity") continue
      assert.strictEqual(tagOf(judge(whole, encoded({ "content-length": "990" }))), "Wrong", encoding)
      assert.strictEqual(tagOf(judge(whole, encoded({}))), "Wrong", encoding)
      assert.strictEqual(tagOf(judge(part, range("990"))), "Wrong", encoding)
      assert.strictEqual(tagOf(judge(part, range("*"))), "Wrong", encoding)
    }
  })

  it("H10 H12 H13 L1 the other statuses", () => {
    for (const status of [201, 202, 203, 204, 205, 207, 226, 300, 304, 402, 405, 406, 418, 501, 505]) {
      assert.strictEqual(tagOf(judge(whole, reply(status, { "content-length": "1000" }))), "Wrong", String(status))
    }
    for (const status of [400, 401, 403, 404, 410])
      assert.deepInclude(judge(whole, reply(status)), { _tag: "Stale", status })
    for (const status of [408, 425, 429, 500, 502, 503, 504, 507, 520, 530, 599]) {
      assert.deepInclude(judge(whole, reply(status, { "retry-after": "2" })), {
        _tag: "Later",
        reason: `status ${status}`,
        retryAfter: "2"
      })
    }
  })

  it("H17 a page or nothing, in place of the file, says nothing of it; a host that calls files pages is believed", () => {
    const page = { "content-type": "Text/HTML; charset=utf-8" }
    const shown = { _tag: "Later", reason: "a web page in place of the file", retryAfter: null } as const
    assert.deepStrictEqual(judge(whole, reply(200, { ...page, "content-length": "3098" })), shown)
    assert.deepStrictEqual(judge(part, reply(200, { ...page, "content-length": "3098" })), shown)
    assert.deepStrictEqual(judge(part, reply(200, page)), shown)
    const begins = (text: string) => ({ ...reply(200, page), start: new TextEncoder().encode(text) })
    const untagged = { ...part, known: { ...known, etag: null, lastModified: null } }
    for (const asked of [whole, untagged, { ...part, size: null, known: null, first: 0 }]) {
      assert.deepStrictEqual(judge(asked, begins("\n <!doctype html>")), shown)
      assert.include(["Bytes", "RangeIgnored"], tagOf(judge(asked, begins("BAM"))))
    }
    const plain = { ...begins("too busy"), headers: new Map(Object.entries({ ...page, "content-length": "8" })) }
    assert.deepStrictEqual(judge(part, plain), shown)
    const empty = { ...shown, reason: "an empty answer in place of the file" }
    const nothing = { first: 0, end: null, range: false, known: null }
    for (const headers of [{}, { "content-length": "0" }]) {
      const sent = { ...reply(200, headers), start: new Uint8Array(0) }
      assert.strictEqual(tagOf(judge({ ...nothing, size: 0 }, sent)), "Bytes")
      assert.deepStrictEqual(judge({ ...nothing, size: null }, sent), empty)
    }
    assert.deepStrictEqual(judge(part, reply(200, { "content-length": "0" })), empty)
    assert.deepStrictEqual(judge(untagged, { ...reply(200), start: new Uint8Array(0) }), empty)
    assert.strictEqual(tagOf(judge(part, reply(200, { "content-length": "3098" }))), "Changed")
    assert.strictEqual(tagOf(judge(whole, reply(200, { ...page, "content-length": "1000" }))), "Bytes")
    assert.strictEqual(tagOf(judge(whole, reply(200, page))), "Bytes")
  })

  it("H17 of a page that is called something else its beginning tells, where it contradicts what is known or takes the place of a range", () => {
    const xml = { "content-type": "application/xml" }
    const begins = (text: string, headers: Record<string, string>) => ({
      ...reply(200, headers),
      start: new TextEncoder().encode(text)
    })
    const untagged = { ...part, known: { ...known, etag: null, lastModified: null } }
    for (const headers of [{}, xml]) {
      const sized = { ...headers, "content-length": "3098" }
      assert.deepInclude(judge(untagged, begins("<?xml ?>", headers)), { reason: "a web page in place of the file" })
      for (const asked of [part, untagged, whole]) {
        assert.deepInclude(judge(asked, begins("\n<html>", sized)), { reason: "a web page in place of the file" })
        assert.notStrictEqual(tagOf(judge(asked, begins("BAM", sized))), "Later")
      }
      assert.strictEqual(tagOf(judge({ ...whole, end: null, size: null }, begins("<svg>", sized))), "Bytes")
      assert.strictEqual(tagOf(judge(whole, begins("<svg>", { ...headers, "content-length": "1000" }))), "Bytes")
    }
  })

  it("H11 a redirect needs to say where", () => {
    for (const status of [301, 302, 303, 307, 308]) {
      assert.deepInclude(judge(whole, reply(status, { location: "/b" })), { _tag: "Redirect", location: "/b" })
      assert.strictEqual(tagOf(judge(whole, reply(status))), "Wrong")
    }
  })

  const length = Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 1e12 })))
  it.prop("Content-Range round trip", [length, length, length], ([first, more, rest]) => {
    const [end, size] = [first + more + 1, first + more + 1 + rest]
    assert.deepStrictEqual(contentRange(`bytes ${first}-${end - 1}/${size}`), { first, end, size })
    assert.deepStrictEqual(contentRange(`Bytes ${first}-${end - 1}/*`), { first, end, size: null })
    assert.deepStrictEqual(contentRange(`bytes */${size}`), { first: null, size })
  })

  const Headers = Schema.Record(
    Schema.Literals(["content-range", "content-length", "etag", "content-encoding", "location", "content-type"]),
    Schema.String
  )
  const Status = Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 200, maximum: 599 })))
  it.prop("bytes are taken only where they were asked for", [Status, Headers], ([status, headers]) => {
    const verdict = judge(part, reply(status, headers))
    return verdict._tag !== "Bytes" || (verdict.first === 100 && verdict.end !== null && verdict.end <= 200)
  })
})
