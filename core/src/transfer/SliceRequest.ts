/** What is asked of a slice, what may stand in its place already, and what it says in the end. */
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { CannotCreate } from "../Errors.ts"
import type { DataType } from "../genome/formats/FileNames.ts"
import type { RegionText } from "../genome/regions/RegionText.ts"
import type { ChecksumKind } from "../selection/FileName.ts"
import type { LinkedFile } from "./LinkLease.ts"
import type { TransferProgress } from "./TransferRequest.ts"

/** A remote file and its link; `link` and `renewLink` as in a `TransferRequest`. */
export type SliceSourceFile = Omit<LinkedFile, "progress">

/** What is wanted of every file, whatever its references. */
export interface SliceWish {
  /** May be empty when `unmapped` is set. */
  readonly wanted: ReadonlyArray<RegionText>
  /** Takes the unplaced reads too (BAM). */
  readonly unmapped: boolean
}

/** A slice to make: of which file, by which index. */
export interface SliceTask extends SliceWish {
  readonly kind: DataType
  readonly data: SliceSourceFile
  readonly index: SliceSourceFile
  readonly progress: (event: TransferProgress) => Effect.Effect<void>
}

/** A slice to make, and where it goes. */
export interface SliceRequest extends SliceTask {
  readonly directory: string
  /** Final name in `directory`; the index gets the same with `.bai`, `.csi` or `.tbi`. */
  readonly name: string
  readonly overwrite: boolean
  /** Puts a checksum beside slice and index, as in a `TransferRequest`. */
  readonly checksums?: ChecksumKind | null
  /** What stands under the final names now. */
  readonly existing: Effect.Effect<SliceState>
}

export const SliceIndex = Schema.Struct({ name: Schema.String, bytes: Schema.Int })
/**
 * The index that stands beside a slice; bytes.
 *
 * @category models
 * @since 0.1.0
 */
export interface SliceIndex extends Schema.Schema.Type<typeof SliceIndex> {}

/** What stands under the name of a slice. */
export type SliceState =
  | { readonly _tag: "Absent" }
  /** A whole slice of the same regions, with its index. */
  | { readonly _tag: "Same"; readonly bytes: number; readonly regions: string; readonly index: SliceIndex }
  /** A slice without a sound index or end, as a crash can leave it; `regions` as its header says. */
  | { readonly _tag: "Incomplete"; readonly regions: string }
  | { readonly _tag: "Other"; readonly error: CannotCreate }

/** Names the maker in the headers of slices, which is how they are known again. */
export const maker = "svc-download"

/** The refusal of a file that is not the wanted slice; `regions` as its header says, null when it is no slice of ours. */
export const otherRegions = (path: string, regions: string | null, wanted = ""): CannotCreate =>
  new CannotCreate({
    path,
    reason: regions === null ? "a file that we did not cut is there" : `it is there with ${otherThan(regions, wanted)}`,
    replaceable: true
  })

/** What a slice has in place of what is wanted; unplaced reads are the word `*` of its regions. */
const otherThan = (regions: string, wanted: string): string => {
  const placed = (text: string) => text.replace(/(?:^| )\*$/, "")
  if (placed(regions) === placed(wanted)) return `these regions and ${regions.endsWith("*") ? "" : "no "}unplaced reads`
  return `other regions (${regions.length > 100 ? `${regions.slice(0, 100)}...` : regions})`
}

/** What became of a slice. */
export type SliceOutcome = SliceFigures &
  (
    | { readonly action: "downloaded"; readonly sha256: string; readonly records: number }
    /** The same slice was there; nothing was asked of the link host. */
    | { readonly action: "exists"; readonly sha256: null; readonly records: null }
  )

interface SliceFigures {
  /** Size of the slice. */
  readonly bytes: number
  /** The regions as the header of the slice names them. */
  readonly regions: string
  /** Its checksum is that of an index that was written, null for one that was there. */
  readonly index: SliceIndex & { readonly sha256: string | null }
  /** Bytes that came from the link host, header and index included. */
  readonly fetched: number
  /** What is not as it should be in the source, though the slice was made. */
  readonly warnings: ReadonlyArray<string>
  /** Requests to link hosts. */
  readonly attempts: number
  readonly renewals: number
}

export const SliceEstimate = Schema.Struct({
  /** Bytes, header and index included. */
  bytes: Schema.Int,
  requests: Schema.Int,
  regions: Schema.String
})
/**
 * What a slice would fetch.
 *
 * @category models
 * @since 0.1.0
 */
export interface SliceEstimate extends Schema.Schema.Type<typeof SliceEstimate> {}
