import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ZlibCodec from "../../../platform/inflate/ZlibCodec.ts"
import { bamFile, bgzf, counting, read, references, text } from "../../../test/genome/Fixtures.ts"
import { FileDamaged } from "../Errors.ts"
import { type ByteReader, fromBytes } from "./ByteReader.ts"
import { Codec } from "./bgzf/Codec.ts"
import * as VirtualOffset from "./bgzf/VirtualOffset.ts"
import { type IndexFile, openIndexed } from "./IndexedFile.ts"

const provided = Effect.provide(ZlibCodec.layerHere)

/** As many on each of two references. */
const reads = (count: number, step: number) =>
  [0, 1].flatMap((ref) => Array.from({ length: count }, (_, i) => read(`r${i}`, ref, i * step)))

/** A BAM of blocks of 2 kB with both indexes, and those of files that lie in its place at another time, or elsewhere. */
const ground = Effect.gen(function* () {
  const codec = yield* Codec
  const few = references.slice(0, 2)
  const blockBytes = 2_000
  const here = bamFile(codec, reads(1_000, 50), { blockBytes })
  return {
    ...here,
    foreign: bamFile(codec, reads(1_000, 50), { blockBytes, references: few }).csi,
    stale: bamFile(codec, reads(1_000, 50).slice(0, 500), { blockBytes }).bai,
    moved: bamFile(codec, reads(900, 50), { blockBytes: 1_900 }).csi,
    shorter: bamFile(codec, reads(1_000, 50).slice(0, 1_500), { blockBytes }).csi,
    unread: bgzf(codec, text("<html>not found</html>"))
  }
})

const index = (name: string, bytes: Uint8Array): IndexFile<FileDamaged> => ({
  name,
  open:
    bytes.length > 0
      ? Effect.succeed(fromBytes(bytes))
      : Effect.fail(new FileDamaged({ file: name, fault: "Size", reason: "it is empty" }))
})

const opened = (
  reader: ByteReader,
  ...indexes: readonly [IndexFile<FileDamaged>, ...ReadonlyArray<IndexFile<FileDamaged>>]
) => openIndexed({ name: "S.bam", reader, indexes }, "bam")

describe("of two indexes beside a file", () => {
  it.effect("D16 the first is taken where it fits, and the other is not opened", () =>
    Effect.gen(function* () {
      const { bam, csi } = yield* ground
      const unopened = { name: "S.bam.bai", open: Effect.die("opened") }
      const found = yield* opened(fromBytes(bam), index("S.bam.csi", csi), unopened)
      assert.deepStrictEqual([found.indexName, found.tabix.index.format, found.warnings], ["S.bam.csi", "CSI", []])
    }).pipe(provided)
  )

  for (const [fault, reason] of [
    ["foreign", "it has 2 references and the data has 3"],
    ["moved", "no record of reference chr2 begins at byte"],
    ["shorter", "it points to byte"],
    ["unread", "not a CSI index: its first bytes are of another format"],
    ["empty", "it is empty"]
  ] as const) {
    it.effect(`D16 a first one that does not fit (${fault}) is passed over, and said; two such are both named`, () =>
      Effect.gen(function* () {
        const made = { ...(yield* ground), empty: new Uint8Array(0) }
        const wrong = index("S.bam.csi", made[fault])
        const found = yield* opened(fromBytes(made.bam), wrong, index("S.bam.bai", made.bai))
        assert.deepStrictEqual([found.indexName, found.tabix.index.format], ["S.bam.bai", "BAI"])
        const [warning = "", ...others] = found.warnings
        assert.deepStrictEqual(others, [])
        assert.match(warning, /^S\.bam\.csi: .*: S\.bam\.bai is taken in its place$/)
        assert.include(warning, reason)

        const stale = index("S.bai", made.stale)
        const error = yield* Effect.flip(opened(fromBytes(made.bam), wrong, stale))
        assert.match(error.message, /^S\.bam\.csi: .*; S\.bai: it is not the index of S\.bam: it points to byte/)
        assert.include(error.message, reason)
      }).pipe(provided)
    )
  }

  it.effect("D16 damage of the file is not held against an index: its regions may lie elsewhere", () =>
    Effect.gen(function* () {
      const { bai, bam, csi } = yield* ground
      const { tabix } = yield* opened(fromBytes(bam), index("S.bam.csi", csi))
      const [bin] = tabix.index.reference(1).bins.values()
      const begin = VirtualOffset.block(bin!.chunks[0]!.begin)
      // In its deflated bytes.
      const damaged = bam.slice().fill(0xff, begin + 20, begin + 40)
      const found = yield* opened(fromBytes(damaged), index("S.bam.csi", csi), index("S.bam.bai", bai))
      assert.deepStrictEqual([found.indexName, found.warnings], ["S.bam.csi", []])
    }).pipe(provided)
  )

  it.effect("D16 samples are read only where there is a choice", () =>
    Effect.gen(function* () {
      const { bai, bam, csi } = yield* ground
      const [alone, chosen] = [counting(fromBytes(bam)), counting(fromBytes(bam))]
      yield* opened(alone, index("S.bam.csi", csi))
      yield* opened(chosen, index("S.bam.csi", csi), index("S.bam.bai", bai))
      assert.isBelow(alone.bytesRead(), chosen.bytesRead())
    }).pipe(provided)
  )
})
