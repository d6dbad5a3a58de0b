/** BED files in memory, read at once. */
import { Effect, Logger, type Result } from "effect"
import type { UsageError } from "../../core/src/Errors.ts"
import { fromBytes } from "../../core/src/genome/ByteReader.ts"
import { readBed } from "../../core/src/genome/regions/BedFile.ts"
import type { RegionText } from "../../core/src/genome/regions/RegionText.ts"
import * as ZlibCodec from "../../platform/inflate/ZlibCodec.ts"

export const regionsOfBed = (
  file: string,
  content: string | Uint8Array
): Result.Result<ReadonlyArray<RegionText>, UsageError> => {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content
  return Effect.runSync(
    Effect.result(readBed(file, fromBytes(bytes))).pipe(Effect.provide([ZlibCodec.layer, Logger.layer([])]))
  )
}
