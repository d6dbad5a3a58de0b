/** What stands under the final names of a slice, and what that means. */
import { CannotCreate } from "../Errors.ts"

/** What stands under the name of a slice. */
export type SliceState =
  | { readonly _tag: "Absent" }
  /** A whole slice of the same regions, with its index. */
  | { readonly _tag: "Same"; readonly bytes: number; readonly regions: string }
  /** A slice without a sound index or end, as a crash can leave it; `regions` as its header says. */
  | { readonly _tag: "Incomplete"; readonly regions: string }
  | { readonly _tag: "Other"; readonly error: CannotCreate }

/** Names the maker in the headers of slices, which is how they are known again. */
export const maker = "svc-download"

/** The refusal of a file that is not the wanted slice; `regions` as its header says, null when it is no slice of ours. */
export const otherRegions = (path: string, regions: string | null): CannotCreate =>
  new CannotCreate({
    path,
    reason: `${
      regions === null ? "a file that we did not cut is there" : `it is there with other regions (${shorten(regions)})`
    }: give --overwrite to replace it, or another --destination`
  })

const shorten = (regions: string) => (regions.length > 100 ? `${regions.slice(0, 100)}...` : regions)
