/**
 * Runs of whole blocks, inflated and checked in one call aside: zlib reads the members of a gzip file one after the other, and compares the
 * CRC-32 and the size of each. What slices and verification read records from.
 */
import * as Effect from "effect/Effect"
import * as Bgzf from "./Bgzf.ts"
import type { Codec } from "./Codec.ts"

/** Consecutive whole blocks: block `i` is `[starts[i], starts[i + 1])` of `bytes`. */
export interface BlockRun {
  /** Not to be changed while it is inflated. */
  readonly bytes: Uint8Array
  readonly starts: ReadonlyArray<number>
}

/** Most blocks of a run, so that it takes at most 2 MiB deflated and as much inflated. Each call costs the main thread 0.2 ms. */
export const mostBlocks = 32

export interface InflatedRun {
  /** The content of the blocks, one after another; alone in its buffer, unless that is small. */
  readonly content: Uint8Array
  /** Where the content of each block ends in `content`. */
  readonly ends: ReadonlyArray<number>
}

/** Smaller buffers are left to the collector; some of them are shared. */
const worthReleasing = 0x20000

/** Bytes that have a buffer of their own are not used any more. Given back at once: the collector would let such memory pile up. */
export const release = ({ buffer }: Uint8Array): void => {
  if (buffer instanceof ArrayBuffer && buffer.byteLength >= worthReleasing) buffer.transfer(0)
}

/**
 * Where each block claims that its content ends; null when one cannot be as it says. A block that claims nothing has to be the usual
 * one: zlib might pass over it, as zeros may follow a gzip member.
 */
const claimedEnds = ({ bytes, starts }: BlockRun): ReadonlyArray<number> | null => {
  const ends: Array<number> = []
  let end = 0
  for (let i = 0; i + 1 < starts.length; i++) {
    const size = Bgzf.claimedSize(bytes, starts[i + 1]!)
    if (size > Bgzf.maxBlock || (size === 0 && !Bgzf.isEofBlock(bytes, starts[i]!, starts[i + 1]!))) return null
    end += size
    ends.push(end)
  }
  return ends
}

/**
 * True when members can begin where the blocks do, and nowhere else. zlib reads member after member, so inside a block it would
 * take one more, which readers of BGZF do not; of 16 MB of sound blocks about one holds these bytes by chance.
 */
const hasNoOtherMember = ({ bytes, starts }: BlockRun): boolean => {
  const last = starts.at(-1) ?? 0
  let block = 0
  for (let at = bytes.indexOf(0x1f, starts[0]); at !== -1 && at < last; at = bytes.indexOf(0x1f, at + 1)) {
    if (bytes[at + 1] !== 0x8b || bytes[at + 2] !== 8) continue
    while (starts[block]! < at) block++
    if (starts[block] !== at) return false
  }
  return true
}

/**
 * The content of all blocks of a run; null when one of them is damaged, or may be: they are then to be inflated one by one. Takes no more
 * memory than they claim, each at most 64 KiB.
 */
export const inflateRun = (codec: Codec["Service"], run: BlockRun): Effect.Effect<InflatedRun | null> => {
  const ends = claimedEnds(run)
  if (ends === null || !hasNoOtherMember(run)) return Effect.succeed(null)
  const size = ends.at(-1) ?? 0
  return Effect.map(codec.gunzipAside(run.bytes.subarray(run.starts[0], run.starts.at(-1)), size), (content) =>
    content?.length === size ? { content, ends } : null
  )
}

/** The sound blocks of a run up to a damaged one, and what is wrong with that, as a phrase with the block as subject. */
export const inflateSingly = (
  codec: Codec["Service"],
  { bytes, starts }: BlockRun
): InflatedRun & { readonly wrong: string | null } => {
  const content = new Uint8Array((starts.length - 1) * Bgzf.maxBlock)
  const ends: Array<number> = []
  let end = 0
  for (let i = 0; i + 1 < starts.length; i++) {
    const at = starts[i]!
    const inflated = Bgzf.inflateBlock(codec, bytes, at, starts[i + 1]! - at)
    if (typeof inflated === "string") return { content: content.subarray(0, end), ends, wrong: inflated }
    content.set(inflated, end)
    end += inflated.length
    ends.push(end)
  }
  return { content: content.subarray(0, end), ends, wrong: null }
}
