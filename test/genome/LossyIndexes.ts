/** Indexes that lack something, as faulty writers, merges and old formats leave them: taken out of the bytes of healthy ones at random. */
import type { SeededRandom } from "../../sandbox/samples/SeededRandom.ts"

export interface Reference {
  bins: Array<{ readonly id: number; loffset: bigint; chunks: Array<readonly [bigint, bigint]> }>
  linear: Array<bigint>
}

/** The inflated bytes of a BAI, CSI or TBI, with its references changed in place by `change`. */
export const rewritten = (plain: Uint8Array, change: (references: ReadonlyArray<Reference>) => void): Uint8Array => {
  const bytes = Buffer.from(plain)
  const isCsi = bytes[0] === 0x43
  let at = isCsi ? 20 + bytes.readUInt32LE(12) : bytes[0] === 0x54 ? 36 + bytes.readUInt32LE(32) : 8
  const head = bytes.subarray(0, at)
  const u32 = () => {
    at += 4
    return bytes.readUInt32LE(at - 4)
  }
  const u64 = () => {
    at += 8
    return bytes.readBigUInt64LE(at - 8)
  }
  const times = <A>(count: number, make: () => A): Array<A> => Array.from({ length: count }, make)
  const count = isCsi ? bytes.readUInt32LE(at - 4) : bytes.readUInt32LE(4)
  const references = times(count, (): Reference => {
    const bins = times(u32(), () => {
      const id = u32()
      const loffset = isCsi ? u64() : 0n
      return { id, loffset, chunks: times(u32(), () => [u64(), u64()] as const) }
    })
    return { bins, linear: isCsi ? [] : times(u32(), u64) }
  })
  const tail = bytes.subarray(at)
  change(references)
  const out: Array<number | bigint> = []
  for (const { bins, linear } of references) {
    out.push(bins.length)
    for (const { chunks, id, loffset } of bins) {
      out.push(id, ...(isCsi ? [loffset] : []), chunks.length, ...chunks.flat())
    }
    if (!isCsi) out.push(linear.length, ...linear)
  }
  const numbers = out.map((value) => {
    const one = Buffer.alloc(typeof value === "bigint" ? 8 : 4)
    if (typeof value === "bigint") one.writeBigUInt64LE(value)
    else one.writeUInt32LE(value)
    return one
  })
  return Uint8Array.from(Buffer.concat([head, ...numbers, tail]))
}

export const losses = ["a reference", "a bin", "a chunk", "a window", "the last windows"] as const
export type Loss = (typeof losses)[number]

/** Loses one thing of that kind, of any reference that has records. */
export const losing = (plain: Uint8Array, loss: Loss, random: SeededRandom): Uint8Array =>
  rewritten(plain, (references) => {
    // The pseudo-bin, of two chunks, counts.
    const binsOf = ({ bins }: Reference) => bins.filter(({ id }) => id !== 37_450)
    const known = references.filter((one) => binsOf(one).length > 0)
    const reference = known[random.between(0, known.length)]
    if (reference === undefined) return
    const bins = binsOf(reference)
    const lost = bins[random.between(0, bins.length)]
    if (lost === undefined) return
    const window = random.between(0, reference.linear.length + 1)
    if (loss === "a reference") {
      reference.bins = []
      reference.linear = []
    } else if (loss === "a bin") reference.bins = reference.bins.filter((one) => one !== lost)
    else if (loss === "a chunk") lost.chunks.splice(random.between(0, lost.chunks.length), 1)
    else if (loss === "the last windows") reference.linear = reference.linear.slice(0, window)
    else if (window < reference.linear.length) reference.linear[window] = 0n
    else lost.loffset = 0n
  })
