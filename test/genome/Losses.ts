/** Slices by indexes that lack something, compared with what a plain reader finds. */
import { assert } from "@effect/vitest"
import { Effect, Result } from "effect"
import { fromBytes } from "../../core/src/genome/ByteReader.ts"
import { isGzip } from "../../core/src/genome/bgzf/Bgzf.ts"
import { Codec } from "../../core/src/genome/bgzf/Codec.ts"
import * as SeededRandom from "../../sandbox/samples/SeededRandom.ts"
import { regionsOfBed } from "./Bed.ts"
import { bgzf } from "./Fixtures.ts"
import { type Loss, losing, losses } from "./LossyIndexes.ts"
import { overlapping, scan, textsOf } from "./Naive.ts"
import { randomFile } from "./RandomFiles.ts"
import { contentOf, sliceOf, sourceOf } from "./Slicing.ts"

export const lossKinds = ["nothing", ...losses, "its file"] as const

/**
 * Slices random regions of random files by indexes that lack something of a kind, or are whole, or of another file: each slice has the
 * bytes that a scan without an index finds, or is refused. Gives how many were refused.
 */
export const tryLosses = Effect.fnUntraced(function* (kind: (typeof lossKinds)[number], rounds: number, seed: number) {
  const codec = yield* Codec
  const random = SeededRandom.make(SeededRandom.seedOf(seed, kind))
  const lossy = (index: Uint8Array, loss: Loss) =>
    isGzip(index) ? bgzf(codec, losing(contentOf(index), loss, random)) : losing(index, loss, random)
  let refused = 0
  for (let round = 0; round < rounds; ) {
    const file = yield* randomFile(random, random.pick([60, 400, 800]))
    const all = scan(file.data, file.type)
    for (let turn = 0; turn < 10 && round < rounds; turn++, round++) {
      const other = kind === "its file" ? yield* randomFile(random, 400) : file
      if (other.type !== file.type || other.suffix !== file.suffix) continue
      const index = kind === "nothing" || kind === "its file" ? other.index : lossy(file.index, kind)
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
        const ours = textsOf(scan(made.success.bytes, file.type))
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
