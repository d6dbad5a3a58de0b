/** What link hosts answer: statuses, ranges, sizes, entity tags and checksums that are wrong, missing or of another file. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { TlsRefused } from "../../core/src/Errors.ts"
import { cutAfter, host, patterned, type Script, type ScriptedReply } from "../transfer/ScriptedHost.ts"
import {
  always,
  at,
  cappedAt,
  failure,
  goodPart,
  ground,
  kib,
  mib,
  strong,
  succeeds
} from "../transfer/TransferGround.ts"

describe("FileTransfer, HTTP", () => {
  it.effect("H1 a host without ranges gives the whole file once more, never appended", () =>
    Effect.gen(function* () {
      const whole: Script = ({ number, object }, good) => {
        const reply = {
          ...good,
          status: 200,
          headers: { etag: strong, "content-length": `${object.bytes.length}` },
          body: [object.bytes]
        }
        return number === 0 ? cutAfter(reply, 150 * kib) : reply
      }
      const g = ground({ script: whole })
      yield* succeeds(g)
      assert.deepStrictEqual(
        g.links.seen.map(({ range }) => range === null),
        [true, false, true]
      )
      const large = ground({
        size: 70 * mib,
        script: ({ object }, good) => ({
          ...good,
          status: 200,
          headers: { "content-length": `${object.bytes.length}` },
          body: [object.bytes]
        })
      })
      yield* succeeds(large)
      assert.strictEqual(large.links.seen.length, 2)
    })
  )

  it.effect("H1 a host without ranges that always cuts ends in a bounded number of tries", () =>
    Effect.gen(function* () {
      const g = ground({
        script: ({ object }, good) =>
          cutAfter(
            { ...good, status: 200, headers: { "content-length": `${object.bytes.length}` }, body: [object.bytes] },
            100 * kib
          )
      })
      assert.strictEqual((yield* failure(g))._tag, "SvcLinkProtocol")
      assert.isAtMost(g.links.seen.length, 24)
    })
  )

  it.effect("H2 a host that answers every range with bytes that are there already is given up", () =>
    Effect.gen(function* () {
      const g = ground({
        etag: null,
        // Without an entity tag the last 64 KiB are asked for again: this host never gets beyond them.
        script: ({ number, object, range }, good) =>
          number > 100
            ? new TlsRefused({ host, reason: "asked a hundred times" })
            : cappedAt(64 * kib, object.bytes, range, good)
      })
      assert.deepInclude(yield* failure(g), { _tag: "SvcLinkProtocol" })
      assert.isAtMost(g.links.seen.length, 30)
    })
  )

  it.effect("H17 a page in place of the rest of the file loses no byte that came", () =>
    Effect.gen(function* () {
      const page = { "content-type": "text/html", "content-length": "4" }
      const g = ground({
        script: ({ number }, good) =>
          number === 0
            ? cutAfter(good, 100 * kib)
            : number < 4
              ? { status: 200, headers: page, body: [new Uint8Array(4)] }
              : good
      })
      yield* succeeds(g)
      const ranges = g.links.seen.map(({ range }) => range)
      assert.deepStrictEqual(ranges, [null, ...Array(4).fill(`bytes=${100 * kib}-${200 * kib - 1}`)])
      const always = ground({ script: () => ({ status: 200, headers: page, body: [new Uint8Array(4)] }) })
      assert.deepInclude(yield* failure(always), { _tag: "SvcUnavailable", reason: "a web page in place of the file" })
    })
  )

  for (const etag of [strong, null]) {
    it.effect(
      `H17 nor does one that says no length, and is another each time, ${etag === null ? "without" : "with"} an entity tag of the file`,
      () =>
        Effect.gen(function* () {
          const said = (text: string) => ({
            status: 200,
            headers: { "content-type": "text/html", etag: `"${text}"` },
            body: text === "" ? [] : [new TextEncoder().encode(`<html>${text}</html>`)]
          })
          const g = ground({
            etag,
            script: ({ number }, good) =>
              number === 0 ? cutAfter(good, 100 * kib) : number < 4 ? said(number === 1 ? "" : `${number}`) : good
          })
          yield* succeeds(g)
          const from = etag === null ? 36 : 100
          const ranges = g.links.seen.map(({ range }) => range)
          assert.deepStrictEqual(ranges, [null, ...Array(4).fill(`bytes=${from * kib}-${200 * kib - 1}`)])
          const stays = ground({ etag, script: ({ number }) => said(`${number}`) })
          assert.deepInclude(yield* failure(stays), {
            _tag: "SvcUnavailable",
            reason: "a web page in place of the file"
          })
        })
    )
  }

  it.effect("H17 a host that calls all it has pages, and says neither length nor ranges, is believed", () =>
    Effect.gen(function* () {
      const g = ground({
        etag: null,
        script: ({ number, object }, good) => {
          const reply = { ...good, status: 200, headers: { "content-type": "text/html" }, body: [object.bytes] }
          return number === 0 ? cutAfter(reply, 100 * kib) : reply
        }
      })
      yield* succeeds(g)
      assert.strictEqual(g.links.seen.length, 3)
    })
  )

  it.effect("H2 one reply with a wrong range is an accident, the second is the host's fault", () =>
    Effect.gen(function* () {
      const early = (good: ScriptedReply): ScriptedReply => ({
        ...good,
        status: 206,
        headers: { "content-range": "bytes 5-9/204800" }
      })
      yield* succeeds(ground({ script: at(0, early) }))
      const g = ground({ script: always(early) })
      assert.strictEqual((yield* failure(g))._tag, "SvcLinkProtocol")
      assert.strictEqual(g.links.seen.length, 2)
    })
  )

  const wrongRanges: ReadonlyArray<readonly [string, (good: ScriptedReply, size: number) => ScriptedReply]> = [
    [
      "416 with the right total",
      (_, size) => ({ status: 416, headers: { "content-range": `bytes */${size}` }, body: [] })
    ],
    [
      "400 InvalidRange",
      () => ({ status: 400, headers: {}, body: [new TextEncoder().encode("<Error><Code>InvalidRange</Code></Error>")] })
    ],
    [
      "206 that begins elsewhere",
      (good, size) => ({
        ...good,
        headers: { ...good.headers, "content-range": `bytes 7-${size - 1}/${size}`, "content-length": `${size - 7}` }
      })
    ],
    [
      "multipart/byteranges",
      (good) => ({ ...good, headers: { ...good.headers, "content-type": "multipart/byteranges; boundary=x" } })
    ]
  ]
  for (const [answer, wrong] of wrongRanges) {
    it.effect(
      `H2 H6 ${answer} to every range: after one repetition the part is dropped and the whole fetched, once`,
      () =>
        Effect.gen(function* () {
          for (const overwrite of [false, true]) {
            const cut = ground({ script: at(0, (good) => cutAfter(good, 100 * kib)) })
            const stopped = yield* Effect.forkChild(cut.download)
            while (!cut.events.some(({ _tag }) => _tag === "Retrying")) yield* Effect.yieldNow
            yield* Fiber.interrupt(stopped)
            const g = ground({
              request: { overwrite },
              script: ({ object, range }, good) => (range === null ? good : wrong(good, object.bytes.length))
            })
            for (const [name, bytes] of cut.disk.files) g.disk.files.set(name, bytes)
            assert.deepInclude(yield* succeeds(g), { resumedFrom: 0, attempts: 3 })
            assert.deepStrictEqual(
              g.links.seen.map(({ range }) => range === null),
              [false, false, true]
            )
            const told = g.events.filter(({ _tag }) => _tag === "Restarting")
            assert.strictEqual(told.length, 1)
            assert.match(
              JSON.stringify(told),
              /files\.example (?:answered 4(?:16|00)|sent bytes from 7|sent several ranges)/
            )
          }
        })
    )

    it.effect(`H2 H6 ${answer} once is an accident, and to every range of a large file means one connection`, () =>
      Effect.gen(function* () {
        const accident = ground({
          script: ({ number, object }, good) =>
            number === 0 ? cutAfter(good, 100 * kib) : number === 1 ? wrong(good, object.bytes.length) : good
        })
        yield* succeeds(accident)
        assert.isFalse(accident.events.some(({ _tag }) => _tag === "Restarting"))
        const large = ground({
          size: 70 * mib,
          script: ({ object, range }, good) => (range === null ? good : wrong(good, object.bytes.length))
        })
        assert.strictEqual((yield* succeeds(large)).attempts, 3)
      })
    )
  }

  it.effect("H2 several connections that meet one wrong range each are no reason to drop what is there", () =>
    Effect.gen(function* () {
      const g = ground({
        size: 130 * mib,
        script: ({ number, range }, good) =>
          number >= 1 && number <= 3 && range !== null
            ? { ...good, headers: { ...good.headers, "content-range": `bytes 7-8/${130 * mib}` }, delay: 10 }
            : { ...good, delay: 10 }
      })
      assert.deepInclude(yield* succeeds(g), { renewals: 0 })
      assert.isFalse(g.events.some(({ _tag }) => _tag === "Restarting"))
      assert.strictEqual(g.events.filter(({ _tag }) => _tag === "Retrying").length, 3)
    })
  )

  it.effect("H3 a file that changes in between is fetched anew, and never mixed", () =>
    Effect.gen(function* () {
      const second = { bytes: patterned(200 * kib, 2), etag: '"v2"' }
      const g = ground({ script: ({ number }, good) => (number === 0 ? cutAfter(good, 150 * kib) : second) })
      yield* succeeds(g)
      assert.deepStrictEqual(g.disk.files.get("s.bam"), second.bytes)
      assert.isTrue(g.events.some(({ _tag }) => _tag === "Restarting"))
    })
  )

  it.effect("H3 a file that changes all the time is given up, and its part is not kept", () =>
    Effect.gen(function* () {
      const g = ground({
        script: ({ number, object, range }) => {
          const next = { bytes: patterned(200 * kib, number + 2), etag: `"v${number + 2}"` }
          if (range === null)
            return cutAfter(
              { status: 200, headers: { etag: object.etag ?? "", "content-length": "204800" }, body: [object.bytes] },
              150 * kib
            )
          return next
        }
      })
      assert.deepInclude(yield* failure(g), { _tag: "SvcFileDamaged", fault: "Changing" })
      assert.deepStrictEqual(g.disk.names, [])
    })
  )

  for (const etag of [null, 'W/"weak"', "unquoted"]) {
    it.effect(`H4 without a strong entity tag (${etag}) the last 64 KiB are compared before more is appended`, () =>
      Effect.gen(function* () {
        const g = ground({ etag, script: at(0, (good) => cutAfter(good, 150 * kib)) })
        yield* succeeds(g)
        assert.deepInclude(g.links.seen[1], { range: `bytes=${86 * kib}-${200 * kib - 1}` })

        const changed = ground({
          etag,
          script: ({ number }, good) =>
            number === 0 ? cutAfter(good, 150 * kib) : { bytes: patterned(200 * kib, 2), etag }
        })
        yield* succeeds(changed)
        assert.deepStrictEqual(changed.disk.files.get("s.bam"), patterned(200 * kib, 2))
        assert.isTrue(changed.events.some(({ _tag }) => _tag === "Restarting"))
      })
    )
  }

  it.effect("H4 without a strong entity tag a large file comes over one connection", () =>
    Effect.gen(function* () {
      const g = ground({ size: 100 * mib, etag: null, script: always((good) => ({ ...good, delay: 50 })) })
      yield* succeeds(g)
      assert.strictEqual(g.links.mostOpen, 1)
    })
  )

  it.effect("H4 a store that tags each part is asked for the whole file in the end", () =>
    Effect.gen(function* () {
      const g = ground({
        size: 70 * mib,
        script: ({ range, object }) => {
          const first = /\d+/.exec(range ?? "")?.[0]
          const { headers, ...good } = goodPart(object, range)
          return {
            ...good,
            headers: { ...headers, etag: first === undefined ? strong : `"part-${first}"` }
          }
        }
      })
      yield* succeeds(g)
      assert.isNull(g.links.seen.at(-1)?.range)
    })
  )

  it.effect("H5 412 begins again", () =>
    Effect.gen(function* () {
      const g = ground({
        script: ({ number }, good) =>
          number === 0 ? cutAfter(good, 100 * kib) : number === 1 ? { status: 412, headers: {}, body: [] } : good
      })
      yield* succeeds(g)
      assert.isNull(g.links.seen[2]?.range)
    })
  )

  it.effect("H6 an empty file is committed when the listing says so, and only then", () =>
    Effect.gen(function* () {
      const empty = ground({ size: 0 })
      yield* succeeds(empty)
      assert.strictEqual(empty.links.seen.length, 1)
      const unknown = ground({ size: 0, request: { size: null } })
      assert.deepInclude(yield* failure(unknown), { _tag: "SvcFileDamaged", fault: "Size" })
    })
  )

  it.effect("H7 a size that differs from the listing is found before a byte is kept", () =>
    Effect.gen(function* () {
      for (const size of [100 * kib, 300 * kib]) {
        const g = ground({ request: { size } })
        assert.deepInclude(yield* failure(g), { _tag: "SvcFileDamaged", fault: "Size" })
        assert.deepStrictEqual(g.disk.names, [])
        assert.notInclude(g.disk.log, "write")
      }
    })
  )

  it.effect("H7 bytes beyond the announced end are refused", () =>
    Effect.gen(function* () {
      const g = ground({ script: always((good) => ({ ...good, body: [...good.body, patterned(1)] })) })
      assert.strictEqual((yield* failure(g))._tag, "SvcLinkProtocol")
    })
  )

  it.effect("H9 H10 a body that is encoded on its way or another status is no file", () =>
    Effect.gen(function* () {
      const replies: ReadonlyArray<(good: ScriptedReply) => ScriptedReply> = [
        (good) => ({ ...good, headers: { "content-encoding": "gzip", "content-length": "7" } }),
        ...[202, 203, 204, 304].map(
          (status) =>
            (good: ScriptedReply): ScriptedReply => ({ ...good, status })
        )
      ]
      for (const change of replies) {
        const g = ground({ script: always(change) })
        assert.strictEqual((yield* failure(g))._tag, "SvcLinkProtocol")
        assert.deepStrictEqual(g.disk.names, [])
      }
    })
  )

  it.effect("H9 an object that is stored with a note of its encoding comes as it is", () =>
    Effect.gen(function* () {
      for (const encoding of ["gzip", "aws-chunked"]) {
        const encoded = (good: ScriptedReply) => ({
          ...good,
          headers: { ...good.headers, "content-encoding": encoding }
        })
        assert.deepInclude(yield* succeeds(ground({ script: always(encoded) })), { action: "downloaded", attempts: 1 })
      }
    })
  )

  it.effect("H11 redirects are followed three times, not more", () =>
    Effect.gen(function* () {
      const hop = (to: string): ScriptedReply => ({ status: 307, headers: { location: to }, body: [] })
      const g = ground({ script: ({ number }, good) => (number < 3 ? hop(`https://other.example/${number}`) : good) })
      yield* succeeds(g)
      assert.deepStrictEqual(
        g.links.seen.slice(1).map(({ link }) => link),
        [0, 1, 2].map((n) => `https://other.example/${n}`)
      )
      const loop = ground({ script: always(() => hop("/again")) })
      assert.strictEqual((yield* failure(loop))._tag, "SvcLinkProtocol")
      assert.strictEqual(loop.links.seen.length, 8)
    })
  )

  for (const [retryAfter, least, most] of [
    ["2", 2000, 2000],
    ["-1", 0, 1000],
    ["1e9", 0, 1000],
    ["999999", 60_000, 60_000],
    ["soon", 0, 1000]
  ] as const) {
    it.effect(`H12 Retry-After ${retryAfter} waits between ${least} and ${most} ms`, () =>
      Effect.gen(function* () {
        const busy: ScriptedReply = { status: 503, headers: { "retry-after": retryAfter }, body: [] }
        const g = ground({ script: at(0, () => busy) })
        yield* succeeds(g)
        const waits = g.events.flatMap((event) => (event._tag === "Retrying" ? [event.milliseconds] : []))
        assert.strictEqual(waits.length, 1)
        assert.isAtLeast(waits[0] ?? -1, least)
        assert.isAtMost(waits[0] ?? Number.POSITIVE_INFINITY, most)
      })
    )
  }

  it.effect("H12 Retry-After as a date is kept", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 0, 1))
      const busy: ScriptedReply = {
        status: 429,
        headers: { "retry-after": "Thu, 01 Jan 2026 00:00:30 GMT" },
        body: []
      }
      const g = ground({ script: at(0, () => busy) })
      yield* succeeds(g)
      assert.isTrue(g.events.some((event) => event._tag === "Retrying" && event.milliseconds === 30_000))
    })
  )

  it.effect("H13 eight failures of the host are outlasted, nine are not", () =>
    Effect.gen(function* () {
      const failing =
        (count: number): Script =>
        ({ number }, good) =>
          number < count ? { status: 500, headers: {}, body: [] } : good
      yield* succeeds(ground({ script: failing(8) }))
      assert.strictEqual((yield* failure(ground({ script: failing(9) })))._tag, "SvcUnavailable")
    })
  )
})
