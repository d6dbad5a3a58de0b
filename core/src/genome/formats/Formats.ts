/** The formats that are known, and how to find the one of a file. */
import * as Effect from "effect/Effect"
import type { FileDamaged } from "../../Errors.ts"
import type { ByteReader } from "../ByteReader.ts"
import { prefixSteps } from "../bgzf/Blocks.ts"
import type { Codec } from "../bgzf/Codec.ts"
import { Bam } from "./Bam.ts"
import { Bcf } from "./Bcf.ts"
import type { DataType } from "./FileNames.ts"
import type { Format, FormatFile } from "./Format.ts"
import { Vcf } from "./Vcf.ts"

export const formats: ReadonlyArray<Format> = [Bam, Vcf, Bcf]

/** A file whose format was found. */
export interface Opened extends FormatFile {
  readonly format: Format
}

/** Opens a file by its suffix, or as another format that comes under that suffix when it begins like one. */
export const openFormat = Effect.fn("svc.genome.openFormat")(function* <E>(
  file: string,
  reader: ByteReader<E>,
  type: DataType
): Effect.fn.Return<Opened, FileDamaged | E, Codec> {
  const possible = formats.filter(({ alsoUnder, suffix }) => suffix === type || alsoUnder.includes(type))
  const named = possible.find(({ suffix }) => suffix === type) ?? Bam
  const { bytes } = yield* prefixSteps(file, reader, 0x10000, "BadHeader")(1)
  const format = possible.find(({ magic }) => magic.every((byte, i) => bytes[i] === byte)) ?? named
  return { ...(yield* format.open(file, reader)), format }
})
