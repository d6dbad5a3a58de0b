/**
 * BCF: variants in binary form, with CSI (VCF specification, section 6). Some services send it under the name of a VCF.gz. It is
 * called by its name, taken whole and proven block by block; records are not looked at.
 */
import * as Effect from "effect/Effect"
import { FileDamaged } from "../../Errors.ts"
import { prefixSteps } from "../bgzf/Blocks.ts"
import { largestHeader } from "./BamHeader.ts"
import * as FileNames from "./FileNames.ts"
import type { Format, FormatFile } from "./Format.ts"
import { linesOf } from "./HeaderLines.ts"
import { samplesOf } from "./VcfHeader.ts"

/** `BCF`, version 2, subversion 1 or 2. */
const magic = Uint8Array.of(0x42, 0x43, 0x46, 2)
/** Magic, subversion and length of the text. */
const before = 9

export const Bcf: Format = {
  ...FileNames.bcf,
  magic,
  open: Effect.fn("svc.genome.openBcf")(function* (file, reader) {
    const bad = (reason: string) => new FileDamaged({ file, fault: "BadHeader", reason })
    const inflate = prefixSteps(file, reader, largestHeader + 0x10000, "BadHeader")
    const prefix = yield* inflate(before)
    if (!magic.every((byte, i) => prefix.bytes[i] === byte)) {
      return yield* bad("it does not begin with the BCF signature")
    }
    if (prefix.bytes.length < before) return yield* bad("it ends inside its header")
    const end = before + new DataView(prefix.bytes.buffer, prefix.bytes.byteOffset).getUint32(5, true)
    if (end > largestHeader) return yield* bad(`its text claims ${end - before} bytes`)
    const { bytes } = yield* inflate(end)
    if (bytes.length < end)
      return yield* new FileDamaged({ file, fault: "Truncated", reason: "ends inside its header" })
    let samples: ReadonlyArray<string> | null = null
    for (const line of linesOf(bytes.subarray(before, end))) samples = samplesOf(line) ?? samples
    if (samples === null) return yield* bad("it has no #CHROM line")
    const opened: FormatFile = {
      references: null,
      samples: samples.length,
      header: null,
      regionsOf: () => null,
      judgeHeader: null,
      records: null,
      referenceAt: () => null,
      slicing: null,
      indexing: null
    }
    return opened
  })
}
