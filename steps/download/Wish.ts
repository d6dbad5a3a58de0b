/** The regions that the settings ask for: their form is checked, and a BED file read, before anybody logs in. */
import { Effect, FileSystem, type PlatformError, Result } from "effect"
import { readerOf } from "../../core/src/download/LocalFile.ts"
import { errnoOf, LocalIo, NotFound, UsageError } from "../../core/src/Errors.ts"
import { readBed } from "../../core/src/genome/BedFile.ts"
import { dataTypes, isDataType } from "../../core/src/genome/formats/FileNames.ts"
import { parseRange } from "../../core/src/genome/RegionText.ts"
import type { LocalSettings, TargetSettings } from "../../core/src/settings/Settings.ts"
import { printable } from "../../core/src/text/Printable.ts"
import type { SliceWish } from "../../core/src/transfer/SliceRequest.ts"
import * as ZlibCodec from "../../platform/ZlibCodec.ts"

/** The settings of a run with its regions. */
export interface DownloadSettings extends TargetSettings {
  /** Null when whole files are wanted. */
  readonly wish: SliceWish | null
}

type Given = Pick<LocalSettings, "range" | "bed" | "unmapped">

/** Whether parts of files are wanted instead of whole files. */
export const slices = ({ bed, range, unmapped }: Given): boolean => range !== null || bed !== null || unmapped

/** What is wrong with the regions as far as the settings alone tell, one sentence each. */
export const wishProblems = (settings: Given & Pick<LocalSettings, "filetypes" | "links">): ReadonlyArray<string> => {
  if (!slices(settings)) return []
  const problems: Array<string> = []
  if (settings.range !== null) {
    const parsed = parseRange(settings.range)
    if (Result.isFailure(parsed)) problems.push(parsed.failure.message)
  }
  if (!settings.filetypes.some(isDataType)) {
    problems.push(
      `Regions are cut out of ${dataTypes.join(" and ")} files: add one of them to --filetypes; the index of a slice comes with it`
    )
  }
  if (settings.links) problems.push("--links gives links of whole files: leave out --range, --bed and --unmapped")
  return problems
}

/** Null when whole files are wanted. Fails with `UsageError` for a BED file that cannot be read as one. */
export const readWish = Effect.fn("download.wish")(function* (
  settings: Given
): Effect.fn.Return<SliceWish | null, UsageError | NotFound | LocalIo, FileSystem.FileSystem> {
  if (!slices(settings)) return null
  const { bed, range, unmapped } = settings
  const wanted =
    bed !== null ? yield* regionsOf(bed) : range !== null ? yield* Effect.fromResult(parseRange(range)) : []
  return { wanted, unmapped }
})

const regionsOf = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const shown = printable(path)
  const failed = (error: PlatformError.PlatformError) =>
    errnoOf(error) === "ENOENT" ? new NotFound({ what: `BED file ${shown}` }) : LocalIo.of("read", shown)(error)
  const info = yield* Effect.mapError(fs.stat(path), failed)
  // A pipe without a writer would wait for ever, and is empty when a stored request is resumed.
  if (info.type !== "File") {
    return yield* new UsageError({ message: `Invalid BED file: ${shown}: it is not a plain file` })
  }
  return yield* Effect.flatMap(readerOf(path, Number(info.size)), (reader) => readBed(shown, reader)).pipe(
    Effect.catchTag("LocalIo", ({ errno, operation }) => new LocalIo({ path: shown, operation, errno })),
    Effect.scoped,
    Effect.provide(ZlibCodec.layer)
  )
})
