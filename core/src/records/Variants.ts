/** The variants of analyses: the header of a VCF, and its records one after another. */
import VcfParser, { type Variant as View } from "@gmod/vcf"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type { AnalysisId } from "../contract/Ids.ts"
import type { RegionOptions } from "../download/DownloadOptions.ts"
import { Downloads } from "../download/Downloads.ts"
import { FileDamaged } from "../Errors.ts"
import { decodeName } from "../genome/ReferenceName.ts"
import type { Records } from "../transfer/FileStreams.ts"
import { type Cut, joined, openRecords, type RecordsError } from "./Slices.ts"

/**
 * A record of a VCF, seen through the view of @gmod/vcf: the columns as fields, `GENOTYPES()` and `SAMPLES()` when they are asked for.
 *
 * @category models
 * @since 0.1.0
 */
export type Variant = View

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
  /** All lines, as they stand in the file. */
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
    readonly header: (analysisId: AnalysisId) => Effect.Effect<VariantsHeader, RecordsError>
    /**
     * The variants that overlap the regions, each once, in the order of the file; all of the file where none are given. Exactly those of the
     * slice that `Downloads` would write, checked in the same way. `POS` is 1-based, as in the file.
     */
    readonly stream: (analysisId: AnalysisId, regions?: RegionOptions) => Stream.Stream<Variant, RecordsError>
  }
>()("svc-steps/core/records/Variants") {
  static readonly layer: Layer.Layer<Variants, never, Downloads> = Layer.effect(
    Variants,
    Effect.map(Downloads, (downloads) =>
      Variants.of({
        header: Effect.fn("svc.records.header")((analysisId) =>
          Effect.map(openParsed(downloads, analysisId, {}), ({ header }) => header)
        ),
        stream: (analysisId, regions = {}) =>
          Stream.unwrap(
            Effect.map(openParsed(downloads, analysisId, regions), ({ content, parser }) =>
              Stream.map(linesIn(content), (line) => parser.parseLine(line))
            )
          )
      })
    )
  )
}

const openParsed = Effect.fnUntraced(function* (
  downloads: Downloads["Service"],
  analysisId: AnalysisId,
  regions: RegionOptions
) {
  const opened = yield* openRecords(downloads, analysisId, { ...regions, filetype: "vcf.gz" })
  const text = decodeName(opened.header())
  const parser = yield* parserOf(opened, text)
  return { content: opened.content, parser, header: headerOf(parser, text) }
})

/** Lines that are no `##KEY=VALUE` say nothing that bcftools or the parser reads. */
const parserOf = ({ fileName }: Records & { readonly fileName: string }, text: string) =>
  Effect.try({
    try: () => {
      const lines = text.split("\n").filter((line) => !line.startsWith("##") || /^##.+?=/.test(line))
      return new VcfParser({ header: lines.join("\n"), strict: false })
    },
    catch: (error) => {
      const reason = error instanceof Error ? error.message : String(error)
      return new FileDamaged({ file: fileName, fault: "BadHeader", reason })
    }
  })

const headerOf = (parser: VcfParser, text: string): VariantsHeader => {
  const metadata = parser.getMetadata()
  const contigs = metadata["contig"]
  return {
    samples: parser.samples,
    contigs:
      typeof contigs === "object"
        ? Object.entries(contigs).map(([name, fields]) => ({ name, length: lengthIn(fields) }))
        : [],
    metadata,
    text
  }
}

const lengthIn = (fields: unknown): number | null => {
  if (typeof fields !== "object" || fields === null || !("length" in fields)) return null
  const length = Number(fields.length)
  return Number.isSafeInteger(length) ? length : null
}

const lineFeed = 0x0a

/** The records in the content of a VCF after its header, without their line feeds. */
const linesIn = <E>(content: Stream.Stream<Uint8Array, E>): Stream.Stream<string, E> => {
  const cut = (rest: Uint8Array, part: Uint8Array): Cut<string> => {
    const bytes = joined(rest, part)
    const lines: Array<string> = []
    let at = 0
    for (let end = bytes.indexOf(lineFeed); end !== -1; end = bytes.indexOf(lineFeed, at)) {
      lines.push(decodeName(bytes.subarray(at, end)))
      at = end + 1
    }
    return [bytes.slice(at), lines.filter(isRecord)]
  }
  // A file may end without a line feed.
  const last = (rest: Uint8Array) => [decodeName(rest)].filter(isRecord)
  return Stream.mapAccum(content, () => new Uint8Array(0), cut, { onHalt: last })
}

/** No comment and no blank line. */
const isRecord = (line: string): boolean => line !== "" && line !== "\r" && !line.startsWith("#")
