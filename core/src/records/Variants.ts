/** The variants of analyses: the header of a VCF, and its records one after another. */
import VcfParser, { type Variant as View } from "@gmod/vcf"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type { AnalysisId } from "../contract/Ids.ts"
import { Downloads, type RecordsError } from "../download/Downloads.ts"
import type { OpenOptions } from "../download/OneFile.ts"
import { FileDamaged } from "../Errors.ts"
import { decodeLines, lineFeed } from "../genome/Ascii.ts"
import { decodeVcfHeader, unquoted, type VcfHeader } from "../genome/formats/VcfHeader.ts"
import { decodeName } from "../genome/ReferenceName.ts"
import type { Records } from "../transfer/FileStreams.ts"
import { cutRecords, openRecords, type RecordsOptions, textOfLines } from "./Slices.ts"

// An interface, and no alias: declarations of others name a type by where it is declared, and with pnpm only this package may import that one.
/**
 * A record of a VCF, seen through the view of @gmod/vcf: the columns as fields, `GENOTYPES()` and `SAMPLES()` when they are asked for.
 *
 * @category models
 * @since 0.1.0
 */
export interface Variant extends View {}

/**
 * A reference that the header names.
 *
 * @category models
 * @since 0.1.0
 */
export interface Contig {
  readonly name: string
  /** Bases; null where the header does not say. */
  readonly length: number | null
}

/**
 * What the header of a VCF says.
 *
 * @category models
 * @since 0.1.0
 */
export interface VariantsHeader {
  /** In the order of the columns. */
  readonly samples: ReadonlyArray<string>
  readonly contigs: ReadonlyArray<Contig>
  /** The structured lines by their key and ID, such as `INFO` and `DP`, those that the format reserves among them; others by their key. */
  readonly metadata: Readonly<Record<string, unknown>>
  /** All lines, each with its line feed. */
  readonly text: string
}

/**
 * The variants of analyses, out of their VCF files.
 *
 * **Example** (The positions of a region that have a variant)
 *
 * ```ts
 * import { Effect, Stream } from "effect"
 * import { Ids } from "svc-steps"
 * import { Variants } from "svc-steps/records"
 *
 * const positions = Effect.gen(function* () {
 *   const { stream } = yield* Variants
 *   const variants = stream(Ids.AnalysisId.make("A1"), { range: "chr17:43044295-43125364" })
 *   return yield* Stream.runCollect(Stream.map(variants, ({ POS }) => POS))
 * })
 * ```
 *
 * @category services
 * @since 0.1.0
 */
export class Variants extends Context.Service<
  Variants,
  {
    /** Of the VCF of an analysis; nothing else of the file is fetched. */
    readonly header: (analysisId: AnalysisId, which?: OpenOptions) => Effect.Effect<VariantsHeader, RecordsError>
    /**
     * The variants that overlap the regions, each once, in the order of the file; all of the file where none are given. Exactly those of the
     * slice that `Downloads` would write, checked in the same way. `POS` is 1-based, as in the file.
     */
    readonly stream: (analysisId: AnalysisId, options?: RecordsOptions) => Stream.Stream<Variant, RecordsError>
  }
>()("svc-steps/core/records/Variants") {
  static readonly layer: Layer.Layer<Variants, never, Downloads> = Layer.effect(
    Variants,
    Effect.map(Downloads, (downloads) =>
      Variants.of({
        header: Effect.fn("svc.records.header")((analysisId, { file } = {}) =>
          Effect.map(openVcf(downloads, analysisId, { file }), headerOf)
        ),
        stream: (analysisId, options = {}) =>
          Stream.unwrap(
            Effect.map(openVcf(downloads, analysisId, options), (vcf) => {
              const parser = parserOf(vcf)
              return Stream.map(linesIn(vcf.content), (line) => parser.parseLine(line))
            })
          )
      })
    )
  )
}

interface OpenVcf {
  readonly header: VcfHeader
  readonly lines: ReadonlyArray<string>
  readonly content: Records["content"]
}

const openVcf = Effect.fnUntraced(function* (
  downloads: Downloads["Service"],
  analysisId: AnalysisId,
  options: RecordsOptions
): Effect.fn.Return<OpenVcf, RecordsError> {
  const { content, fileName, header } = yield* openRecords(downloads, analysisId, { ...options, filetype: "vcf.gz" })
  const decoded = decodeVcfHeader(header())
  if (decoded !== null) return { header: decoded, lines: decodeLines(decoded.text), content }
  return yield* new FileDamaged({ file: fileName, fault: "BadHeader", reason: "its header is none of a VCF" })
})

const headerOf = (vcf: OpenVcf): VariantsHeader => ({
  samples: vcf.header.samples,
  contigs: vcf.header.contigs,
  metadata: parserOf(vcf).getMetadata(),
  text: textOfLines(vcf.lines)
})

const columns = "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO"

/** The key of a line that the parser reads; undefined for what is none. */
const keyOf = (line: string): string | undefined => /^##(.+?)=/.exec(line)?.[1]

/** Whether the parser finds an ID in a line; one without takes the place of all lines of its key, and their types with them. */
const hasId = (line: string): boolean => /^##[^=]+=<(?:.*,)?\s*ID=/.test(unquoted(line))

/** Keys of which the format reserves some IDs. */
const withReserved = ["INFO", "FORMAT", "ALT", "FILTER"]

/**
 * What the parser is given is what it can read: where it throws, the rest of this product reads on. It writes what a line names into objects
 * that have a prototype, and `##__proto__=<ID=...>` into that of all objects of the process.
 */
const parserOf = ({ header, lines }: OpenVcf): VcfParser => {
  const withIds = new Set([...withReserved, ...lines.filter(hasId).map(keyOf)])
  const read = lines.filter((line) => {
    const key = keyOf(line)
    return key !== undefined && !line.includes("__proto__") && (!withIds.has(key) || hasId(line))
  })
  const parser = new VcfParser({ header: [...read, columns].join("\n").replaceAll("\r", " "), strict: false })
  parser.samples = [...header.samples]
  return parser
}

/** The records in the content of a VCF after its header, without their line feeds. A file may end without one. */
const linesIn = <E>(content: Stream.Stream<Uint8Array, E>): Stream.Stream<string, E> =>
  cutRecords(Stream.concat(content, Stream.succeed(Uint8Array.of(lineFeed))), (bytes, known) => {
    const lines: Array<string> = []
    let at = 0
    for (let end = bytes.indexOf(lineFeed, known); end !== -1; end = bytes.indexOf(lineFeed, at)) {
      lines.push(decodeName(bytes.subarray(at, end)))
      at = end + 1
    }
    return [at, lines.filter(isRecord)]
  })

/** No comment and no blank line. */
const isRecord = (line: string): boolean => line !== "" && line !== "\r" && !line.startsWith("#")
