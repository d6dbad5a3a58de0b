/**
 * BAMs, VCFs and their indexes, spoilt below the compression, so that the parsers behind the checksums are reached; each is
 * checked, walked and sliced. What a slice then holds is compared with what a plain reader finds.
 */

import { Effect, Exit, Result } from "effect"
import type { FileDamaged, NotFound, UsageError } from "../../core/src/Errors.ts"
import { fromBytes } from "../../core/src/genome/ByteReader.ts"
import { Codec } from "../../core/src/genome/bgzf/Codec.ts"
import { bamWalk } from "../../core/src/genome/formats/Bam.ts"
import { readBamHeader } from "../../core/src/genome/formats/BamHeader.ts"
import type { ReferenceRegions } from "../../core/src/genome/regions/Regions.ts"
import { checkStructure } from "../../core/src/genome/Structure.ts"
import type { SliceResult } from "../../core/src/genome/slice/Slice.ts"
import { proveFile } from "../../core/src/verify/FileProof.ts"
import * as SeededRandom from "../../sandbox/samples/SeededRandom.ts"
import { codecHere } from "../../test/genome/CodecHere.ts"
import * as Naive from "../genome/Naive.ts"
import { sliceOf } from "../genome/Slicing.ts"
import { walk } from "../genome/Walk.ts"
import { makeBam } from "./BamInputs.ts"
import { mutate, type Outcome, type Target } from "./Mutation.ts"
import { type Packed, pack, unpack } from "./Packing.ts"
import { makeVcf } from "./VcfInputs.ts"

type Damage = FileDamaged | NotFound | UsageError
type Reading = Effect.Effect<unknown, Damage, Codec>

/** A slice that was written, and what it was asked for. */
interface Sliced extends SliceResult {
  readonly bytes: number
  readonly file: Uint8Array
  readonly regions: ReadonlyArray<ReferenceRegions>
  readonly names: ReadonlyArray<string>
  readonly unplaced: boolean
}

/** How a file is read again in the plainest way. */
interface Kind {
  readonly data: string
  readonly index: string
  readonly plain: (bytes: Uint8Array, names: ReadonlyArray<string>) => Naive.NaiveFile | null
  /** `began` is called when header and index were taken, and records are read. */
  readonly slice: (
    packed: Packed,
    wanted: string,
    indexName: string,
    began: () => void
  ) => Effect.Effect<Sliced, Damage, Codec>
}

const places = [
  "chr1:100-9000",
  "chr1:1-999999",
  "chr1:4000-4001",
  "chr1:9000-20000",
  "chr3:1-99999",
  "chr3:5000-9000",
  "chr2:20000-60000"
] as const

const wantedOf = (random: SeededRandom.SeededRandom, whole: boolean): string =>
  [
    ...new Set(Array.from({ length: random.between(1, 4) }, () => random.pick(places))),
    ...(whole ? ["chr3"] : [])
  ].join(" ")

const sourceOf = ({ data, index }: Packed, name: string, indexName: string) => ({
  ...{ name, reader: fromBytes(data), index: { name: indexName, reader: fromBytes(index) } }
})

/** Of a whole reference all is taken, whatever length the header gives it. */
const takenOf = (regions: ReadonlyArray<ReferenceRegions>) =>
  regions.map((one) => (one.whole ? { ...one, bounds: [0, Number.POSITIVE_INFINITY] } : one))

const bam: Kind = {
  data: "x.bam",
  index: "x.bam.bai",
  plain: Naive.readBam,
  slice: Effect.fnUntraced(function* (packed, text, indexName, began) {
    const unplaced = packed.seed % 3 === 0
    const source = sourceOf(packed, bam.data, indexName)
    const { bytes, plan, result } = yield* sliceOf(source, text, { began, unmapped: unplaced })
    return { ...result, file: bytes, regions: takenOf(plan.regions), names: [], unplaced }
  })
}

const vcf = (suffix: "tbi" | "csi"): Kind => {
  const kind: Kind = {
    data: "x.vcf.gz",
    index: `x.vcf.gz.${suffix}`,
    plain: Naive.readVcf,
    slice: Effect.fnUntraced(function* (packed, text, indexName, began) {
      const { bytes, plan, result } = yield* sliceOf(sourceOf(packed, kind.data, indexName), text, { began })
      return {
        ...result,
        file: bytes,
        regions: takenOf(plan.regions),
        names: plan.slicing.references.map(({ name }) => name),
        unplaced: false
      }
    })
  }
  return kind
}

const run = <A>(effect: Effect.Effect<A, Damage, Codec>): Result.Result<A, Damage> => {
  const exit = Effect.runSyncExit(Effect.provide(Effect.result(effect), codecHere))
  if (Exit.isFailure(exit)) throw new Error(String(exit.cause))
  return exit.value
}

const tagsOf = (results: ReadonlyArray<Result.Result<unknown, Damage>>): ReadonlyArray<string> =>
  results.flatMap((result) => (Result.isFailure(result) ? [result.failure._tag] : []))

/** Throws where the slice is not what the plain reader finds. */
const compare = (kind: Kind, packed: Packed, sliced: Sliced, whole: boolean) => {
  const content = Naive.inflated(packed.data)
  const file = kind.plain(content, sliced.names)
  if (file === null) throw new Error("a slice of a file without header")
  // Blocks of a whole reference pass unread, and behind a broken chain the plain reader knows nothing.
  if (!packed.honest && (whole || !file.chained)) return
  const found = kind.plain(Naive.inflated(sliced.file), sliced.names)
  if (found === null) throw new Error("the slice has no header")
  if (!found.sound) throw new Error("the slice has a record that is not sound")
  const wanted = Naive.filtered(file.records, sliced.regions, sliced.unplaced)
  const wrong = Naive.difference(found.records, wanted, packed.honest)
  if (wrong !== null) throw new Error(wrong)
  if (found.records.length !== sliced.records)
    throw new Error(`it counts ${sliced.records} records and holds ${found.records.length}`)
  // The slice must be sound as a whole, and its own index must lead to all of it.
  const own = `${kind.data}.${sliced.indexSuffix}`
  const proven = run(
    proveFile({ name: kind.data, reader: fromBytes(sliced.file) }, { name: own, reader: fromBytes(sliced.index) })
  )
  if (Result.isFailure(proven)) throw new Error(`the slice is refused: ${proven.failure.message}`)
  const again = run(
    kind.slice({ ...packed, data: sliced.file, index: sliced.index }, textOf(packed, whole), own, () => {})
  )
  if (Result.isFailure(again)) throw new Error(`the slice cannot be sliced: ${again.failure.message}`)
  if (again.success.records !== sliced.records) throw new Error(`its index leads to ${again.success.records} records`)
}

const textOf = ({ seed }: Packed, whole: boolean): string => wantedOf(SeededRandom.make(seed), whole)

/** Structure, blocks and slice. */
const read = (kind: Kind, bytes: Uint8Array, more: (packed: Packed) => ReadonlyArray<Reading>): Outcome => {
  const packed = unpack(bytes)
  const whole = packed.seed % 5 === 0
  let past = false
  const sliced = run(kind.slice(packed, textOf(packed, whole), kind.index, () => (past = true)))
  if (Result.isSuccess(sliced)) compare(kind, packed, sliced.success, whole)
  else if (packed.honest && !["SvcNotFound", "SvcUsageError"].includes(sliced.failure._tag)) {
    const proven = run(proveFile({ name: kind.data, reader: fromBytes(packed.data) }, null))
    if (Result.isSuccess(proven)) throw new Error(`it refuses a sound file: ${sliced.failure.message}`)
  }
  return { tags: tagsOf([sliced, ...more(packed).map(run)]), past }
}

const makeTargets = Effect.gen(function* () {
  const codec = yield* Codec
  const target = (
    name: string,
    kind: Kind,
    make: Target["make"],
    more: (packed: Packed) => ReadonlyArray<Reading>
  ): Target => ({
    ...{ name, make, refusals: ["SvcFileDamaged", "SvcNotFound", "SvcUsageError"] },
    read: (bytes) => read(kind, bytes, more)
  })
  const ofData = (name: string) => (packed: Packed) => [
    checkStructure(name, fromBytes(packed.data)),
    walk(name, fromBytes(packed.data))
  ]
  const ofBam = (packed: Packed) => [
    ...ofData(bam.data)(packed),
    Effect.flatMap(readBamHeader(bam.data, fromBytes(packed.data)), (header) =>
      walk(bam.data, fromBytes(packed.data), bamWalk(header))
    )
  ]
  const ofIndex = (kind: Kind) => (packed: Packed) => [
    checkStructure(kind.index, fromBytes(packed.index), { name: kind.data, reader: fromBytes(packed.data) })
  ]
  /** The blocks themselves are spoilt: sums and sizes are wrong. */
  const spoiltBlocks = (random: SeededRandom.SeededRandom) => {
    const packed = unpack(makeBam(codec, random, true))
    return pack({ ...packed, honest: false, data: mutate(packed.data, random) })
  }
  const [tbi, csi] = [vcf("tbi"), vcf("csi")]
  return [
    target("bgzf", bam, spoiltBlocks, ofBam),
    target("bam", bam, (random) => makeBam(codec, random, false), ofBam),
    target("bai", bam, (random) => makeBam(codec, random, true), ofIndex(bam)),
    target("vcf", tbi, (random) => makeVcf(codec, random, "tbi", false), ofData(tbi.data)),
    target("tbi", tbi, (random) => makeVcf(codec, random, "tbi", true), ofIndex(tbi)),
    target("csi", csi, (random) => makeVcf(codec, random, "csi", true), ofIndex(csi))
  ] as const
})

export const genomeTargets: ReadonlyArray<Target> = Effect.runSync(Effect.provide(makeTargets, codecHere))
