/** The state machine of a download on the virtual clock: a scripted link host, a disk in memory. */
import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Exit, Fiber, Layer, Redacted, Ref } from "effect"
import { TestClock } from "effect/testing"
import { FileDamaged, Forbidden, TlsRefused } from "../../core/src/Errors.ts"
import { Codec } from "../../core/src/genome/bgzf/Codec.ts"
import { FileTransfer } from "../../core/src/transfer/FileTransfer.ts"
import { LinkBroken } from "../../core/src/transfer/LinkHost.ts"
import { defaultSettings } from "../../core/src/transfer/LinkPool.ts"
import type { FreshLink, TransferProgress, TransferRequest } from "../../core/src/transfer/TransferRequest.ts"
import { BlockPool } from "../../core/src/verify/BlockPool.ts"
import * as ZlibCodec from "../../platform/inflate/ZlibCodec.ts"
import { bamFile, read } from "../genome/Fixtures.ts"
import { makeJumpingClock } from "../JumpingClock.ts"
import { crc32c, MemoryParts } from "./MemoryParts.ts"
import { cutAfter, host, patterned, type Script, ScriptedHost, type ScriptedReply } from "./ScriptedHost.ts"

const kib = 1024
const mib = 1024 * kib
const strong = '"v1"'

const codec = Layer.provideMerge(BlockPool.layerHere, ZlibCodec.layer)

interface GroundOptions {
  readonly size?: number
  /** What the link host has, in place of `size` bytes of a pattern. */
  readonly bytes?: Uint8Array
  readonly etag?: string | null
  /** Says nothing of checks, as a caller who trusts the default. */
  readonly silent?: boolean
  readonly script?: Script
  readonly request?: Partial<TransferRequest>
  readonly connections?: number
  readonly limitRate?: number
}

/** One download and everything around it that a test looks at. */
const ground = ({
  bytes,
  size = bytes?.length ?? 200 * kib,
  etag = strong,
  silent = false,
  script,
  request = {},
  connections = 4,
  limitRate = 0
}: GroundOptions = {}) => {
  const object = { bytes: bytes ?? patterned(size), etag }
  const links = new ScriptedHost(object, script)
  const disk = new MemoryParts()
  const events: Array<TransferProgress> = []
  let renewals = 0
  const renewLink: Effect.Effect<FreshLink> = Effect.sync(() => ({
    link: Redacted.make(`https://${host}/s.bam?renewal=${++renewals}`),
    size: null
  }))
  const layer = FileTransfer.layer({ ...defaultSettings, connections, limitRate }).pipe(
    Layer.provide(Layer.mergeAll(links.layer, disk.layer, codec))
  )
  const asked: TransferRequest = {
    target: "https://service.example",
    analysisId: "A1",
    fileName: "s.bam",
    directory: "out",
    name: "s.bam",
    overwrite: false,
    ...(silent ? {} : { check: "none" as const }),
    size,
    link: Redacted.make(`https://${host}/s.bam?renewal=0`),
    renewLink,
    progress: (event) => Effect.sync(() => void events.push(event)),
    ...request
  }
  const download = Effect.flatMap(FileTransfer, (transfer) => transfer.download(asked)).pipe(Effect.provide(layer))
  /** Runs the download while virtual time passes. */
  const run = Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(Effect.exit(download))
    yield* TestClock.adjust("2 hours")
    return yield* Fiber.join(fiber)
  })
  const delivered = () => {
    assert.deepStrictEqual(disk.names, ["s.bam"])
    // Megabytes, which a comparison value by value would take a second for.
    assert.strictEqual(Buffer.compare(disk.files.get("s.bam") ?? new Uint8Array(0), links.object.bytes), 0)
  }
  return { links, disk, events, download, run, delivered, asked, renewals: () => renewals }
}

/** The outcome of a download that must succeed. */
const succeeds = Effect.fnUntraced(function* (g: ReturnType<typeof ground>) {
  const outcome = yield* yield* g.run
  g.delivered()
  return outcome
})

/** The error of a download that must fail and leave nothing under the final name. */
const failure = Effect.fnUntraced(function* (g: ReturnType<typeof ground>) {
  const error = yield* Effect.flip(yield* g.run)
  assert.isFalse(g.disk.files.has("s.bam"))
  assert.notMatch(`${error.message} ${JSON.stringify(g.events)}`, /renewal=/)
  return error
})

/** Misbehaves at the requests with these numbers. */
const at =
  (numbers: ReadonlyArray<number> | number, change: (good: ScriptedReply) => ReturnType<Script>): Script =>
  ({ number }, good) =>
    (typeof numbers === "number" ? [numbers] : numbers).includes(number) ? change(good) : good

const always =
  (change: (good: ScriptedReply) => ReturnType<Script>): Script =>
  (_, good) =>
    change(good)

/** A host that sends at most `length` bytes of a range. */
const cappedAt = (length: number, bytes: Uint8Array, range: string | null, good: ScriptedReply): ScriptedReply => {
  const first = Number(/^bytes=(\d+)-/.exec(range ?? "bytes=0-")?.[1])
  if (range === null) return cutAfter(good, length + kib)
  const body = bytes.subarray(first, first + length)
  const fields = { "content-range": `bytes ${first}-${first + body.length - 1}/${bytes.length}` }
  return { status: 206, headers: { ...fields, "content-length": String(body.length) }, body: [body] }
}

describe("FileTransfer", () => {
  it.effect("brings a file to its final name, with its digest", () =>
    Effect.gen(function* () {
      const g = ground()
      const outcome = yield* succeeds(g)
      assert.deepInclude(outcome, { action: "downloaded", bytes: 200 * kib, resumedFrom: 0, attempts: 1, renewals: 0 })
      assert.match(outcome.sha256 ?? "", /^[0-9a-f]{64}$/)
      assert.deepStrictEqual(g.links.seen[0], { link: `https://${host}/s.bam?renewal=0`, range: null, ifRange: null })
      assert.deepStrictEqual(g.disk.claimed.size, 0)
    })
  )

  it.effect("an existing file stays, and nothing is asked", () =>
    Effect.gen(function* () {
      const g = ground()
      g.disk.files.set("s.bam", patterned(7))
      const outcome = yield* yield* g.run
      assert.deepInclude(outcome, { action: "exists", bytes: 7, sha256: null, attempts: 0 })
      assert.strictEqual(g.links.seen.length, 0)
    })
  )

  it.effect("with overwrite the old file stays until the new one is complete", () =>
    Effect.gen(function* () {
      const g = ground({
        request: { overwrite: true },
        script: always(() => new TlsRefused({ host, reason: "expired" }))
      })
      g.disk.files.set("s.bam", patterned(7))
      assert.strictEqual((yield* Effect.flip(yield* g.run))._tag, "TlsRefused")
      assert.deepStrictEqual(g.disk.files.get("s.bam"), patterned(7))
      const again = ground({ request: { overwrite: true } })
      again.disk.files.set("s.bam", patterned(7))
      yield* succeeds(again)
    })
  )

  it.effect("a large file comes in pieces over all connections, and no more than those", () =>
    Effect.gen(function* () {
      const g = ground({ size: 130 * mib, connections: 3, script: always((good) => ({ ...good, delay: 100 })) })
      const outcome = yield* succeeds(g)
      assert.strictEqual(outcome.attempts, 5)
      assert.strictEqual(g.links.mostOpen, 3)
      assert.isTrue(g.links.seen.every(({ range }) => range !== null))
      assert.isTrue(g.links.seen.slice(1).every(({ ifRange }) => ifRange === strong))
    })
  )

  it.effect("connections are shared by all files", () =>
    Effect.gen(function* () {
      const g = ground({ connections: 2, script: always((good) => ({ ...good, delay: 100 })) })
      const layer = FileTransfer.layer({ ...defaultSettings, connections: 2 }).pipe(
        Layer.provide(Layer.mergeAll(g.links.layer, g.disk.layer, codec))
      )
      const six = Effect.gen(function* () {
        const transfer = yield* FileTransfer
        const names = ["1.bam", "2.bam", "3.bam", "4.bam", "5.bam", "6.bam"]
        yield* Effect.forEach(names, (name) => transfer.download({ ...g.asked, fileName: name, name }), {
          concurrency: "unbounded"
        })
      }).pipe(Effect.provide(layer))
      const fiber = yield* Effect.forkChild(six)
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(fiber)
      assert.strictEqual(g.links.mostOpen, 2)
      assert.strictEqual(g.disk.names.length, 6)
    })
  )

  describe("network", () => {
    it.effect("N1 a refused connection is tried eight times more, then the host is unavailable", () =>
      Effect.gen(function* () {
        const refused = new LinkBroken({ host, fault: "Connect", reason: "connection refused" })
        const g = ground({ script: always(() => refused) })
        const error = yield* failure(g)
        assert.deepInclude(error, { _tag: "Unavailable", host, attempts: 9 })
        assert.strictEqual(g.links.seen.length, 9)
        assert.deepStrictEqual(g.events.at(-1), { _tag: "GivenUp", attempts: 9, renewals: 0 })
        assert.deepStrictEqual(g.disk.names, [])
      })
    )

    it.effect("N4 a certificate that is not accepted is not tried again", () =>
      Effect.gen(function* () {
        const g = ground({ script: always(() => new TlsRefused({ host, reason: "self-signed certificate" })) })
        assert.strictEqual((yield* failure(g))._tag, "TlsRefused")
        assert.strictEqual(g.links.seen.length, 1)
      })
    )

    it.effect("N7 a short body resumes at the next byte with If-Range", () =>
      Effect.gen(function* () {
        const g = ground({ script: at(0, (good) => cutAfter(good, 150 * kib)) })
        const outcome = yield* succeeds(g)
        assert.strictEqual(outcome.attempts, 2)
        assert.deepInclude(g.links.seen[1], { range: `bytes=${150 * kib}-${200 * kib - 1}`, ifRange: strong })
      })
    )

    it.effect("N8 the end of an unframed body before the size of the listing is a cut", () =>
      Effect.gen(function* () {
        const unframed = (good: ScriptedReply): ScriptedReply => ({
          ...cutAfter(good, 10 * kib),
          headers: { etag: strong },
          framed: false,
          body: [patterned(10 * kib)]
        })
        const g = ground({ script: at(0, unframed) })
        yield* succeeds(g)
        assert.deepInclude(g.links.seen[1], { range: `bytes=${10 * kib}-${200 * kib - 1}` })
      })
    )

    it.effect("N10 a connection without a byte is given up at the idle limit", () =>
      Effect.gen(function* () {
        const stalling: Script = at(0, (good) => ({ ...good, body: [patterned(100 * kib), { wait: 1e9 }] }))
        const g = ground({ script: stalling })
        const fiber = yield* Effect.forkChild(g.download)
        yield* TestClock.adjust("59 seconds")
        assert.strictEqual(g.links.seen.length, 1)
        yield* TestClock.adjust("4 seconds")
        assert.deepInclude(yield* Fiber.join(fiber), { attempts: 2 })
        g.delivered()
      })
    )

    it.effect("C1 a clock that is set forward does not make a good connection a slow one", () =>
      Effect.gen(function* () {
        const { clock, set } = yield* makeJumpingClock
        const bytes = patterned(100 * kib)
        const g = ground({
          bytes,
          script: always((good) => ({ ...good, body: [bytes.subarray(0, kib), { wait: 1000 }, bytes.subarray(kib)] }))
        })
        const fiber = yield* Effect.forkChild(g.download.pipe(Effect.provideService(Clock.Clock, clock)))
        yield* TestClock.adjust("500 millis")
        set(24 * 3_600_000)
        yield* TestClock.adjust("1 hour")
        assert.deepInclude(yield* Fiber.join(fiber), { attempts: 1 })
        g.delivered()
      })
    )

    it.effect("N11 one byte per five seconds is too slow, 100 KiB per second for an hour is not", () =>
      Effect.gen(function* () {
        const drip = Array.from({ length: 100 }, (_, i) => [
          { wait: 5000 },
          patterned(200 * kib).subarray(i, i + 1)
        ]).flat()
        const g = ground({ script: at(0, (good) => ({ ...good, body: drip })) })
        yield* succeeds(g)
        const reasons = g.events.flatMap((event) => (event._tag === "Retrying" ? [event.reason] : []))
        assert.deepStrictEqual(reasons, ["sends less than 1 KiB per second"])

        const size = 60 * mib
        const bytes = patterned(size)
        const steady = Array.from({ length: size / (100 * kib) + 1 }, (_, i) => [
          { wait: 1000 },
          bytes.subarray(i * 100 * kib, (i + 1) * 100 * kib)
        ]).flat()
        const slow = ground({ size, script: at(0, (good) => ({ ...good, body: steady })) })
        const outcome = yield* succeeds(slow)
        assert.strictEqual(outcome.attempts, 1)
        assert.isAbove(outcome.milliseconds, 600_000)
      })
    )

    it.effect("N11 a connection that waits for its share of --limitRate is not too slow, and not silent", () =>
      Effect.gen(function* () {
        const size = 200 * kib
        const bytes = patterned(size)
        // 20 KiB take longer than the idle limit, and 120 KiB longer than a slow connection is given.
        const small = Array.from({ length: 10 }, (_, i) => bytes.subarray(i * 20 * kib, (i + 1) * 20 * kib))
        const both = { size, limitRate: 500, request: { renewLink: null } }
        for (const body of [[bytes], small]) {
          const g = ground({ ...both, script: (_, good) => ({ ...good, body }) })
          const outcome = yield* succeeds(g)
          assert.strictEqual(outcome.attempts, 1)
          assert.approximately(outcome.milliseconds / 1000, size / 500, 1)
          // It moves evenly.
          const told = g.events.flatMap((event) => (event._tag === "Bytes" ? [event.done] : []))
          assert.strictEqual(told[0], 4096)
          assert.isTrue(told.every((done, i) => done - (told[i - 1] ?? 0) <= 4096))
        }
      })
    )

    it.effect("N11 a host that gives a byte in five seconds is too slow below a limit as well", () =>
      Effect.gen(function* () {
        const drip = Array.from({ length: 100 }, (_, i) => [
          { wait: 5000 },
          patterned(200 * kib).subarray(i, i + 1)
        ]).flat()
        const g = ground({ limitRate: 100_000, script: at(0, (good) => ({ ...good, body: drip })) })
        yield* succeeds(g)
        const reasons = g.events.flatMap((event) => (event._tag === "Retrying" ? [event.reason] : []))
        assert.deepStrictEqual(reasons, ["sends less than 1 KiB per second"])
      })
    )

    it.effect("--limitRate holds for all connections of a file together", () =>
      Effect.gen(function* () {
        const size = 100 * mib
        const g = ground({ size, limitRate: 1_000_000 })
        const outcome = yield* succeeds(g)
        assert.strictEqual(g.links.mostOpen, 4)
        assert.approximately(outcome.milliseconds / 1000, size / 1e6, 1)
      })
    )

    it.effect("N12 a head that does not come is given up after its limit", () =>
      Effect.gen(function* () {
        const g = ground({ script: at(0, (good) => ({ ...good, delay: 1e9 })) })
        const fiber = yield* Effect.forkChild(g.download)
        yield* TestClock.adjust("59 seconds")
        assert.strictEqual(g.links.seen.length, 1)
        yield* TestClock.adjust("4 seconds")
        yield* Fiber.join(fiber)
        g.delivered()
      })
    )

    it.effect("N13 a host that dies after every MiB, 200 times, still delivers", () =>
      Effect.gen(function* () {
        const g = ground({ size: 60 * mib, script: always((good) => cutAfter(good, 300 * kib, "Reset")) })
        const outcome = yield* succeeds(g)
        assert.isAtLeast(outcome.attempts, 200)
        assert.isAtMost(outcome.attempts, 206)
      })
    )

    it.effect("N13 a host that dies before 64 KiB, every time, does not keep us for ever", () =>
      Effect.gen(function* () {
        const g = ground({ size: 60 * mib, script: always((good) => cutAfter(good, kib, "Reset")) })
        assert.strictEqual((yield* failure(g))._tag, "Unavailable")
        assert.isAtMost(g.links.seen.length, 9)
        assert.strictEqual(g.disk.names.length, 2)
      })
    )
  })

  describe("HTTP", () => {
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
        assert.strictEqual((yield* failure(g))._tag, "LinkProtocol")
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
        assert.deepInclude(yield* failure(g), { _tag: "LinkProtocol" })
        assert.isBelow(g.links.seen.length, 10)
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
        assert.strictEqual((yield* failure(g))._tag, "LinkProtocol")
        assert.strictEqual(g.links.seen.length, 2)
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
          script: ({ number, object, range, ifRange }) => {
            const next = { bytes: patterned(200 * kib, number + 2), etag: `"v${number + 2}"` }
            if (range === null)
              return cutAfter(
                { status: 200, headers: { etag: object.etag ?? "", "content-length": "204800" }, body: [object.bytes] },
                150 * kib
              )
            assert.strictEqual(ifRange, object.etag)
            return next
          }
        })
        assert.deepInclude(yield* failure(g), { _tag: "FileDamaged", fault: "Changing" })
        assert.deepStrictEqual(g.disk.names, [])
      })
    )

    for (const etag of [null, 'W/"weak"', "unquoted"]) {
      it.effect(`H4 without a strong entity tag (${etag}) the last 64 KiB are compared before more is appended`, () =>
        Effect.gen(function* () {
          const g = ground({ etag, script: at(0, (good) => cutAfter(good, 150 * kib)) })
          yield* succeeds(g)
          assert.deepInclude(g.links.seen[1], { range: `bytes=${86 * kib}-${200 * kib - 1}`, ifRange: null })

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
          script: ({ range, ifRange, object }) => {
            const first = /\d+/.exec(range ?? "")?.[0]
            const { headers, ...good } = goodPart(object, range)
            return {
              ...good,
              headers: { ...headers, etag: first === undefined ? strong : `"part-${first}"` },
              ...(ifRange === null ? {} : {})
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
        yield* succeeds(ground({ size: 0 }))
        const unknown = ground({ size: 0, request: { size: null } })
        assert.deepInclude(yield* failure(unknown), { _tag: "FileDamaged", fault: "Size" })
      })
    )

    it.effect("H7 a size that differs from the listing is found before a byte is kept", () =>
      Effect.gen(function* () {
        for (const size of [100 * kib, 300 * kib]) {
          const g = ground({ request: { size } })
          assert.deepInclude(yield* failure(g), { _tag: "FileDamaged", fault: "Size" })
          assert.deepStrictEqual(g.disk.names, [])
          assert.notInclude(g.disk.log, "write")
        }
      })
    )

    it.effect("H7 bytes beyond the announced end are refused", () =>
      Effect.gen(function* () {
        const g = ground({ script: always((good) => ({ ...good, body: [...good.body, patterned(1)] })) })
        assert.strictEqual((yield* failure(g))._tag, "LinkProtocol")
      })
    )

    it.effect("H9 H10 an encoded body or another status is no file", () =>
      Effect.gen(function* () {
        const replies: ReadonlyArray<(good: ScriptedReply) => ScriptedReply> = [
          (good) => ({ ...good, headers: { ...good.headers, "content-encoding": "gzip" } }),
          ...[202, 203, 204, 304].map(
            (status) =>
              (good: ScriptedReply): ScriptedReply => ({ ...good, status })
          )
        ]
        for (const change of replies) {
          const g = ground({ script: always(change) })
          assert.strictEqual((yield* failure(g))._tag, "LinkProtocol")
          assert.deepStrictEqual(g.disk.names, [])
        }
      })
    )

    it.effect("H11 redirects are followed three times, not more, and each is a new request without If-Range lost", () =>
      Effect.gen(function* () {
        const hop = (to: string): ScriptedReply => ({ status: 307, headers: { location: to }, body: [] })
        const g = ground({ script: ({ number }, good) => (number < 3 ? hop(`https://other.example/${number}`) : good) })
        yield* succeeds(g)
        assert.deepStrictEqual(
          g.links.seen.slice(1).map(({ link }) => link),
          [0, 1, 2].map((n) => `https://other.example/${n}`)
        )
        const loop = ground({ script: always(() => hop("/again")) })
        assert.strictEqual((yield* failure(loop))._tag, "LinkProtocol")
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
        assert.strictEqual((yield* failure(ground({ script: failing(9) })))._tag, "Unavailable")
      })
    )
  })

  describe("links", () => {
    for (const status of [400, 401, 403, 404, 410]) {
      it.effect(`L1 a link refused with ${status} is renewed once and the file goes on`, () =>
        Effect.gen(function* () {
          const g = ground({ script: at([0], () => ({ status, headers: {}, body: [] })) })
          assert.deepInclude(yield* succeeds(g), { renewals: 1, attempts: 2 })
          assert.include(g.links.seen[1]?.link, "renewal=1")
        })
      )
    }

    it.effect("L2 a link that ends in the middle of a file in pieces is renewed for all of them, once", () =>
      Effect.gen(function* () {
        const g = ground({
          size: 130 * mib,
          script: ({ number, link }, good) =>
            number >= 3 && link.endsWith("renewal=0") ? { status: 403, headers: {}, body: [] } : { ...good, delay: 10 }
        })
        assert.deepInclude(yield* succeeds(g), { renewals: 1 })
        assert.isTrue(g.links.seen.slice(1).every(({ ifRange }) => ifRange === strong))
      })
    )

    it.effect.each([404, 410])(
      "L3 a file that the link host does not have, whatever the link, is not found: %i",
      (status) =>
        Effect.gen(function* () {
          const g = ground({ script: always(() => ({ status, headers: {}, body: [] })) })
          const error = yield* failure(g)
          assert.strictEqual(error._tag, "NotFound")
          assert.match(error.message, new RegExp(`^s\\.bam: not found \\(${host} answers ${status} to its link, also`))
          assert.strictEqual(g.links.seen.length, 2)
        })
    )

    it.effect("L3 a fresh link that is refused as well ends it", () =>
      Effect.gen(function* () {
        const g = ground({ script: always(() => ({ status: 403, headers: {}, body: [] })) })
        assert.deepInclude(yield* failure(g), { _tag: "LinkForbidden", host, status: 403 })
        assert.strictEqual(g.renewals(), 1)
        assert.strictEqual(g.links.seen.length, 2)
      })
    )

    it.effect("L1 a link that cannot be renewed ends in mid-file, and the next run goes on from there", () =>
      Effect.gen(function* () {
        const script: Script = ({ number }, good) => {
          if (number >= 2) return good
          return number === 0 ? cutAfter(good, 100 * kib, "Reset") : { status: 403, headers: {}, body: [] }
        }
        const g = ground({ script, request: { renewLink: null } })
        const error = yield* failure(g)
        assert.deepInclude(error, { _tag: "LinkExpired", reason: `${host} answered 403` })
        assert.isFalse(g.events.some(({ _tag }) => _tag === "Renewing"))
        assert.strictEqual(g.links.seen.length, 2)
        assert.strictEqual(g.disk.names.length, 2)
        assert.deepInclude(yield* succeeds(g), { resumedFrom: 100 * kib, renewals: 0 })
      })
    )

    it.effect("C4 a link that cannot be renewed is tried also when this clock thinks that it has ended", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.UTC(2026, 0, 1))
        const link = Redacted.make(`https://${host}/s.bam?Expires=1000`)
        assert.deepInclude(yield* succeeds(ground({ request: { link, renewLink: null } })), { attempts: 1 })
      })
    )

    it.effect("L4 the failure to renew is the failure of the file", () =>
      Effect.gen(function* () {
        const g = ground({
          script: always(() => ({ status: 403, headers: {}, body: [] })),
          request: { renewLink: new Forbidden({ what: "analysis A1" }) }
        })
        assert.strictEqual((yield* failure(g))._tag, "Forbidden")
        assert.strictEqual(g.links.seen.length, 1)
      })
    )

    it.effect("L5 links that give little each still deliver, and have a bound", () =>
      Effect.gen(function* () {
        const oneUse = (part: number): Script => {
          const used = new Set<string>()
          return ({ link }, good) => {
            if (used.has(link)) return { status: 403, headers: {}, body: [] }
            used.add(link)
            return cutAfter(good, part, "Reset")
          }
        }
        const g = ground({ size: 8 * mib, script: oneUse(200 * kib) })
        assert.deepInclude(yield* succeeds(g), { renewals: 40 })
        const bound = ground({ size: 16 * mib, script: oneUse(200 * kib) })
        assert.strictEqual((yield* failure(bound))._tag, "LinkForbidden")
        assert.strictEqual(bound.renewals(), 50)
      })
    )

    it.effect("L6 a listing with another size begins anew", () =>
      Effect.gen(function* () {
        const g = ground({
          script: at(0, () => ({ status: 403, headers: {}, body: [] })),
          request: { renewLink: Effect.succeed({ link: Redacted.make(`https://${host}/new`), size: 7 }) }
        })
        yield* succeeds(g)
        assert.isTrue(g.events.some((event) => event._tag === "Restarting" && /7 bytes/.test(event.reason)))
      })
    )

    it.effect("C4 a link that says it has ended is renewed before it is used, but a wrong clock is noticed", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.UTC(2026, 0, 1))
        const ended = Redacted.make(`https://${host}/s.bam?Expires=1000`)
        const renewed = ground({ request: { link: ended } })
        assert.deepInclude(yield* succeeds(renewed), { renewals: 1, attempts: 1 })
        const skewed = ground({
          size: 130 * mib,
          request: { link: ended, renewLink: Effect.succeed({ link: ended, size: null }) }
        })
        assert.deepInclude(yield* succeeds(skewed), { renewals: 1 })
      })
    )
  })

  describe("disk", () => {
    it.effect("K1 a full disk is not tried again; the part stays and the next run goes on with it", () =>
      Effect.gen(function* () {
        const g = ground({ size: 40 * mib, connections: 1 })
        g.disk.fails = (operation, count) => (operation === "write" && count > 4 ? "ENOSPC" : null)
        assert.deepInclude(yield* failure(g), { _tag: "LocalIo", errno: "ENOSPC" })
        assert.strictEqual(g.disk.names.length, 2)
        g.disk.fails = () => null
        const before = g.links.seen.length
        const outcome = yield* succeeds(g)
        assert.isAbove(outcome.resumedFrom, 0)
        assert.isTrue(g.links.seen.slice(before).every(({ ifRange }) => ifRange === strong))
      })
    )

    it.effect("K1 a disk that is too full for the journal keeps the progress of the journal before", () =>
      Effect.gen(function* () {
        const g = ground({
          script: at(0, (good) => ({ ...good, body: [patterned(200 * kib).subarray(0, 100 * kib), { wait: 1e9 }] }))
        })
        g.disk.fails = (operation, count) => (operation === "journal" && count > 1 ? "ENOSPC" : null)
        const fiber = yield* Effect.forkChild(g.download)
        yield* TestClock.adjust("10 seconds")
        yield* Fiber.interrupt(fiber)
        g.disk.fails = () => null
        assert.deepInclude(yield* succeeds(g), { resumedFrom: 0 })
      })
    )

    it.effect("K2 a disk that is too small from the start is said before the transfer, with numbers", () =>
      Effect.gen(function* () {
        const g = ground()
        g.disk.freeBytes = 1000
        const error = yield* failure(g)
        assert.deepInclude(error, { _tag: "LocalIo", errno: "ENOSPC" })
        assert.match(error.message, /204800 bytes \(1000 are free\)/)
        assert.strictEqual(g.links.seen.length, 0)
      })
    )

    it.effect("K3 an error of sync in the background fails the file, with the progress of the last good one", () =>
      Effect.gen(function* () {
        const g = ground({ size: 200 * mib, script: always((good) => ({ ...good, delay: 1000 })) })
        g.disk.fails = (operation, count) => (operation === "sync" && count >= 2 ? "EIO" : null)
        assert.deepInclude(yield* failure(g), { _tag: "LocalIo", errno: "EIO" })
        g.disk.fails = () => null
        const outcome = yield* succeeds(g)
        assert.isAtLeast(outcome.resumedFrom, 64 * mib)
        assert.isBelow(outcome.resumedFrom, 200 * mib)
      })
    )

    it.effect(
      "K3 after a failed sync nothing written since the last good one is resumed from, whatever later syncs say",
      () =>
        Effect.gen(function* () {
          const g = ground({ size: 200 * mib, script: always((good) => ({ ...good, delay: 1000 })) })
          // Linux reports a failed write-back to one fsync only: the next one succeeds although the bytes are lost.
          g.disk.fails = (operation, count) => (operation === "sync" && count === 2 ? "EIO" : null)
          assert.deepInclude(yield* failure(g), { _tag: "LocalIo", errno: "EIO" })
          g.disk.fails = () => null
          const outcome = yield* succeeds(g)
          assert.isAtLeast(outcome.resumedFrom, 64 * mib)
          assert.isBelow(outcome.resumedFrom, 128 * mib)
        })
    )
  })

  describe("runs", () => {
    it.effect("P4 an interrupted run keeps what it has, gives the claim back, and the next one resumes", () =>
      Effect.gen(function* () {
        const half: Script = at(0, (good) => ({
          ...good,
          body: [patterned(200 * kib).subarray(0, 120 * kib), { wait: 1e9 }]
        }))
        const g = ground({ script: half })
        const fiber = yield* Effect.forkChild(g.download)
        yield* TestClock.adjust("10 seconds")
        yield* Fiber.interrupt(fiber)
        assert.strictEqual(g.disk.claimed.size, 0)
        const outcome = yield* succeeds(g)
        assert.strictEqual(outcome.resumedFrom, 120 * kib)
        assert.deepInclude(g.links.seen[1], { range: `bytes=${120 * kib}-${200 * kib - 1}`, ifRange: strong })
      })
    )

    it.effect("H6 a part that is complete is checked and committed without a request", () =>
      Effect.gen(function* () {
        const g = ground()
        g.disk.fails = (operation) => (operation === "commit" ? "EIO" : null)
        assert.strictEqual((yield* failure(g))._tag, "LocalIo")
        g.disk.fails = () => null
        // The part was not flushed after its last byte, so it is fetched or kept; either way it must be whole.
        yield* succeeds(g)
      })
    )

    it.effect("P8 two runs of the same file: one writes it, the other is told", () =>
      Effect.gen(function* () {
        const g = ground({ script: always((good) => ({ ...good, delay: 1000 })) })
        const both = yield* Effect.forkChild(Effect.all([g.download, g.download].map(Effect.exit), { concurrency: 2 }))
        yield* TestClock.adjust("1 minute")
        const [one, other] = yield* Fiber.join(both)
        assert.isTrue(one !== undefined && Exit.isSuccess(one))
        assert.isTrue(other !== undefined && Exit.isFailure(other))
        if (other !== undefined) assert.strictEqual((yield* Effect.flip(other))._tag, "Busy")
        g.delivered()
      })
    )

    it.effect("P9 a run whose part was taken over, although it held the claim, does not commit", () =>
      Effect.gen(function* () {
        const g = ground({ script: always((good) => ({ ...good, delay: 10_000 })) })
        const fiber = yield* Effect.forkChild(Effect.exit(g.download))
        yield* TestClock.adjust("1 second")
        const name = g.disk.names.find((each) => each.endsWith(".json")) ?? ""
        const journal = JSON.parse(new TextDecoder().decode(g.disk.files.get(name)))
        g.disk.files.set(name, new TextEncoder().encode(JSON.stringify({ ...journal, writer: "another" })))
        yield* TestClock.adjust("1 minute")
        assert.strictEqual((yield* Effect.flip(yield* Fiber.join(fiber)))._tag, "Busy")
        assert.isFalse(g.disk.files.has("s.bam"))
      })
    )

    it.effect("a part whose bytes are fewer than its journal says is not trusted", () =>
      Effect.gen(function* () {
        const g = ground({ script: at(0, (good) => cutAfter(good, 100 * kib)) })
        const fiber = yield* Effect.forkChild(g.download)
        // No time passes: the pause before the next request, which is left to chance, cannot end.
        while (!g.events.some(({ _tag }) => _tag === "Retrying")) yield* Effect.yieldNow
        yield* Fiber.interrupt(fiber)
        const part = g.disk.names.find((each) => each.endsWith(".part")) ?? ""
        g.disk.files.set(part, new Uint8Array(5))
        assert.deepInclude(yield* succeeds(g), { resumedFrom: 0 })
      })
    )

    it.effect("a structure check that fails keeps the file from its final name, and its bytes are not kept", () =>
      Effect.gen(function* () {
        const sizes = yield* Ref.make<ReadonlyArray<number>>([])
        const check: TransferRequest["check"] = (part) =>
          Ref.update(sizes, (all) => [...all, part.size]).pipe(
            Effect.andThen(part.read(0, 4)),
            Effect.andThen(new FileDamaged({ file: "s.bam", fault: "NotBgzf", reason: "it is not BGZF" }))
          )
        const g = ground({ request: { check } })
        assert.deepInclude(yield* failure(g), { _tag: "FileDamaged", fault: "NotBgzf" })
        assert.deepStrictEqual(yield* Ref.get(sizes), [200 * kib])
        assert.deepStrictEqual(g.disk.names, [])
      })
    )

    it.effect("D1 D3 without a word about checks a BAM must be whole, by its first or its last name", () =>
      Effect.gen(function* () {
        const reads = Array.from({ length: 6_000 }, (_, i) => read(`r${i}`, 0, i * 20))
        const { bam } = bamFile(yield* Codec, reads, { blockBytes: 2_000 })
        const names = [
          ["s.bam", "s.bam"],
          ["s.bam", "s"],
          ["s", "s.bam"]
        ] as const
        for (const bytes of [bam.subarray(0, 50_000), bam.subarray(0, -28), patterned(5_000)]) {
          for (const [fileName, name] of names) {
            const g = ground({ bytes, silent: true, request: { fileName, name } })
            assert.strictEqual((yield* Effect.flip(yield* g.run))._tag, "FileDamaged")
            assert.deepStrictEqual(g.disk.names, [])
          }
          const unchecked = ground({ bytes })
          yield* yield* unchecked.run
          assert.deepStrictEqual(unchecked.disk.names, ["s.bam"])
        }
        const whole = ground({ bytes: bam, request: { check: "structure" } })
        yield* succeeds(whole)
      }).pipe(Effect.provide(ZlibCodec.layer))
    )

    it.effect("D2 D7 with the full check damage in the middle is found, and an index that misses records", () =>
      Effect.gen(function* () {
        const reads = Array.from({ length: 6_000 }, (_, i) => read(`r${i}`, 0, i * 20))
        const made = bamFile(yield* Codec, reads, { blockBytes: 2_000 })
        const spoilt = made.bam.slice()
        spoilt[30_000] = (spoilt[30_000] ?? 0) ^ 4
        for (const size of [made.bam.length, null]) {
          const whole = ground({ bytes: made.bam, request: { check: "full", size } })
          assert.deepStrictEqual((yield* succeeds(whole)).compared, ["size", "structure", "content"])
          const broken = ground({ bytes: spoilt, request: { check: "full", size } })
          const error = yield* failure(broken)
          assert.match(error.message, /^s\.bam: .*block .*at byte \d+/)
          assert.deepStrictEqual(broken.disk.names, [])
          // Only the ends are looked at otherwise.
          yield* succeeds(ground({ bytes: spoilt, request: { check: "structure", size } }))
        }
        const name = "s.bam.bai"
        const fewer = bamFile(yield* Codec, reads.slice(0, 5_990), { blockBytes: 2_000 })
        for (const [bai, right] of [
          [made.bai, true],
          [fewer.bai, false]
        ] as const) {
          const g = ground({ bytes: bai, request: { check: "full", fileName: name, name } })
          g.disk.files.set("s.bam", made.bam)
          assert.strictEqual(Exit.isSuccess(yield* g.run), right)
          assert.strictEqual(g.disk.files.has(name), right)
        }
      }).pipe(Effect.provide(ZlibCodec.layer))
    )

    it.effect("D7 an index is checked against the data file that lies beside it, and alone where there is none", () =>
      Effect.gen(function* () {
        const codec = yield* Codec
        const ours = bamFile(codec, [read("r1", 0, 100), read("r2", 1, 200)])
        const other = bamFile(codec, [read("r1", 0, 100)], { references: [{ name: "chrX", length: 1000 }] })
        const became = Effect.fnUntraced(function* (beside: Uint8Array | null) {
          const name = "s.bam.bai"
          const g = ground({ bytes: ours.bai, request: { check: "structure", fileName: name, name } })
          if (beside !== null) g.disk.files.set("s.bam", beside)
          const exit = yield* g.run
          assert.strictEqual(g.disk.files.has(name), Exit.isSuccess(exit))
          return Exit.isSuccess(exit) ? exit.value.action : (yield* Effect.flip(exit)).message
        })
        assert.strictEqual(yield* became(null), "downloaded")
        assert.strictEqual(yield* became(ours.bam), "downloaded")
        assert.match(yield* became(other.bam), /^s\.bam\.bai: .*not the index of s\.bam/)
        assert.match(yield* became(ours.bam.subarray(0, 40)), /cannot be checked, as s\.bam beside it is damaged/)
      }).pipe(Effect.provide(ZlibCodec.layer))
    )

    const digestOf = (algorithm: string, bytes: Uint8Array, form: "hex" | "base64" = "base64") =>
      createHash(algorithm).update(bytes).digest(form)
    /** Adds header fields to every answer with bytes. */
    const telling = (headers: Readonly<Record<string, string>>): Script =>
      always((good) => ({ ...good, headers: { ...good.headers, ...headers } }))

    it.effect("D2 every checksum that the link host tells is compared, and the outcome says which", () =>
      Effect.gen(function* () {
        const bytes = patterned(200 * kib)
        const md5 = digestOf("md5", bytes)
        const crc = Buffer.from(crc32c(bytes), "hex").toString("base64")
        const cases: ReadonlyArray<readonly [Readonly<Record<string, string>>, ReadonlyArray<string>]> = [
          [{}, ["size"]],
          [{ "content-md5": md5 }, ["size", "md5 of Content-MD5"]],
          [{ "repr-digest": `sha-512=:${digestOf("sha512", bytes)}:` }, ["size", "sha512 of Repr-Digest"]],
          [{ "x-goog-hash": `crc32c=${crc}, md5=${md5}` }, ["size", "crc32c of x-goog-hash", "md5 of x-goog-hash"]],
          [
            { server: "AmazonS3", "x-amz-request-id": "1", etag: `"${digestOf("md5", bytes, "hex")}"` },
            ["size", "md5 of ETag"]
          ]
        ]
        for (const [headers, compared] of cases) {
          const outcome = yield* succeeds(ground({ script: telling(headers) }))
          assert.deepStrictEqual(outcome.compared, compared)
        }
      })
    )

    it.effect("D2 a checksum that differs from that of the link host: 65, and nothing is left", () =>
      Effect.gen(function* () {
        const other = patterned(200 * kib, 2)
        for (const headers of [
          { "content-md5": digestOf("md5", other) },
          { "repr-digest": `sha-256=:${digestOf("sha256", other)}:` },
          { "content-digest": `sha-256=:${digestOf("sha256", other)}:` },
          { "x-goog-hash": `crc32c=${Buffer.from(crc32c(other), "hex").toString("base64")}` },
          { server: "AmazonS3", "x-amz-request-id": "1", etag: `"${digestOf("md5", other, "hex")}"` }
        ]) {
          const g = ground({ script: telling(headers) })
          const error = yield* failure(g)
          assert.deepInclude(error, { _tag: "FileDamaged", fault: "Checksum" })
          assert.match(error.message, /^s\.bam: its \w+ is [0-9a-f]+, but [\w-]+ of the link host says [0-9a-f]+$/)
          assert.deepStrictEqual(g.disk.names, [])
        }
      })
    )

    it.effect("D2 a checksum that an earlier run was told is compared by the run that ends the file", () =>
      Effect.gen(function* () {
        for (const version of [1, 2]) {
          const md5 = digestOf("md5", patterned(200 * kib, version))
          // Only the whole body has a Content-MD5; the rest comes as a part.
          const g = ground({
            script: at(0, (good) => cutAfter({ ...good, headers: { ...good.headers, "content-md5": md5 } }, 100 * kib))
          })
          const fiber = yield* Effect.forkChild(g.download)
          while (!g.events.some(({ _tag }) => _tag === "Retrying")) yield* Effect.yieldNow
          yield* Fiber.interrupt(fiber)
          const exit = yield* g.run
          assert.match(g.links.seen.at(-1)?.range ?? "", /^bytes=102400-/)
          if (version === 1) assert.deepStrictEqual((yield* exit).compared, ["size", "md5 of Content-MD5"])
          else assert.strictEqual((yield* Effect.flip(exit))._tag, "FileDamaged")
        }
      })
    )

    it.effect("a checksum file is put beside the file, after it, and added where only it is missing", () =>
      Effect.gen(function* () {
        const text = (g: ReturnType<typeof ground>, name: string) =>
          Buffer.from(g.disk.files.get(name) ?? []).toString()
        for (const kind of ["md5", "sha256"] as const) {
          const line = `${digestOf(kind, patterned(200 * kib), "hex")}  s.bam\n`
          const name = `s.bam.${kind}`
          const g = ground({ request: { checksums: kind } })
          yield* yield* g.run
          assert.deepStrictEqual(g.disk.names, ["s.bam", name])
          assert.strictEqual(text(g, name), line)
          assert.isBelow(g.disk.log.indexOf("commit"), g.disk.log.indexOf("checksum"))
          // As if the run had ended in between: nothing is fetched again.
          g.disk.files.delete(name)
          const requests = g.links.seen.length
          assert.strictEqual((yield* yield* g.run).action, "exists")
          assert.deepStrictEqual([text(g, name), g.links.seen.length], [line, requests])
          // What is there stays as it is.
          g.disk.files.set(name, Buffer.from("mine"))
          yield* yield* g.run
          assert.strictEqual(text(g, name), "mine")
          const anew = ground({ request: { checksums: kind, overwrite: true } })
          for (const one of ["s.bam", name]) anew.disk.files.set(one, Buffer.from("old"))
          yield* yield* anew.run
          assert.strictEqual(text(anew, name), line)
        }
      })
    )

    it.effect("with overwrite an old checksum never stands beside the new file", () =>
      Effect.gen(function* () {
        const g = ground({ request: { checksums: "md5", overwrite: true } })
        for (const name of ["s.bam", "s.bam.md5"]) g.disk.files.set(name, Buffer.from("old"))
        g.disk.fails = (operation) => (operation === "checksum" ? "ENOSPC" : null)
        assert.deepInclude(yield* Effect.flip(yield* g.run), { _tag: "LocalIo", errno: "ENOSPC" })
        assert.deepStrictEqual(g.disk.names, ["s.bam"])
      })
    )

    for (const name of [
      "../s.bam",
      "/s.bam",
      "",
      ".",
      "..",
      "a/b",
      "a\0b",
      ".hidden",
      "-rf",
      "x.part",
      `${"x".repeat(256)}`
    ]) {
      it.effect(`Z1 the name ${JSON.stringify(name.slice(0, 20))} is refused before anything happens`, () =>
        Effect.gen(function* () {
          const g = ground({ request: { name } })
          assert.strictEqual((yield* failure(g))._tag, "UnsafeName")
          assert.deepStrictEqual([g.disk.log, g.links.seen], [[], []])
        })
      )
    }

    it.effect("a listing without a size takes the size of the link host", () =>
      Effect.gen(function* () {
        yield* succeeds(ground({ request: { size: null } }))
        yield* succeeds(ground({ size: 70 * mib, request: { size: null } }))
        const chunked: Script = ({ object, range }, good) =>
          range === null
            ? { ...good, headers: {}, body: [object.bytes] }
            : { ...good, status: 200, headers: {}, body: [object.bytes] }
        yield* succeeds(ground({ request: { size: null }, script: chunked }))
        const endless = ground({
          request: { size: null },
          script: (seen, good) => ({ ...(chunked(seen, good) as ScriptedReply), framed: false })
        })
        assert.strictEqual((yield* failure(endless))._tag, "LinkProtocol")
      })
    )
  })
})

/** A good reply to a range, whatever If-Range said. */
const goodPart = (object: { readonly bytes: Uint8Array }, range: string | null): ScriptedReply => {
  const asked = /^bytes=(\d+)-(\d*)$/.exec(range ?? "")
  const { bytes } = object
  if (asked === null) return { status: 200, headers: { "content-length": `${bytes.length}` }, body: [bytes] }
  const first = Number(asked[1])
  const end = asked[2] === "" ? bytes.length : Number(asked[2]) + 1
  return {
    status: 206,
    headers: { "content-range": `bytes ${first}-${end - 1}/${bytes.length}` },
    body: [bytes.subarray(first, end)]
  }
}
