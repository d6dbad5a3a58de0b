/** Indexes of hostile files, and honest indexes in which chunks and windows are made to point anywhere. */

import { vcfColumns } from "../../core/src/genome/formats/Vcf.ts"
import { pseudoBin } from "../../core/src/genome/index/Bins.ts"
import * as IndexBuilder from "../../core/src/genome/index/IndexBuilder.ts"
import type { SeededRandom } from "../../sandbox/samples/SeededRandom.ts"
import type { NaiveFile } from "../genome/Naive.ts"
import { mutate } from "./Mutation.ts"
import type { Blocks } from "./Packing.ts"

export type IndexFormat = "bai" | "tbi" | "csi"

/** Positions of BAI and TBI lie below. */
export const mostPositions = 2 ** 29

/** The index of what a plain reader finds, inflated. */
export const indexOf = (file: NaiveFile, { offsetOf }: Blocks, size: number, format: IndexFormat): Uint8Array => {
  const builder = IndexBuilder.make(14, 5)
  for (const { at, end, mapped, ref, start } of file.records) {
    const [block, within] = offsetOf(at)
    if (ref < 0) {
      builder.close(block, within)
      builder.addUnplaced(1)
    } else builder.add(ref, Math.min(start, mostPositions - 1), Math.min(end, mostPositions), mapped, block, within)
  }
  builder.close(...offsetOf(size))
  if (format === "bai") return builder.bai(file.references.length)
  return format === "tbi" ? builder.tbi(vcfColumns(file.references)) : builder.csi(vcfColumns(file.references))
}

interface Fields {
  /** Places of virtual offsets, 8 bytes each. */
  readonly offsets: ReadonlyArray<number>
  /** Places of bin numbers, 4 bytes each. */
  readonly ids: ReadonlyArray<number>
  /** Places of numbers of references, bins, chunks and windows, 4 bytes each. */
  readonly counts: ReadonlyArray<number>
}

const fieldsOf = (view: DataView, format: IndexFormat): Fields => {
  const offsets: Array<number> = []
  const ids: Array<number> = []
  const first = format === "bai" ? 4 : format === "tbi" ? 4 : 16 + view.getUint32(12, true)
  const counts: Array<number> = [first]
  let at = format === "tbi" ? 36 + view.getUint32(32, true) : first + 4
  const count = () => {
    counts.push(at)
    at += 4
    return view.getUint32(at - 4, true)
  }
  const offset = () => {
    offsets.push(at)
    at += 8
  }
  for (let references = view.getUint32(first, true); references > 0; references--) {
    for (let bins = count(); bins > 0; bins--) {
      ids.push(at)
      at += 4
      if (format === "csi") offset()
      for (let left = 2 * count(); left > 0; left--) offset()
    }
    if (format !== "csi") for (let left = count(); left > 0; left--) offset()
  }
  return { offsets, ids, counts }
}

const bits = ([block, within]: readonly [number, number]) => (BigInt(block) << 16n) | BigInt(within)

/** One to four lies in a copy; `size` is that of the content. */
export const lyingIndex = (
  honest: Uint8Array,
  format: IndexFormat,
  { bytes: data, offsetOf }: Blocks,
  size: number,
  random: SeededRandom
): Uint8Array => {
  let bytes = new Uint8Array(honest)
  const view = new DataView(bytes.buffer)
  const { counts, ids, offsets } = fieldsOf(view, format)
  const one = (places: ReadonlyArray<number>) => places[random.between(0, places.length)] ?? 0
  const anywhere = (): bigint => {
    const kind = random.next()
    const [block] = offsetOf(random.between(0, size))
    if (kind < 0.4) return bits(offsetOf(random.between(0, size)))
    if (kind < 0.6) return bits([block, random.pick([0, 1, 35, 899, 65_535])])
    if (kind < 0.7) return bits([random.between(0, data.length), random.between(0, 900)])
    return random.pick([0n, 2n ** 64n - 1n, 2n ** 63n, bits([data.length, 0]), bits([data.length - 28, 1]), 1n])
  }
  for (let left = random.between(1, 5); left > 0; left--) {
    const kind = random.next()
    if (kind < 0.5) view.setBigUint64(one(offsets), anywhere(), true)
    else if (kind < 0.65) {
      const [from, to] = [one(offsets), one(offsets)]
      view.setBigUint64(to, view.getBigUint64(from, true), true)
    } else if (kind < 0.75) {
      const id = one(ids)
      view.setUint32(
        id,
        random.pick([0, 1, 9, 4_681, pseudoBin(5), pseudoBin(5) + 1, view.getUint32(id, true) + 1]),
        true
      )
    } else if (kind < 0.85) {
      const count = one(counts)
      const now = view.getUint32(count, true)
      view.setUint32(count, random.pick([0, Math.max(0, now - 1), now + 1, 2 ** 31, 2 ** 32 - 1]), true)
    } else if (kind < 0.95) bytes[random.between(0, Math.min(64, bytes.length))] = random.between(0, 256)
    else {
      bytes = new Uint8Array(mutate(bytes, random))
      break
    }
  }
  return bytes
}
