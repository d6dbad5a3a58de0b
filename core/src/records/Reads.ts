/** The reads of analyses: the header of a BAM, and its records one after another. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type { AnalysisId } from "../contract/Ids.ts"
import { Downloads, type RecordsError } from "../download/Downloads.ts"
import type { OpenOptions } from "../download/OneFile.ts"
import { FileDamaged } from "../Errors.ts"
import { decodeLines } from "../genome/Ascii.ts"
import { type BamHeader, decodeBamHeader } from "../genome/formats/BamHeader.ts"
import { recordSize } from "../genome/formats/BamRecord.ts"
import { BamRecord } from "./BamRecord.ts"
import { cutRecords, openRecords, type RecordsOptions, textOfLines } from "./Slices.ts"

/**
 * The fields of a line of the header, such as `LN` and `SN`.
 *
 * @category models
 * @since 0.1.0
 */
export type HeaderFields = Readonly<Record<string, string>>

/**
 * A reference; its place in the list is the `ref_id` of its reads.
 *
 * @category models
 * @since 0.1.0
 */
export interface ReferenceSequence {
  readonly name: string
  /** Bases. */
  readonly length: number
  /** Of its `@SQ` line; none where there is no such line. */
  readonly fields: HeaderFields
}

/**
 * A read group (`@RG`), which the tag `RG` of a read names.
 *
 * @category models
 * @since 0.1.0
 */
export interface ReadGroup {
  readonly id: string
  readonly sample: string | null
  readonly library: string | null
  readonly platform: string | null
  readonly fields: HeaderFields
}

/**
 * A program that worked on the file (`@PG`).
 *
 * @category models
 * @since 0.1.0
 */
export interface Program {
  readonly id: string
  readonly name: string | null
  readonly version: string | null
  readonly command: string | null
  /** The `id` of the program before it. */
  readonly previous: string | null
  readonly fields: HeaderFields
}

/**
 * What the header of a BAM says.
 *
 * @category models
 * @since 0.1.0
 */
export interface ReadsHeader {
  readonly references: ReadonlyArray<ReferenceSequence>
  readonly readGroups: ReadonlyArray<ReadGroup>
  readonly programs: ReadonlyArray<Program>
  /** Such as `coordinate`; null where the header does not say. */
  readonly sortOrder: string | null
  /** All lines, each with its line feed. */
  readonly text: string
}

/**
 * The reads of analyses, out of their BAM files.
 *
 * **Example** (How many reads of a region are duplicates)
 *
 * ```ts
 * import { Effect, Stream } from "effect"
 * import { Ids } from "svc-steps"
 * import { Reads } from "svc-steps/records"
 *
 * const duplicates = Effect.gen(function* () {
 *   const { stream } = yield* Reads
 *   const reads = stream(Ids.AnalysisId.make("A1"), { range: "chr17:43044295-43125364" })
 *   return yield* reads.pipe(
 *     Stream.filter(({ flags }) => (flags & 0x400) !== 0),
 *     Stream.runCount
 *   )
 * })
 * ```
 *
 * @category services
 * @since 0.1.0
 */
export class Reads extends Context.Service<
  Reads,
  {
    /** Of the BAM of an analysis; nothing else of the file is fetched. */
    readonly header: (analysisId: AnalysisId, which?: OpenOptions) => Effect.Effect<ReadsHeader, RecordsError>
    /**
     * The reads that overlap the regions, each once, in the order of the file; all of the file where none are given. Exactly those of the slice
     * that `Downloads` would write, checked in the same way.
     *
     * A record is a view of the memory in which it came, together with some hundred others: keep what you need of it, not thousands of them.
     */
    readonly stream: (analysisId: AnalysisId, options?: RecordsOptions) => Stream.Stream<BamRecord, RecordsError>
  }
>()("svc-steps/core/records/Reads") {
  static readonly layer: Layer.Layer<Reads, never, Downloads> = Layer.effect(
    Reads,
    Effect.map(Downloads, (downloads) =>
      Reads.of({
        header: Effect.fn("svc.records.header")(function* (analysisId, { file } = {}) {
          const { fileName, header } = yield* openRecords(downloads, analysisId, { file, filetype: "bam" })
          const decoded = decodeBamHeader(header())
          if (decoded !== null) return headerOf(decoded)
          return yield* new FileDamaged({ file: fileName, fault: "BadHeader", reason: "its header is none of a BAM" })
        }),
        stream: (analysisId, options = {}) =>
          Stream.unwrap(
            Effect.map(openRecords(downloads, analysisId, { ...options, filetype: "bam" }), ({ content }) =>
              readsIn(content)
            )
          )
      })
    )
  )
}

/** The reads in the content of a BAM after its header. */
const readsIn = <E>(content: Stream.Stream<Uint8Array, E>): Stream.Stream<BamRecord, E> => {
  let number = 0
  return cutRecords(content, (bytes) => {
    const view = new DataView(bytes.buffer)
    const records: Array<BamRecord> = []
    let at = 0
    while (at + 4 <= bytes.length) {
      const end = at + recordSize(view, at)
      if (end > bytes.length) break
      records.push(new BamRecord(bytes, at, end, number++))
      at = end
    }
    return [at, records]
  })
}

const headerOf = ({ references, text: encoded }: BamHeader): ReadsHeader => {
  const lines = decodeLines(encoded)
  const ofType = (type: string) => lines.flatMap((line) => (line.startsWith(`${type}\t`) ? [fieldsOf(line)] : []))
  const sequences = new Map(ofType("@SQ").map((fields) => [fields["SN"], fields]))
  return {
    references: references.map(({ length, name }) => ({ name, length, fields: sequences.get(name) ?? {} })),
    readGroups: ofType("@RG").map((fields) => ({
      ...{ id: fields["ID"] ?? "", sample: fields["SM"] ?? null, library: fields["LB"] ?? null },
      ...{ platform: fields["PL"] ?? null, fields }
    })),
    programs: ofType("@PG").map((fields) => ({
      ...{ id: fields["ID"] ?? "", name: fields["PN"] ?? null, version: fields["VN"] ?? null },
      ...{ command: fields["CL"] ?? null, previous: fields["PP"] ?? null, fields }
    })),
    sortOrder: ofType("@HD")[0]?.["SO"] ?? null,
    text: textOfLines(lines)
  }
}

/** `KEY:VALUE` after the type of a line. */
const fieldsOf = (line: string): HeaderFields =>
  Object.fromEntries(
    line
      .split("\t")
      .slice(1)
      .map((field) => [field.slice(0, 2), field.slice(3)])
  )
