/** Indexes that lack something, as faulty writers, merges and old formats leave them: taken out of the bytes of healthy ones at random. */
import { gunzipSync } from "node:zlib"
import { assert } from "@effect/vitest"
import { Effect, Result } from "effect"
import { fromBytes } from "../../core/src/genome/ByteReader.ts"
import { Codec } from "../../core/src/genome/bgzf/Codec.ts"
import * as SeededRandom from "../../sandbox/samples/SeededRandom.ts"
import { regionsOfBed } from "./Bed.ts"
import { bgzf } from "./Fixtures.ts"
import { randomFile } from "./RandomFiles.ts"
import { overlapping, scan } from "./Scan.ts"
import { sliceOf, sourceOf } from "./Slicing.ts"

type Random = SeededRandom.SeededRandom

interface Bin {
  readonly id: number
  /** `loffset` of a CSI. */
  readonly loffset: bigint
  chunks: Array<readonly [bigint, bigint]>
}

interface Reference {
  bins: Array<Bin>
  linear: Array<bigint>
}

interface Index {
  /** All before the references, and all behind them. */
  readonly head: Uint8Array
  readonly tail: Uint8Array
  readonly isCsi: boolean
  /** The bin that counts. */
  readonly pseudo: number
  readonly references: ReadonlyArray<Reference>
}

const decode = (bytes: Uint8Array): Index => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const kind = Buffer.from(bytes.subarray(0, 3)).toString("latin1")
  const isCsi = kind === "CSI"
  const count = isCsi ? 16 + view.getUint32(12, true) : 4
  // The columns of a TBI follow its number of references.
  let at = kind === "TBI" ? 36 + view.getUint32(32, true) : count + 4
  const head = bytes.slice(0, at)
  const offset = () => {
    at += 8
    return view.getBigUint64(at - 8, true)
  }
  const number = () => {
    at += 4
    return view.getUint32(at - 4, true)
  }
  const references = Array.from({ length: view.getUint32(count, true) }, () => {
    const bins = Array.from({ length: number() }, () => {
      const id = number()
      const loffset = isCsi ? offset() : 0n
      return { id, loffset, chunks: Array.from({ length: number() }, () => [offset(), offset()] as const) }
    })
    return { bins, linear: isCsi ? [] : Array.from({ length: number() }, offset) }
  })
  const depth = isCsi ? view.getUint32(8, true) : 5
  return { head, tail: bytes.slice(at), isCsi, pseudo: (8 ** (depth + 1) - 1) / 7 + 1, references }
}

const encode = ({ head, isCsi, references, tail }: Index): Uint8Array => {
  const parts: Array<Uint8Array> = [head]
  const number = (value: number) => parts.push(new Uint8Array(Uint32Array.of(value).buffer))
  const offset = (value: bigint) => parts.push(new Uint8Array(BigUint64Array.of(value).buffer))
  for (const { bins, linear } of references) {
    number(bins.length)
    for (const { chunks, id, loffset } of bins) {
      number(id)
      if (isCsi) offset(loffset)
      number(chunks.length)
      for (const chunk of chunks) chunk.forEach((one) => void offset(one))
    }
    if (isCsi) continue
    number(linear.length)
    linear.forEach((one) => void offset(one))
  }
  return new Uint8Array(Buffer.concat([...parts, tail]))
}

const losses = {
  "a reference": (index, random) => {
    const reference = random.pick(full(index))
    reference.bins = []
    reference.linear = []
  },
  "a bin": (index, random) => {
    const reference = random.pick(full(index))
    const bin = random.pick(own(reference, index))
    reference.bins = reference.bins.filter((one) => one !== bin)
  },
  "a chunk": (index, random) => {
    const bin = random.pick(own(random.pick(full(index)), index))
    bin.chunks.splice(random.between(0, bin.chunks.length), 1)
  },
  "a window": (index, random) => {
    const { linear } = random.pick(full(index))
    linear.splice(random.between(0, linear.length), linear.length)
  }
} satisfies Readonly<Record<string, (index: Index, random: Random) => void>>

type Some<A> = readonly [A, ...ReadonlyArray<A>]
const own = ({ bins }: Reference, { pseudo }: Index) => bins.filter(({ id }) => id !== pseudo) as unknown as Some<Bin>
const full = (index: Index) =>
  index.references.filter((reference) => own(reference, index).length > 0) as unknown as Some<Reference>

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
  const index = decode(isPacked ? new Uint8Array(gunzipSync(file)) : file)
  if (full(index).length === 0) return file
  losses[loss](index, random)
  return isPacked ? bgzf(codec, encode(index)) : encode(index)
}
