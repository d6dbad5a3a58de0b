import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { bamFile, read, references } from "../../../test/genome/Fixtures.ts"
import { withCodec } from "../../../test/genome/WithCodec.ts"
import { fromBytes } from "../genome/ByteReader.ts"
import { Codec } from "../genome/bgzf/Codec.ts"
import * as VirtualOffset from "../genome/bgzf/VirtualOffset.ts"
import type { Bin, ReferenceIndex } from "../genome/index/BinIndex.ts"
import { firstOfLevel } from "../genome/index/Bins.ts"
import { type OpenedFile, openFile } from "../htsget/TicketPieces.ts"
import { sequencesOf } from "./Tickets.ts"

/** A BAM with reads of the second reference, opened. */
const opened = Effect.gen(function* () {
  const reads = Array.from({ length: 20 }, (_, i) => read(`r${i}`, 1, 100_000 + i))
  const { bai, bam } = bamFile(yield* Codec, reads)
  const reader = fromBytes(bam)
  const index = { name: "S1.bam.bai", reader: fromBytes(bai) }
  return { file: yield* openFile("reads", { name: "S1.bam", reader, index }), reader }
})

/** The same with other bins. */
const withBins = (file: OpenedFile, binsOf: (ref: number, bins: ReferenceIndex["bins"]) => ReferenceIndex["bins"]) => ({
  ...file,
  index: {
    ...file.index,
    reference: (ref: number) => {
      const found = file.index.reference(ref)
      return { ...found, bins: binsOf(ref, found.bins) }
    }
  }
})

const bin = (id: number): Bin => ({ id, loffset: null, chunks: [] })

describe("the sequences of a file", () => {
  withCodec("begin where the first record stands, past bins that have no chunk", function* () {
    const { file, reader } = yield* opened
    const first = firstOfLevel(5)
    const padded = withBins(file, (ref, bins) => (ref === 0 ? new Map([[first, bin(first)]]) : bins))
    const expected = references.map((reference, ref) => ({ ...reference, first: ref === 1 ? 100_001 : null }))
    assert.deepStrictEqual(yield* sequencesOf(padded, reader), expected)
    const empty = withBins(file, () => new Map([[first, bin(first)]]))
    assert.isTrue((yield* sequencesOf(empty, reader)).every((each) => each.first === null))
  })

  withCodec("are as long as their bins reach where the header does not say, of however many bins", function* () {
    const { file, reader } = yield* opened
    // A CSI of depth 8 has room for them.
    const many = 200_000
    const first = firstOfLevel(8)
    const bins = new Map(Array.from({ length: many }, (_, i) => [first + i, bin(first + i)]))
    const deep = withBins(file, (ref) => (ref === 0 ? bins : new Map()))
    const unsaid = file.references.map(({ name }) => ({ name, length: null }))
    const found = yield* sequencesOf({ ...deep, references: unsaid, index: { ...deep.index, depth: 8 } }, reader)
    assert.deepStrictEqual(
      found.map(({ length }) => length),
      [many * 2 ** 14, 2 ** 29, 2 ** 29]
    )
  })

  withCodec("fail as damage where the index leads out of the file", function* () {
    const { file, reader } = yield* opened
    const beyond = { begin: VirtualOffset.make(reader.size + 1, 0), end: VirtualOffset.make(reader.size + 2, 0) }
    const wrong = withBins(file, () => new Map([[4681, { ...bin(4681), chunks: [beyond] }]]))
    assert.strictEqual((yield* Effect.flip(sequencesOf(wrong, reader)))._tag, "SvcFileDamaged")
  })
})
