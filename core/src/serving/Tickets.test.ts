import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as ZlibCodec from "../../../platform/inflate/ZlibCodec.ts"
import { bamFile, concat, read, references } from "../../../test/genome/Fixtures.ts"
import { withCodec } from "../../../test/genome/WithCodec.ts"
import { NotFound } from "../Errors.ts"
import { fromBytes } from "../genome/ByteReader.ts"
import { blockSize } from "../genome/bgzf/Bgzf.ts"
import { Codec } from "../genome/bgzf/Codec.ts"
import * as VirtualOffset from "../genome/bgzf/VirtualOffset.ts"
import * as BamRecord from "../genome/formats/BamRecord.ts"
import { checkStructure, readIndex } from "../genome/Structure.ts"
import { serviceInfo, ticketOf } from "../htsget/Ticket.ts"
import type { TicketPiece } from "../htsget/TicketPieces.ts"
import { fromQuery } from "../htsget/TicketRequest.ts"
import { FileBytes, unknownVersion } from "./FileBytes.ts"
import { LinkStore, type ServedFile } from "./LinkStore.ts"
import { Tickets } from "./Tickets.ts"

interface Listed {
  readonly bytes: Uint8Array
  readonly archived?: boolean
  /** As the link host states it; that of the bytes if not said. */
  readonly stated?: number
}

/** One analysis A1 with these files. */
const ground = (files: Readonly<Record<string, Listed>>) => {
  const opened: Array<string> = []
  const reads: Array<string> = []
  const listed = Object.entries(files).map(
    ([fileName, { archived = false, bytes, stated }]): ServedFile => ({
      analysisId: "A1",
      fileName,
      size: stated === undefined ? bytes.length : null,
      archived,
      restoreEstimation: null
    })
  )
  const store = Layer.mock(LinkStore, {
    files: () => Effect.succeed(listed),
    file: (_, name) =>
      Effect.suspend(() => {
        const found = listed.find(({ fileName }) => fileName === name)
        return found === undefined ? Effect.fail(new NotFound({ what: name })) : Effect.succeed(found)
      })
  })
  const bytes = Layer.mock(FileBytes, {
    version: ({ fileName, size }) => Effect.succeed({ ...unknownVersion, size: size ?? files[fileName]?.stated ?? 0 }),
    reader: ({ fileName }) => {
      const reader = fromBytes(files[fileName]?.bytes ?? new Uint8Array(0))
      return {
        size: reader.size,
        read: (offset, length) => {
          reads.push(`${fileName} ${offset}`)
          if (offset === 0) opened.push(fileName)
          return reader.read(offset, length)
        }
      }
    }
  })
  return {
    opened,
    reads,
    layer: Tickets.layer.pipe(Layer.provide([store, bytes]), Layer.provideMerge(ZlibCodec.layer))
  }
}

const parts = Effect.fnUntraced(function* (id: string, query: string, datatype: "reads" | "variants" = "reads") {
  const tickets = yield* Tickets
  return yield* tickets.parts(datatype, id, yield* Effect.fromResult(fromQuery(datatype, new URLSearchParams(query))))
})

/** The kind of a failure of the protocol, or the tag of another. */
const failure = (id: string, query = "", datatype: "reads" | "variants" = "reads") =>
  Effect.map(Effect.flip(parts(id, query, datatype)), (error) =>
    error._tag === "HtsgetError" ? error.kind : error._tag
  )

const sample = Effect.gen(function* () {
  return bamFile(
    yield* Codec,
    Array.from({ length: 2000 }, (_, i) => read(`r${i}`, 0, i * 50)),
    { blockBytes: 2000 }
  )
}).pipe(Effect.provide(ZlibCodec.layer))

describe("the file that a client of htsget means", () => {
  it.effect("is the only one of the analysis, or the named one; header and index are read once for many tickets", () =>
    Effect.gen(function* () {
      const { bai, bam } = yield* sample
      const { layer, opened } = ground({ "S1.bam": { bytes: bam }, "S1.bai": { bytes: bai } })
      yield* Effect.gen(function* () {
        for (const id of ["A1", "A1/S1.bam", "A1", "A1"]) {
          const { file, pieces } = yield* parts(id, "referenceName=chr1&start=20000&end=50000")
          assert.strictEqual(file.fileName, "S1.bam")
          const urls = ticketOf("reads", pieces, { url: "u", headers: { Authorization: "Bearer t" } }).htsget.urls
          const bytes = urls.map(({ headers, url }) => {
            if (url.startsWith("data:")) return new Uint8Array(Buffer.from(url.slice(url.indexOf(",") + 1), "base64"))
            assert.strictEqual(headers?.["Authorization"], "Bearer t")
            const [first = 0, last = 0] =
              /(\d+)-(\d+)/
                .exec(headers?.["Range"] ?? "")
                ?.slice(1)
                .map(Number) ?? []
            return bam.subarray(first, last + 1)
          })
          yield* checkStructure("x.bam", fromBytes(concat(...bytes)))
          assert.isTrue(urls.some(({ url }) => url === "u"))
        }
        assert.strictEqual(opened.filter((name) => name === "S1.bai").length, 1)
        const whole = yield* parts("A1", "")
        assert.deepStrictEqual(whole.pieces, [{ _tag: "Whole" }])
        assert.deepStrictEqual(ticketOf("reads", whole.pieces, { url: "u", headers: {} }).htsget, {
          format: "BAM",
          urls: [{ url: "u" }]
        })
        assert.deepStrictEqual(ticketOf("reads", whole.pieces, { url: "u", headers: { a: "b" } }).htsget.urls, [
          { url: "u", headers: { a: "b" } }
        ])
        // Of 2.5 GB, in pieces of at most 1 GB, which readers ask for one after the other.
        const large: ReadonlyArray<TicketPiece> = [{ _tag: "Range", first: 0, end: 2_500_000_000 }]
        assert.deepStrictEqual(ticketOf("reads", large, { url: "u", headers: { a: "b" } }).htsget.urls, [
          { url: "u", headers: { a: "b", Range: "bytes=0-999999999" } },
          { url: "u", headers: { a: "b", Range: "bytes=1000000000-1999999999" } },
          { url: "u", headers: { a: "b", Range: "bytes=2000000000-2499999999" } }
        ])
      }).pipe(Effect.provide(layer))
    })
  )

  it.effect("is told to be missing, ambiguous, without an index or archived", () =>
    Effect.gen(function* () {
      const { bai, bam } = yield* sample
      const region = "referenceName=chr1"
      const none = new Uint8Array(0)
      const two = ground({ "S1.bam": { bytes: bam }, "S2.bam": { bytes: bam } })
      yield* Effect.gen(function* () {
        assert.strictEqual(yield* failure("A1"), "InvalidInput")
        assert.strictEqual(yield* failure("A1", "", "variants"), "NotFound")
        assert.strictEqual(yield* failure("A1/S1.bam", "", "variants"), "NotFound")
        assert.strictEqual(yield* failure("A1/S3.bam"), "SvcNotFound")
        assert.strictEqual(yield* failure("A1/S1.bam", region), "NotFound", "no index")
      }).pipe(Effect.provide(two.layer))
      const cold = ground({ "S1.bam": { bytes: none, archived: true }, "S1.bam.bai": { bytes: bai } })
      assert.strictEqual(yield* Effect.provide(failure("A1", region), cold.layer), "InArchive")
      const lost = ground({ "S1.bam": { bytes: bam }, "S1.bam.bai": { bytes: none, archived: true } })
      assert.strictEqual(yield* Effect.provide(failure("A1", region), lost.layer), "InArchive")
      const bad = ground({ "S1.bam": { bytes: none }, "S1.bam.bai": { bytes: bai } })
      assert.strictEqual(yield* Effect.provide(failure("A1", region), bad.layer), "SvcFileDamaged")
    })
  )

  it.effect("D16 is cut by its CSI, and by the BAI beside it where that one is in the archive", () =>
    Effect.gen(function* () {
      const { bai, bam, csi } = yield* sample
      const region = "referenceName=chr1&start=20000&end=50000"
      const alone = ground({ "S1.bam": { bytes: bam }, "S1.bai": { bytes: bai } })
      const right = yield* Effect.provide(parts("A1", region), alone.layer)
      for (const [other, taken] of [
        [{ bytes: csi }, "S1.bam.csi"],
        [{ bytes: csi, archived: true }, "S1.bai"]
      ] as const) {
        const { layer, opened } = ground({ "S1.bam": { bytes: bam }, "S1.bai": { bytes: bai }, "S1.bam.csi": other })
        const { pieces } = yield* Effect.provide(parts("A1", region), layer)
        assert.strictEqual(opened.filter((name) => name !== "S1.bam").at(-1), taken)
        if (taken === "S1.bai") assert.deepStrictEqual(pieces, right.pieces)
      }
      const broken = { "S1.bam.csi": { bytes: csi.subarray(0, 100) } }
      const { layer } = ground({ "S1.bam": { bytes: bam }, "S1.bai": { bytes: bai }, ...broken })
      const error = yield* Effect.flip(Effect.provide(parts("A1", region), layer))
      assert.deepInclude(error, { _tag: "SvcFileDamaged", file: "S1.bam.csi" })
    })
  )

  withCodec(
    "has its header and sequences although its end is damaged; records fail, and cost only another look at the end",
    function* () {
      const all = Array.from({ length: 2000 }, (_, i) => read(`r${i}`, 0, i * 50))
      const unplaced = read("u", -1, -1, [], BamRecord.Flag.unmapped)
      const { bai, bam } = bamFile(yield* Codec, [...all, unplaced], { blockBytes: 2000 })
      const { index } = yield* readIndex("S1.bam.bai", fromBytes(bai))
      const end = VirtualOffset.block(index.lastEnd ?? VirtualOffset.make(0, 0))
      // Without reads, so that nothing but the end is looked at.
      const region = "referenceName=chr2"
      for (const damaged of [true, false]) {
        const bytes = damaged ? bam.slice().fill(0xff, end + 20, end + 40) : bam
        const { layer, reads } = ground({ "S1.bam": { bytes }, "S1.bam.bai": { bytes: bai } })
        yield* Effect.gen(function* () {
          assert.isNotEmpty((yield* parts("A1", "class=header")).pieces)
          assert.strictEqual((yield* (yield* Tickets).sequences("A1", "S1.bam"))[0]?.first, 1)
          const before = reads.length
          for (const _ of [1, 2]) {
            assert.strictEqual(damaged, (yield* Effect.result(parts("A1", region)))._tag === "Failure")
          }
          const looks = reads.slice(before)
          assert.deepStrictEqual(
            looks,
            Array.from({ length: damaged ? 2 : 1 }, () => `S1.bam ${end}`)
          )
        }).pipe(Effect.provide(layer))
      }
    }
  )

  it.effect("D1 of a file that was cut has its header and sequences, by whichever index; the file is to blame", () =>
    Effect.gen(function* () {
      const { bai, bam, csi } = yield* sample
      let cut = 0
      while (cut < bam.length / 2) cut += blockSize(bam, cut)
      const bytes = bam.subarray(0, cut)
      for (const others of [{}, { "S1.bam.csi": { bytes: csi } }]) {
        const { layer } = ground({ "S1.bam": { bytes }, "S1.bam.bai": { bytes: bai }, ...others })
        yield* Effect.gen(function* () {
          assert.strictEqual((yield* parts("A1", "class=header")).pieces.length, 2)
          assert.strictEqual((yield* (yield* Tickets).sequences("A1", "S1.bam"))[0]?.first, 1)
          const error = yield* Effect.flip(parts("A1", "referenceName=chr1"))
          assert.match(
            "message" in error ? error.message : "",
            /^S1\.bam: it does not end with the BGZF end-of-file block, so its end may be missing: .* it points to byte/
          )
        }).pipe(Effect.provide(layer))
      }
    }).pipe(Effect.provide(ZlibCodec.layer))
  )

  it.effect("of more than 1 GB is divided, also when only the link host says how long it is", () =>
    Effect.gen(function* () {
      const { layer } = ground({ "S1.bam": { bytes: new Uint8Array(0), stated: 1_000_000_001 } })
      const { pieces } = yield* Effect.provide(parts("A1", ""), layer)
      assert.deepStrictEqual(pieces, [{ _tag: "Range", first: 0, end: 1_000_000_001 }])
    })
  )

  it("service-info names the protocol, its version and the one format", () => {
    const { htsget, type } = serviceInfo("variants", "1.2.3")
    assert.deepStrictEqual(type, { group: "org.ga4gh", artifact: "htsget", version: "1.3.0" })
    assert.deepStrictEqual([htsget.datatype, htsget.formats], ["variants", ["VCF"]])
  })

  it.effect("the sequences of a file are those of its header, and the first with reads says where they begin", () =>
    Effect.gen(function* () {
      const reads = Array.from({ length: 20 }, (_, i) => read(`r${i}`, 1, 100_000 + i))
      const { bai, bam } = bamFile(yield* Codec, reads)
      const of = (name: string) => Effect.flatMap(Tickets, ({ sequences }) => sequences("A1", name))
      const files = {
        "S1.bam": { bytes: bam },
        "S1.bam.bai": { bytes: bai },
        "S2.bam": { bytes: bam },
        "S1.txt": { bytes: bam }
      }
      const { layer, reads: asked } = ground(files)
      yield* Effect.gen(function* () {
        const found = yield* of("S1.bam")
        const before = [...asked]
        assert.deepStrictEqual(yield* of("S1.bam"), found)
        assert.deepStrictEqual(asked, before, "read once for many views")
        assert.deepStrictEqual(
          found.map(({ length, name }) => ({ length, name })),
          references.map(({ length, name }) => ({ length, name }))
        )
        assert.deepStrictEqual(found.map(({ first }) => first).slice(0, 2), [null, 100_001])
        const refused = yield* Effect.flip(of("S2.bam"))
        assert.match("message" in refused ? refused.message : "", /S2\.bam has no index/)
        assert.match(String(yield* Effect.flip(of("S1.txt"))), /cannot be shown/)
      }).pipe(Effect.provide(layer))
      const archived = ground({ ...files, "S1.bam": { bytes: bam, archived: true } })
      assert.strictEqual((yield* Effect.flip(of("S1.bam")).pipe(Effect.provide(archived.layer)))._tag, "InArchive")
    }).pipe(Effect.provide(ZlibCodec.layer))
  )
})
