/** Slices of remote files on the virtual clock: two scripted files on a link host, a disk in memory. */

import { createHash } from "node:crypto"
import { assert, describe } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { CannotCreate } from "../../core/src/Errors.ts"
import { fromBytes } from "../../core/src/genome/ByteReader.ts"
import * as Bgzf from "../../core/src/genome/bgzf/Bgzf.ts"
import { Codec } from "../../core/src/genome/bgzf/Codec.ts"
import { bamRegions, readBamHeader } from "../../core/src/genome/formats/BamHeader.ts"
import { parseRange } from "../../core/src/genome/regions/RegionText.ts"
import { timed } from "../../core/src/telemetry/MonotonicTime.ts"
import { defaultSettings, LinkPool } from "../../core/src/transfer/LinkPool.ts"
import type { SliceRequest } from "../../core/src/transfer/SliceRequest.ts"
import { SliceTransfer } from "../../core/src/transfer/SliceTransfer.ts"
import type { TransferProgress } from "../../core/src/transfer/TransferRequest.ts"
import * as SeededRandom from "../../sandbox/samples/SeededRandom.ts"
import { codecHere } from "../../test/genome/CodecHere.ts"
import { type BamFile, bamFile, read } from "../genome/Fixtures.ts"
import { withCodecHere } from "../genome/WithCodec.ts"
import { MemoryParts } from "./MemoryParts.ts"
import { cutAfter, goodReply, host, type Script, ScriptedHost, type ScriptedReply } from "./ScriptedHost.ts"
import { at } from "./TransferGround.ts"

/** Made once: the bytes of `versionOf`. */
const made = new Map<number, BamFile>()

/** A file of more than two fetched ranges; `version` changes every read but not the reference. */
const versionOf = Effect.fnUntraced(function* (version: number) {
  const codec = yield* Codec
  const known = made.get(version)
  if (known !== undefined) return known
  const random = SeededRandom.make(version)
  // Long reads, for it is their number that takes time.
  const reads = Array.from({ length: 1_200 }, (_, i) => ({
    ...read(`v${version}r${i}`, 0, i * 800, [[1_200, "M"]]),
    qualities: Array.from({ length: 1_200 }, () => random.between(0, 60))
  }))
  const file = bamFile(codec, reads)
  made.set(version, file)
  return file
})

const etagOf = (version: number) => `"v${version}"`

interface GroundOptions {
  /** Of the data file; the index is served well. */
  readonly script?: Script
  readonly etag?: string | null
  readonly request?: Partial<SliceRequest>
  readonly disk?: MemoryParts
  readonly limitRate?: number
}

const ground = Effect.fnUntraced(function* ({
  script = (_, good) => good,
  etag = etagOf(1),
  request = {},
  disk = new MemoryParts(),
  limitRate = 0
}: GroundOptions = {}) {
  const [first, second] = [yield* versionOf(1), yield* versionOf(2)]
  let current = first
  let number = 0
  const links = new ScriptedHost({ bytes: first.bam, etag }, (asked, good) => {
    if (asked.link.includes("/s.bam.bai")) return goodReply({ bytes: current.bai, etag: '"index"' }, asked)
    const answer = script({ ...asked, number: number++ }, good)
    if ("bytes" in answer) current = answer.bytes === second.bam ? second : first
    return answer
  })
  const events: Array<TransferProgress> = []
  let [renewals, seconds] = [0, Number.NaN]
  const linked = (name: string, size: number) => ({
    analysisId: "A1",
    fileName: name,
    size,
    link: Redacted.make(`https://${host}/${name}?renewal=0`),
    renewLink: Effect.sync(() => ({ link: Redacted.make(`https://${host}/${name}?renewal=${++renewals}`), size: null }))
  })
  const layer = SliceTransfer.layer("1.2.3").pipe(
    Layer.provide([
      links.layer,
      disk.layer,
      LinkPool.layer({ ...defaultSettings, connections: 2, limitRate }),
      codecHere
    ])
  )
  const wanted = yield* Effect.fromResult(parseRange("chr1:20001-900000"))
  const asked: SliceRequest = {
    kind: "bam",
    data: { ...linked("s.bam", first.bam.length), size: null },
    index: { ...linked("s.bam.bai", first.bai.length), size: null },
    wanted,
    unmapped: false,
    directory: "out",
    name: "s.ranged.bam",
    overwrite: false,
    existing: Effect.succeed({ _tag: "Absent" }),
    progress: (event) => Effect.sync(() => void events.push(event)),
    ...request
  }
  const download = Effect.flatMap(SliceTransfer, (transfer) => transfer.download(asked)).pipe(Effect.provide(layer))
  const run = Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(timed(Effect.exit(download)))
    yield* TestClock.adjust("2 hours")
    const { timing, value } = yield* Fiber.join(fiber)
    seconds = timing.seconds
    return value
  })
  return { asked, links, disk, events, download, run, first, second, renewals: () => renewals, seconds: () => seconds }
})

type Ground = Effect.Success<ReturnType<typeof ground>>

const names = ["s.ranged.bam", "s.ranged.bam.bai"]

const slices = new Map<string, ReadonlyMap<string, Uint8Array>>()

/** The slice of a host that never fails, made once. */
const expected = Effect.fnUntraced(function* (version: 1 | 2, tags: "" | "W/" = "") {
  const known = slices.get(tags + version)
  if (known !== undefined) return known
  const { bam } = yield* versionOf(2)
  const second: Script = ({ number }, good) => (number === 0 ? { bytes: bam, etag: tags + etagOf(2) } : good)
  const etag = tags + etagOf(1)
  const g = yield* ground(version === 1 ? { etag } : { etag, script: second })
  yield* yield* g.run
  slices.set(tags + version, g.disk.files)
  return g.disk.files
})

const succeeds = Effect.fnUntraced(function* (g: Ground, version: 1 | 2 = 1, tags: "" | "W/" = "") {
  const outcome = yield* yield* g.run
  // A strong tag stands in the header.
  const right = yield* expected(version, tags)
  assert.deepStrictEqual(g.disk.names, names)
  for (const name of names) assert.deepStrictEqual(g.disk.files.get(name), right.get(name), name)
  assert.strictEqual(g.links.open, 0)
  return outcome
})

const fails = Effect.fnUntraced(function* (g: Ground, left: ReadonlyArray<string> = []) {
  const error = yield* Effect.flip(yield* g.run)
  assert.deepStrictEqual(g.disk.names, left)
  assert.notMatch(`${error.message} ${JSON.stringify(g.events)}`, /renewal=/)
  assert.strictEqual(g.disk.claimed.size, 0)
  return error
})

describe("SliceTransfer", () => {
  withCodecHere(
    "mistake 3: what came under its name since the plan, and is another file, is refused and stays",
    function* () {
      const disk = new MemoryParts()
      disk.files.set("s.ranged.bam", Uint8Array.of(1))
      const error = new CannotCreate({ path: "s.ranged.bam", reason: "it holds other regions" })
      const existing = Effect.succeed({ _tag: "Other", error } as const)
      assert.strictEqual(yield* fails(yield* ground({ disk, request: { existing } }), ["s.ranged.bam"]), error)
      assert.deepStrictEqual(disk.files.get("s.ranged.bam"), Uint8Array.of(1))
      yield* succeeds(yield* ground({ disk, request: { existing, overwrite: true } }))
    }
  )

  withCodecHere("progress begins with the size of what is fetched, only grows, and ends at it", function* () {
    const g = yield* ground()
    yield* succeeds(g)
    const [begin, ...more] = g.events
    assert.strictEqual(begin?._tag, "Started")
    const size = begin?._tag === "Started" ? begin.size : null
    assert.isAbove(size ?? 0, 0)
    const done = more.flatMap((event) => (event._tag === "Bytes" && event.size === size ? [event.done] : []))
    assert.strictEqual(done.length, more.length)
    assert.isTrue(done.every((bytes, i) => i === 0 || bytes >= (done[i - 1] ?? 0)))
    assert.strictEqual(done.at(-1), size)
  })

  withCodecHere("D1 what is not on the disk as it was written gets no name", function* () {
    const disk = new MemoryParts()
    const loseEnd: SliceRequest["progress"] = (event) =>
      Effect.sync(() => {
        if (event._tag !== "Bytes" || event.done !== event.size) return
        for (const [name, bytes] of disk.files) if (name.endsWith(".part")) bytes.fill(0, bytes.length - 28)
      })
    const error = yield* fails(yield* ground({ disk, request: { progress: loseEnd } }))
    assert.deepInclude(error, { _tag: "SvcFileDamaged", fault: "Truncated" })
  })

  withCodecHere("fetches exact ranges of one version, and no more than it said", function* () {
    const g = yield* ground()
    const outcome = yield* succeeds(g)
    const data = g.links.seen.filter(({ link }) => !link.includes(".bai"))
    assert.isAtLeast(data.length, 3)
    for (const { range } of data) assert.match(range ?? "", /^bytes=\d+-\d+$/)
    assert.strictEqual(outcome.attempts, g.links.seen.length)
    assert.isAtMost(g.links.mostOpen, 2)
    // The end-of-file block is looked at first, and comes again with the last records.
    assert.isAtMost(outcome.fetched, g.first.bam.length + g.first.bai.length + Bgzf.eofBlock.length)
    assert.deepStrictEqual(outcome.regions, "chr1:20001-900000")
  })

  withCodecHere("--limitRate holds for the index, the header and all ranges together", function* () {
    const rate = 10_000
    const g = yield* ground({ limitRate: rate })
    const outcome = yield* succeeds(g)
    assert.approximately(g.seconds(), outcome.fetched / rate, 1)
  })

  describe("HTTP", () => {
    withCodecHere("H1 a host without ranges is refused: nothing is left", function* () {
      const g = yield* ground({ script: (asked, _) => goodReply(asked.object, { range: null }) })
      const error = yield* fails(g)
      assert.strictEqual(error._tag, "SvcLinkProtocol")
      assert.match(error.message, /cannot serve single regions/)
    })

    withCodecHere("H2 one wrong range is an accident, the second the host's fault", function* () {
      const shifted = (good: ScriptedReply): ScriptedReply => ({
        ...good,
        headers: { ...good.headers, "content-range": "bytes 5-10/999999999" }
      })
      yield* succeeds(yield* ground({ script: at(1, shifted) }))
      const twice: Script = ({ number }, good) => (number === 0 ? good : shifted(good))
      const error = yield* fails(yield* ground({ script: twice }))
      assert.oneOf(error._tag, ["SvcLinkProtocol", "SvcFileDamaged"])
    })

    withCodecHere("H3 D8 a file that changes between two ranges is sliced anew, and never mixed", function* () {
      for (const request of [1, 2]) {
        const second = yield* versionOf(2)
        const g = yield* ground({ script: at(request, () => ({ bytes: second.bam, etag: etagOf(2) })) })
        yield* succeeds(g, 2)
        assert.strictEqual(g.events.filter(({ _tag }) => _tag === "Restarting").length, 1)
      }
    })

    withCodecHere("H3 a file that changes all the time is given up after two restarts", function* () {
      let version = 1
      const first = yield* versionOf(1)
      const g = yield* ground({ script: () => ({ bytes: first.bam, etag: etagOf(++version) }) })
      const error = yield* fails(g)
      assert.strictEqual(error._tag, "SvcFileDamaged")
      assert.match(error.message, /changed 3 times/)
    })

    withCodecHere("H4 with a weak entity tag another size is noticed", function* () {
      const g = yield* ground({ etag: 'W/"v1"' })
      yield* succeeds(g, 1, "W/")
      const second = yield* versionOf(2)
      const changed = yield* ground({ etag: 'W/"v1"', script: at(1, () => ({ bytes: second.bam, etag: 'W/"v2"' })) })
      yield* succeeds(changed, 2, "W/")
    })

    withCodecHere("H5 412 begins anew", function* () {
      const g = yield* ground({ script: at(1, () => ({ status: 412, headers: {}, body: [] })) })
      yield* succeeds(g)
      assert.strictEqual(g.events.filter(({ _tag }) => _tag === "Restarting").length, 1)
    })

    withCodecHere("H9 an encoded range is asked for again", function* () {
      const encoded = { "content-encoding": "gzip" }
      const g = yield* ground({
        script: at(1, (good) => ({ ...good, headers: { ...good.headers, ...encoded } }))
      })
      yield* succeeds(g)
    })

    withCodecHere("H13 eight failures of the host are outlasted, nine are not", function* () {
      const down =
        (times: number): Script =>
        ({ number }, good) =>
          number < times ? { status: 503, headers: {}, body: [] } : good
      yield* succeeds(yield* ground({ script: down(8) }))
      const error = yield* fails(yield* ground({ script: down(9) }))
      assert.strictEqual(error._tag, "SvcUnavailable")
    })
  })

  describe("network", () => {
    for (const [name, fault] of [
      ["N6 a reset", "Reset"],
      ["N7 an end", "Short"]
    ] as const) {
      withCodecHere(`${name} inside a range goes on at the next byte`, function* () {
        const g = yield* ground({ script: at(2, (good) => cutAfter(good, 100_000, fault)) })
        yield* succeeds(g)
        const ranges = g.links.seen.filter(({ link }) => !link.includes(".bai")).map(({ range }) => range ?? "")
        const from = Number(/=(\d+)/.exec(ranges[2] ?? "")?.[1])
        assert.isTrue(
          ranges.some((range) => range.startsWith(`bytes=${from + 100_000}-`)),
          ranges.join(" ")
        )
      })
    }

    withCodecHere("N10 a range without a byte is given up at the idle limit", function* () {
      const g = yield* ground({ script: at(2, (good) => ({ ...good, body: [{ wait: 3_600_000 }] })) })
      yield* succeeds(g)
      assert.isTrue(g.events.some((event) => event._tag === "Retrying" && /no byte for 60 s/.test(event.reason)))
    })

    withCodecHere("N13 a host that dies after every 70 KiB still delivers", function* () {
      yield* succeeds(yield* ground({ script: (_, good) => cutAfter(good, 70 * 1024, "Reset") }))
    })
  })

  describe("links", () => {
    for (const status of [400, 401, 403, 404, 410]) {
      withCodecHere(
        `L1 L2 a link refused with ${status} in the middle is renewed once, for the same version`,
        function* () {
          const g = yield* ground({
            script: ({ link, number }, good) =>
              number >= 1 && link.endsWith("=0") ? { status, headers: {}, body: [] } : good
          })
          const outcome = yield* succeeds(g)
          assert.strictEqual(outcome.renewals, 1)
          assert.strictEqual(g.renewals(), 1)
        }
      )
    }

    withCodecHere("L3 a fresh link that is refused as well ends it, and how often was asked is said", function* () {
      const g = yield* ground({ script: () => ({ status: 403, headers: {}, body: [] }) })
      assert.strictEqual((yield* fails(g))._tag, "SvcLinkForbidden")
      const given = g.events.filter(({ _tag }) => _tag === "GivenUp")
      assert.deepStrictEqual(given, [{ _tag: "GivenUp", attempts: g.links.seen.length, renewals: 1 }])
    })
  })

  describe("disk", () => {
    withCodecHere(
      "K1 a full disk ends the slice and leaves nothing; so does one that is full when the pair is committed",
      function* () {
        for (const [operation, count] of [
          ["create", 1],
          ["write", 1],
          ["write", 2],
          ["sync", 1],
          ["sync", 2],
          ["commit", 1],
          ["commit", 2]
        ] as const) {
          const g = yield* ground()
          g.disk.fails = (now, n) => (now === operation && n === count ? "ENOSPC" : null)
          const error = yield* fails(g)
          assert.strictEqual(error._tag, "SvcLocalIo", `${operation} ${count}`)
        }
      }
    )

    withCodecHere("K2 a disk that is too small is said before data moves", function* () {
      const g = yield* ground()
      g.disk.freeBytes = 1000
      const error = yield* fails(g)
      assert.match(error.message, /about \d+ bytes \(1000 are free\)/)
      assert.strictEqual(g.links.seen.length, 3, "the two heads and the end")
    })

    withCodecHere(
      "indexes of other data stay, those of a slice that appears meanwhile too, and what is no file is refused",
      function* () {
        const state = { _tag: "Incomplete", regions: "chr9" } as const
        const replaced = yield* ground({ request: { overwrite: true, existing: Effect.succeed(state) } })
        const others = ["s.ranged.bcf", "s.ranged.csi"]
        for (const name of [...names, "s.ranged.bai", ...others]) replaced.disk.files.set(name, Uint8Array.of(1))
        yield* yield* replaced.run
        assert.deepStrictEqual(replaced.disk.names, [...names, ...others].sort())

        const appeared = yield* ground()
        const theirs = Uint8Array.of(2)
        appeared.disk.fails = (operation) => {
          if (operation === "write") for (const name of names) appeared.disk.files.set(name, theirs)
          return null
        }
        assert.strictEqual((yield* fails(appeared, names))._tag, "SvcCannotCreate")
        assert.deepStrictEqual([...appeared.disk.files.values()], [theirs, theirs])

        const odd = yield* ground()
        odd.disk.odd.add("s.ranged.bam.bai")
        assert.strictEqual((yield* fails(odd))._tag, "SvcCannotCreate")
        assert.deepStrictEqual(odd.links.seen, [])
      }
    )

    withCodecHere(
      "with overwrite no moment has the new index beside the old data, or the other way round",
      function* () {
        const disk = new MemoryParts()
        const [old, oldIndex] = [Uint8Array.of(1), Uint8Array.of(2)]
        disk.files.set("s.ranged.bam", old)
        disk.files.set("s.ranged.bam.bai", oldIndex)
        const mixed: Array<string> = []
        disk.fails = (operation) => {
          const [data, index] = names.map((name) => disk.files.get(name))
          if (index !== undefined && (data === old) !== (index === oldIndex)) mixed.push(operation)
          return null
        }
        const state = { _tag: "Incomplete", regions: "chr9" } as const
        const g = yield* ground({ disk, request: { overwrite: true, existing: Effect.succeed(state) } })
        yield* succeeds(g)
        assert.deepStrictEqual(mixed, [])
      }
    )

    withCodecHere(
      "what is there is read before the claim and with it, and only with it where it is replaced in any case",
      function* () {
        for (const overwrite of [false, true]) {
          const disk = new MemoryParts()
          const seen: Array<boolean> = []
          const existing = Effect.sync(() => {
            seen.push(disk.claimed.size > 0)
            return { _tag: "Absent" } as const
          })
          yield* succeeds(yield* ground({ disk, request: { overwrite, existing } }))
          assert.deepStrictEqual(seen, overwrite ? [true] : [false, true])
        }
      }
    )

    withCodecHere("D14 an incomplete slice of the same regions is replaced, of other regions refused", function* () {
      const there = (regions: string) => ({
        request: { existing: Effect.succeed({ _tag: "Incomplete", regions } as const) }
      })
      yield* succeeds(yield* ground(there("chr1:20001-900000")))
      const error = yield* fails(yield* ground(there("chr1:20001-900001")))
      assert.strictEqual(error._tag, "SvcCannotCreate")
    })
  })

  describe("runs", () => {
    withCodecHere(
      "P4 an interrupted slice leaves nothing, gives its claim back, and the next run brings the same bytes",
      function* () {
        const disk = new MemoryParts()
        const g = yield* ground({ disk, script: at(2, (good) => ({ ...good, body: [{ wait: 50_000 }] })) })
        const fiber = yield* Effect.forkChild(g.download)
        yield* TestClock.adjust("10 seconds")
        assert.isTrue(disk.names.some((name) => name.endsWith(".part")))
        yield* Fiber.interrupt(fiber)
        assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(fiber)))
        assert.deepStrictEqual(disk.names, [])
        assert.strictEqual(disk.claimed.size, 0)
        yield* succeeds(yield* ground({ disk }))
      }
    )

    withCodecHere("P4 what a killed run left is never used", function* () {
      const disk = new MemoryParts()
      const killed = yield* ground({ disk, script: at(2, (good) => ({ ...good, body: [{ wait: 50_000 }] })) })
      const fiber = yield* Effect.forkChild(killed.download)
      yield* TestClock.adjust("10 seconds")
      const left = new Map(disk.files)
      yield* Fiber.interrupt(fiber)
      for (const [name, bytes] of left)
        disk.files.set(
          name,
          bytes.map((byte) => byte ^ 0x55)
        )
      yield* succeeds(yield* ground({ disk }))
    })

    withCodecHere("P8 two runs that would write one name: the second is told, whatever its regions", function* () {
      const disk = new MemoryParts()
      const slow = yield* ground({ disk, script: at(2, (good) => ({ ...good, delay: 20_000 })) })
      const fiber = yield* Effect.forkChild(slow.download)
      yield* TestClock.adjust("1 second")
      const wanted = yield* Effect.fromResult(parseRange("chr2"))
      const other = yield* ground({ disk, request: { wanted } })
      const error = yield* Effect.flip(other.download)
      assert.strictEqual(error._tag, "SvcBusy")
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(disk.names, names)
    })
  })

  withCodecHere(
    "the header of a slice names command, version, source and what identifies its version, and no link",
    function* () {
      const md5 = Buffer.alloc(16, 0xab)
      const g = yield* ground({
        script: (_, good) => ({ ...good, headers: { ...good.headers, "x-goog-hash": `md5=${md5.toString("base64")}` } })
      })
      yield* yield* g.run
      const bytes = g.disk.files.get("s.ranged.bam") ?? new Uint8Array(0)
      const header = yield* readBamHeader("s.bam", fromBytes(bytes))
      const text = new TextDecoder().decode(header.text)
      assert.strictEqual(
        text.trimEnd().split("\n").at(-1),
        "@PG\tID:svc-download\tPN:svc-download\tVN:1.2.3\tCL:svc-download --range 'chr1:20001-900000'\t" +
          `DS:regions chr1:20001-900000; source s.bam, ${g.first.bam.length} bytes, ETag "v1", ` +
          `md5 ${md5.toString("hex")} (x-goog-hash)`
      )
      assert.notInclude(text, "renewal")
      assert.strictEqual(bamRegions(header, { name: "svc-download", version: "" }), "chr1:20001-900000")
    }
  )

  withCodecHere(
    "checksum files stand beside slice and index; nothing states what a slice that was there should be, so it gets none",
    function* () {
      const g = yield* ground({ request: { checksums: "md5" } })
      yield* yield* g.run
      const sums = names.map((name) => `${name}.md5`)
      const lines = () => sums.map((name) => Buffer.from(g.disk.files.get(name) ?? []).toString())
      const right = names.map((name) => {
        const hex = createHash("md5")
          .update(g.disk.files.get(name) ?? new Uint8Array(0))
          .digest("hex")
        return `${hex}  ${name}\n`
      })
      assert.deepStrictEqual([g.disk.names, lines()], [[...names, ...sums].sort(), right])
      for (const name of sums) g.disk.files.delete(name)
      const index = { name: "s.bam.bai", bytes: 1 }
      const same = { _tag: "Same" as const, bytes: 1, regions: "chr1:20001-900000", index }
      const again = yield* ground({ disk: g.disk, request: { checksums: "md5", existing: Effect.succeed(same) } })
      assert.strictEqual((yield* yield* again.run).action, "exists")
      assert.deepStrictEqual([g.disk.names, again.links.seen.length], [names, 0])
      const [, sum = ""] = sums
      g.disk.files.set(sum, Buffer.from(`${"0".repeat(32)}  s.ranged.bam.bai\n`))
      assert.deepInclude(yield* Effect.flip(yield* again.run), {
        _tag: "SvcFileDamaged",
        file: sum,
        fault: "Checksum"
      })
      // What is replaced loses its checksum first.
      const anew = yield* ground({
        disk: g.disk,
        request: { checksums: "md5", overwrite: true, existing: Effect.succeed(same) }
      })
      g.disk.fails = (operation) => (operation === "checksum" ? "ENOSPC" : null)
      assert.strictEqual((yield* Effect.flip(yield* anew.run))._tag, "SvcLocalIo")
      assert.deepStrictEqual(g.disk.names, names)
    }
  )
})
