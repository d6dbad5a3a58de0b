/** Indexes that lack something, as faulty writers, merges and old formats leave them: taken out of the bytes of healthy ones at random. */
import { gunzipSync } from "node:zlib"
import { assert } from "@effect/vitest"
import { Effect, Result } from "effect"
import { fromBytes } from "../../core/src/genome/ByteReader.ts"
import { Codec } from "../../core/src/genome/bgzf/Codec.ts"
import * as SeededRandom from "../../sandbox/samples/SeededRandom.ts"
import { regionsOfBed } from "./Bed.ts"
import { bgzf } from "./Fixtures.ts"
import { type Reference, rewritten } from "./LossyIndexes.ts"
import { randomFile } from "./RandomFiles.ts"
import { overlapping, scan } from "./Scan.ts"
import { sliceOf, sourceOf } from "./Slicing.ts"

type Random = SeededRandom.SeededRandom

const losses = {
  "a reference": (references, random) => {
    const reference = random.pick(full(references))
    reference.bins = []
    reference.linear = []
  },
  "a bin": (references, random) => {
    const reference = random.pick(full(references))
    const bin = random.pick(own(reference))
    reference.bins = reference.bins.filter((one) => one !== bin)
  },
  "a chunk": (references, random) => {
    const bin = random.pick(own(random.pick(full(references))))
    bin.chunks.splice(random.between(0, bin.chunks.length), 1)
  },
  "a window": (references, random) => {
    const { linear } = random.pick(full(references))
    linear.splice(random.between(0, linear.length), linear.length)
  }
} satisfies Readonly<Record<string, (references: ReadonlyArray<Reference>, random: Random) => void>>

type Some<A> = readonly [A, ...ReadonlyArray<A>]
/** All but the bin that counts: no random file has levels of its own. */
const own = ({ bins }: Reference) =>
  bins.filter(({ id }) => id !== 37_450) as unknown as Some<Reference["bins"][number]>
const full = (references: ReadonlyArray<Reference>) =>
  references.filter((reference) => own(reference).length > 0) as unknown as Some<Reference>

export type Loss = keyof typeof losses
export const lossKinds = Object.keys(losses) as unknown as readonly [Loss, ...ReadonlyArray<Loss>]

/**
 * Slices random regions of random files by indexes that lack something of a kind, or are whole, or of another file: each slice has the
 * bytes that a scan without an index finds, or is refused. Gives how many were refused.
 */
export const tryLosses = Effect.fnUntraced(function* (
  kind: Loss | "nothing" | "its file",
  rounds: number,
  seed: number
) {
  const codec = yield* Codec
  const random = SeededRandom.make(SeededRandom.seedOf(seed, kind))
  let refused = 0
  for (let round = 0; round < rounds; ) {
    const file = yield* randomFile(random, random.pick([60, 400, 800]))
    const all = scan(file.data, file.type)
    for (let turn = 0; turn < 10 && round < rounds; turn++, round++) {
      const other = kind === "its file" ? yield* randomFile(random, 400) : file
      if (other.type !== file.type || other.suffix !== file.suffix) continue
      const isWhole = kind === "nothing" || kind === "its file"
      const index = isWhole ? other.index : without(file.index, kind, random, codec)
      const intervals = Array.from({ length: random.pick([1, 1, 2, 5]) }, () => {
        const [name, start] = [
          random.pick(["chr1", "chr1", "chr2", "chr3"]),
          random.between(0, random.pick([900, 70_000]))
        ]
        return [name, random.chance(0.2) ? 0 : start, start + random.pick([1, 100, 5_000, 1_000_000])] as const
      })
      const unplaced = file.type === "bam" && random.chance(0.1)
      const bed = intervals.map((one) => `${one.join("\t")}\n`).join("")
      const source = sourceOf(fromBytes(file.data), fromBytes(index), `${file.type}.${file.suffix}`)
      const wanted = Result.getOrThrow(regionsOfBed("random.bed", bed))
      const made = yield* Effect.result(sliceOf(source, wanted, { unmapped: unplaced }))
      const place = `${kind} is missing: seed ${seed}, round ${round}, ${file.type} with ${file.suffix}: ${bed}`
      if (Result.isSuccess(made)) {
        const ours = scan(made.success.bytes, file.type).map(({ bytes }) => bytes)
        assert.deepStrictEqual(ours, [...overlapping(all, intervals, unplaced)], place)
      } else {
        refused++
        // A reference that nothing names is not there.
        const expected = kind === "nothing" ? ["SvcNotFound"] : ["SvcNotFound", "SvcFileDamaged"]
        assert.include(expected, made.failure._tag, `${made.failure.message}: ${place}`)
      }
    }
  }
  return refused
})

/** A copy of a BAI, TBI or CSI that lacks something; it is packed as it was. */
export const without = (file: Uint8Array, loss: Loss, random: Random, codec: Codec["Service"]): Uint8Array => {
  const isPacked = file[0] === 0x1f
  const lossy = rewritten(isPacked ? new Uint8Array(gunzipSync(file)) : file, (references) => {
    if (full(references).length > 0) losses[loss](references, random)
  })
  return isPacked ? bgzf(codec, lossy) : lossy
}
