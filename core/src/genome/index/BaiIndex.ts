/** BAI, the index of a BAM file (SAM specification, section 5.2). */
import * as Result from "effect/Result"
import { FileDamaged } from "../../Errors.ts"
import { type BinIndex, parseBins } from "./BinIndex.ts"
import { usualDepth, usualShift } from "./Bins.ts"

export const magic: Uint8Array = Uint8Array.of(0x42, 0x41, 0x49, 1)

/** Parses a whole `.bai`. Fails with `FileDamaged` `BadIndex`. */
export const parseBai = (file: string, bytes: Uint8Array): Result.Result<BinIndex, FileDamaged> => {
  if (bytes.length < 8 || magic.some((byte, i) => bytes[i] !== byte)) {
    return Result.fail(
      new FileDamaged({ file, fault: "BadIndex", reason: "not a BAI index: its first bytes are of another format" })
    )
  }
  const references = new DataView(bytes.buffer, bytes.byteOffset).getUint32(4, true)
  return Result.mapError(
    parseBins(bytes, 8, "BAI", usualShift, usualDepth, references),
    (reason) => new FileDamaged({ file, fault: "BadIndex", reason: `damaged BAI index: ${reason}` })
  )
}
