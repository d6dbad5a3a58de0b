/** Whole files of a scripted link host, read in their order. */
import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Redacted, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as Bgzf from "../../core/src/genome/bgzf/Bgzf.ts"
import { Codec } from "../../core/src/genome/bgzf/Codec.ts"
import { FileStreams } from "../../core/src/transfer/FileStreams.ts"
import { defaultSettings, LinkPool } from "../../core/src/transfer/LinkPool.ts"
import * as FileDigests from "../../platform/files/FileDigests.ts"
import { bamFile, bgzf, concat, read, text } from "../genome/Fixtures.ts"
import { host, type Script, ScriptedHost } from "./ScriptedHost.ts"
import { codec, mib, strong } from "./TransferGround.ts"

interface Served {
  readonly bytes: Uint8Array
  readonly fileName: string
  /** Header fields of each reply. */
  readonly fields?: Record<string, string>
  readonly script?: Script
  readonly connections?: number
}

/** Opens a file of a link host that is asked by one connection at a time, unless said otherwise. */
const open = Effect.fnUntraced(function* ({
  bytes,
  connections = 1,
  fields = {},
  fileName,
  script = (_, good) => ({ ...good, headers: { ...good.headers, ...fields } })
}: Served) {
  const links = new ScriptedHost({ bytes, etag: strong }, script)
  const streams = FileStreams.layer("1.0.0").pipe(
    Layer.provide(
      Layer.mergeAll(links.layer, LinkPool.layer({ ...defaultSettings, connections }), FileDigests.layer, codec)
    )
  )
  const link = Redacted.make(`https://${host}/${fileName}`)
  const data = { analysisId: "A1", fileName, size: bytes.length, link, renewLink: Effect.succeed({ link, size: null }) }
  const content = yield* FileStreams.use(({ open }) => open({ data, progress: () => Effect.void })).pipe(
    Effect.provide(streams)
  )
  return { content, links, seen: links.seen }
})

/** What came, and the failure after it. */
const drained = Effect.fnUntraced(function* <E>(stream: Stream.Stream<Uint8Array, E>) {
  const parts: Array<Uint8Array> = []
  const error = yield* Stream.runForEach(stream, (part) => Effect.sync(() => void parts.push(part.slice()))).pipe(
    Effect.match({ onFailure: (error) => error, onSuccess: () => null })
  )
  return { bytes: concat(...parts), error }
})

const endsWell = (bytes: Uint8Array) => Bgzf.isEofBlock(bytes, bytes.length - Bgzf.eofBlock.length, bytes.length)

/** Checksums as a link host states them of a whole file, whatever part of it a reply has. */
const stating = (bytes: Uint8Array) => ({
  "repr-digest": `sha-256=:${createHash("sha256").update(bytes).digest("base64")}:`,
  "x-goog-hash": `md5=${createHash("md5").update(bytes).digest("base64")}`
})

/** Twelve megabytes that cost little to make or to prove. */
const largeVcf = (service: Codec["Service"]) => {
  const line = "1\t5\t.\tA\tC\t.\t.\t.\n"
  const block = Bgzf.deflateBlock(service, text(line.repeat(4_000)), 0)
  const header = bgzf(service, text(`##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n`))
  const blocks = Array.from({ length: Math.ceil((12 * mib) / block.length) }, () => block)
  return concat(header.subarray(0, -Bgzf.eofBlock.length), ...blocks, Bgzf.eofBlock)
}

describe("a whole file", () => {
  it.effect("has at most eight ranges ahead of who reads it, however many connections there are", () =>
    Effect.gen(function* () {
      const bytes = largeVcf(yield* Codec)
      const script: Script = ({ number }, good) => (number === 0 ? good : { ...good, delay: 100 })
      const fiber = yield* Effect.forkChild(
        Effect.gen(function* () {
          const { content, links } = yield* open({ bytes, fileName: "s.vcf.gz", connections: 32, script })
          return { ...(yield* drained(content.bytes)), most: links.mostOpen }
        })
      )
      yield* TestClock.adjust("1 minute")
      const { error, most } = yield* Fiber.join(fiber)
      assert.deepStrictEqual([error, most], [null, 8])
    }).pipe(Effect.provide(codec))
  )

  it.effect("of another checksum than the link host states fails before its end block, as bytes and as records", () =>
    Effect.gen(function* () {
      const reads = Array.from({ length: 3_000 }, (_, i) => read(`r${i}`, 0, i * 20))
      const { bai, bam } = bamFile(yield* Codec, reads)
      const other = stating(concat(bam, bai))
      for (const field of ["repr-digest", "x-goog-hash"] as const) {
        const asked = { bytes: bam, fileName: "s.bam", fields: { [field]: other[field] } }
        const { bytes, error } = yield* drained((yield* open(asked)).content.bytes)
        assert.deepInclude(error, { _tag: "SvcFileDamaged", fault: "Checksum", file: "s.bam" })
        assert.isAbove(bytes.length, 0)
        assert.isFalse(endsWell(bytes))
        const { records } = (yield* open(asked)).content
        const read = yield* drained(records?.content ?? Stream.empty)
        assert.deepInclude(read.error, { _tag: "SvcFileDamaged", fault: "Checksum", file: "s.bam" })
        const index = yield* open({ bytes: bai, fileName: "s.bam.bai", fields: asked.fields })
        const { bytes: none, error: refused } = yield* drained(index.content.bytes)
        assert.deepInclude(refused, { _tag: "SvcFileDamaged", fault: "Checksum", file: "s.bam.bai" })
        assert.strictEqual(none.length, 0)
      }
      const sound = { bytes: bam, fileName: "s.bam", fields: stating(bam) }
      const { bytes, error } = yield* drained((yield* open(sound)).content.bytes)
      assert.isNull(error)
      assert.isTrue(Buffer.from(bytes).equals(bam))
    }).pipe(Effect.provide(codec))
  )

  it.effect("H3 that changes in the middle fails, after bytes of one version", () =>
    Effect.gen(function* () {
      const file = largeVcf(yield* Codec)
      const { content } = yield* open({
        bytes: file,
        fileName: "s.vcf.gz",
        script: ({ range }, good) =>
          range?.startsWith(`bytes=${mib}-`) ? { bytes: new Uint8Array(file.length), etag: '"v2"' } : good
      })
      const { bytes, error } = yield* drained(content.bytes)
      assert.deepInclude(error, { _tag: "SvcFileDamaged", fault: "Changing" })
      assert.isTrue(Buffer.from(bytes).equals(file.subarray(0, bytes.length)))
      assert.isFalse(endsWell(bytes))
    }).pipe(Effect.provide(codec))
  )

  it.effect("of a host that is gone in the middle fails after all that came before", () =>
    Effect.gen(function* () {
      const file = largeVcf(yield* Codec)
      const { content } = yield* open({
        bytes: file,
        fileName: "s.vcf.gz",
        script: ({ range }, good) =>
          range?.startsWith(`bytes=${mib}-`) ? { status: 410, headers: {}, body: [] } : good
      })
      const { bytes, error } = yield* drained(content.bytes)
      assert.strictEqual(error?._tag, "SvcNotFound")
      assert.isAbove(bytes.length, mib - Bgzf.maxBlock)
      assert.isTrue(Buffer.from(bytes).equals(file.subarray(0, bytes.length)))
    }).pipe(Effect.provide(codec))
  )

  it.effect("comes by requests of many megabytes after a short one, each byte once", () =>
    Effect.gen(function* () {
      const file = largeVcf(yield* Codec)
      const { content, seen } = yield* open({ bytes: file, fileName: "s.vcf.gz" })
      const { bytes, error } = yield* drained(content.bytes)
      assert.isNull(error)
      assert.isTrue(Buffer.from(bytes).equals(file))
      assert.deepStrictEqual(
        // The header ends where the block after it begins: the second one is for that.
        seen.map(({ range }) => range).toSpliced(1, 1),
        [
          `bytes=0-${0xffff}`,
          `bytes=${0x10000}-${mib - 1}`,
          `bytes=${mib}-${9 * mib - 1}`,
          `bytes=${9 * mib}-${file.length - 1}`
        ]
      )
    }).pipe(Effect.provide(codec))
  )
})
