/** The formats that are known, and how to find the one of a file. */
import * as Effect from "effect/Effect"
import type { FileDamaged } from "../../Errors.ts"
import type { ByteReader } from "../ByteReader.ts"
import type { Codec } from "../bgzf/Codec.ts"
import { Bam } from "./Bam.ts"
import type { DataType } from "./FileNames.ts"
import type { Format, FormatFile } from "./Format.ts"
import { Vcf } from "./Vcf.ts"

export const formats: ReadonlyArray<Format> = [Bam, Vcf]

/** A file whose format was found. */
export interface Opened extends FormatFile {
  readonly format: Format
}

/** Opens a file by its suffix. */
export const openFormat = Effect.fn("svc.genome.openFormat")(function* <E>(
  file: string,
  reader: ByteReader<E>,
  type: DataType
): Effect.fn.Return<Opened, FileDamaged | E, Codec> {
  const format = formats.find(({ suffix }) => suffix === type) ?? Bam
  return { ...(yield* format.open(file, reader)), format }
})
