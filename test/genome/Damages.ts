/**
 * Random damage to healthy files. A slice of a damaged file must end with an error, or hold exactly the records of the healthy
 * file.
 */

import { Effect, Result } from "effect"
import { fromBytes } from "../../core/src/genome/ByteReader.ts"
import * as Bgzf from "../../core/src/genome/bgzf/Bgzf.ts"
import { Codec } from "../../core/src/genome/bgzf/Codec.ts"
import * as BamRecord from "../../core/src/genome/formats/BamRecord.ts"
import * as SeededRandom from "../../sandbox/samples/SeededRandom.ts"
import { concat, endingAtFileEnd } from "./Fixtures.ts"
import { type IndexedFile, randomFile, randomRange } from "./RandomFiles.ts"
import { sliceOf, sourceOf } from "./Slicing.ts"

type Random = SeededRandom.SeededRandom

/** A data file, and where its blocks begin; the last number is its size. */
interface BlockFile {
  readonly data: Uint8Array
  readonly starts: ReadonlyArray<number>
}

export const blocksOf = (data: Uint8Array): BlockFile => {
  const starts: Array<number> = []
  for (let at = 0; at < data.length; at += Bgzf.blockSize(data, at)) starts.push(at)
  return { data, starts: [...starts, data.length] }
}

/** Number of a block that is neither the header nor the end-of-file block. */
const anyBlock = ({ starts }: BlockFile, random: Random) => random.between(1, Math.max(2, starts.length - 2))

const flipBit = (data: Uint8Array, at: number, random: Random) => {
  const damaged = data.slice()
  damaged[at] = (damaged[at] ?? 0) ^ (1 << random.between(0, 8))
  return damaged
}

/** The file with two blocks in each other's place. */
export const exchange = ({ data, starts }: BlockFile, i: number, j: number) =>
  concat(
    ...starts.slice(0, -1).map((_, k) => {
      const from = k === i ? j : k === j ? i : k
      return data.subarray(starts[from], starts[from + 1])
    })
  )

/** Every kind of damage to a data file. */
const damages = {
  "a flipped bit anywhere": ({ data }, random) => flipBit(data, random.between(0, data.length), random),
  "a flipped bit in a header of a block": (file, random) =>
    flipBit(file.data, (file.starts[anyBlock(file, random)] ?? 0) + random.between(0, 18), random),
  "a flipped bit in a checksum or size": (file, random) =>
    flipBit(file.data, (file.starts[anyBlock(file, random) + 1] ?? 0) - 1 - random.between(0, 8), random),
  "a missing block": (file, random) => {
    const i = anyBlock(file, random)
    return concat(file.data.subarray(0, file.starts[i]), file.data.subarray(file.starts[i + 1]))
  },
  "a doubled block": (file, random) => {
    const i = anyBlock(file, random)
    return concat(file.data.subarray(0, file.starts[i + 1]), file.data.subarray(file.starts[i]))
  },
  "two neighbours in each other's place": (file, random) => {
    const i = random.between(1, Math.max(2, file.starts.length - 3))
    return exchange(file, i, i + 1)
  },
  "two blocks in each other's place": (file, random) => exchange(file, anyBlock(file, random), anyBlock(file, random)),
  "a cut": ({ data, starts }, random) =>
    data.subarray(0, random.chance(0.5) ? random.between(1, data.length) : random.pick([0, ...starts]))
} satisfies Readonly<Record<string, (file: BlockFile, random: Random) => Uint8Array>>

export type DamageKind = keyof typeof damages

export const damageKinds = Object.keys(damages) as ReadonlyArray<DamageKind>

export const damaged = (data: Uint8Array, kind: DamageKind, random: SeededRandom.SeededRandom): Uint8Array =>
  damages[kind](blocksOf(data), random)

export const sameRecords = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): boolean =>
  a.length === b.length && a.every((record, i) => record === b[i])

/** The records of inflated content, each behind the number of its place. Those of one place have no order that a file must keep. */
const recordsOf = (content: Uint8Array, type: IndexedFile["type"]): ReadonlyArray<string> => {
  const textOf = (from: number, to: number) => Buffer.from(content.subarray(from, to)).toString("latin1")
  const records: Array<string> = []
  let [place, last] = [0, ""]
  const add = (key: string, record: string) => {
    if (key !== last) place++
    last = key
    records.push(`${String(place).padStart(9, "0")} ${record}`)
  }
  if (type === "vcf.gz") {
    for (const line of textOf(0, content.length).split("\n")) {
      const [name, position] = line.split("\t", 2)
      add(line.startsWith("#") ? line : `${name}:${position}`, line)
    }
  } else {
    const view = new DataView(content.buffer, content.byteOffset, content.byteLength)
    let at = 12 + view.getUint32(4, true)
    for (let left = view.getUint32(at - 4, true); left > 0; left--) at += 8 + view.getUint32(at, true)
    add("header", textOf(0, at))
    for (let size = 0; at < content.length; at += size) {
      size = BamRecord.recordSize(view, at)
      add(`${BamRecord.refId(view, at)}:${BamRecord.position(view, at)}`, textOf(at, at + size))
    }
  }
  return records.sort()
}

/** The records of a slice. Fails as the slice does; throws when a block of it is damaged. */
export const recordsOfSlice = Effect.fnUntraced(function* (file: IndexedFile, range: string, unmapped: boolean) {
  const codec = yield* Codec
  const { data, index, suffix, type } = file
  const source = sourceOf(fromBytes(data), fromBytes(index), `${type}.${suffix}`)
  const { bytes: slice } = yield* sliceOf(source, range, { unmapped })
  const parts: Array<Uint8Array> = []
  for (let at = 0; at < slice.length; at += Bgzf.blockSize(slice, at)) {
    const content = Bgzf.inflateBlock(codec, slice, at, Bgzf.blockSize(slice, at))
    if (typeof content === "string") throw new Error(`a slice with a damaged block: ${content}`)
    parts.push(content)
  }
  return recordsOf(concat(...parts), type)
})

/** With the last chunk ending behind the end-of-file block, where the last chunk ends with the data. */
const withLastChunkAtFileEnd = (file: IndexedFile): IndexedFile => {
  if (file.suffix !== "bai") return file
  try {
    return { ...file, index: endingAtFileEnd(file.index, file.data.length) }
  } catch {
    return file
  }
}

/**
 * Tries so many damages of one kind to files of so many records; gives how many were refused. Throws at the first slice with
 * other records.
 */
export const tryDamages = Effect.fnUntraced(function* (
  kind: DamageKind,
  rounds: number,
  records: number,
  seed: number
) {
  const random = SeededRandom.make(SeededRandom.seedOf(seed, kind))
  let refused = 0
  let file = yield* randomFile(random, records)
  for (let round = 0; round < rounds; round++) {
    if (round % 10 === 9) file = yield* randomFile(random, records)
    const range = randomRange(random)
    const unmapped = random.chance(0.1)
    const { index } = random.chance(0.3) ? withLastChunkAtFileEnd(file) : file
    const healthy = yield* recordsOfSlice(file, range, unmapped)
    const source = { ...file, index, data: damaged(file.data, kind, random) }
    const made = yield* Effect.result(recordsOfSlice(source, range, unmapped))
    if (Result.isFailure(made)) refused++
    else if (!sameRecords(made.success, healthy)) {
      throw new Error(
        `${kind} was not seen in a slice of ${range}: seed ${seed}, round ${round}, ${file.type} with ${file.suffix}`
      )
    }
  }
  return refused
})
