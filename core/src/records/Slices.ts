/** The bytes of a file, or of the slice of it, as a stream that is checked as it comes. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type { AnalysisId } from "../contract/Ids.ts"
import type { RegionOptions } from "../download/DownloadRequest.ts"
import { Downloads, type RecordsError } from "../download/Downloads.ts"
import type { OpenOptions } from "../download/OneFile.ts"
import { FileDamaged } from "../Errors.ts"
import type { FileType } from "../genome/formats/FileNames.ts"
import type { Records } from "../transfer/FileStreams.ts"

/**
 * Which file of an analysis, where it has several of the type (`SeveralFiles` names them); and which regions of it, the whole file
 * where none are given.
 *
 * @category options
 * @since 0.1.0
 */
export interface RecordsOptions extends RegionOptions, OpenOptions {}

/**
 * The same with the type of the file.
 *
 * @category options
 * @since 0.1.0
 */
export interface SliceOptions extends RecordsOptions {
  readonly filetype: FileType
}

/**
 * The files of analyses as streams of bytes.
 *
 * **Example** (A slice for another program)
 *
 * ```ts
 * import { Effect } from "effect"
 * import { Ids } from "svc-steps"
 * import { Slices } from "svc-steps/records"
 *
 * const slice = Effect.gen(function* () {
 *   const { bytes } = yield* Slices
 *   return bytes(Ids.AnalysisId.make("A1"), { filetype: "bam", range: "chr17" })
 * })
 * ```
 *
 * @category services
 * @since 0.1.0
 */
export class Slices extends Context.Service<
  Slices,
  {
    /**
     * A sound BAM or VCF.gz, or an index, byte for byte as `svc-download --stdout` writes it.
     *
     * Every block and record is checked before it comes. A stream that fails has no end-of-file block (BGZF), so that it is not taken for a
     * whole file. Fails with `InArchive` for a file that has to be restored first, and with `NotFound` for a region that it does not have.
     *
     * Nothing is asked before it is read.
     */
    readonly bytes: (analysisId: AnalysisId, options: SliceOptions) => Stream.Stream<Uint8Array, RecordsError>
    /**
     * The same once header and index are there: what is wrong until then fails here, so that a server can answer with a status. Damage
     * further on, and a link host that goes away, fail the stream.
     */
    readonly open: (
      analysisId: AnalysisId,
      options: SliceOptions
    ) => Effect.Effect<Stream.Stream<Uint8Array, RecordsError>, RecordsError>
  }
>()("svc-steps/core/records/Slices") {
  static readonly layer: Layer.Layer<Slices, never, Downloads> = Layer.effect(
    Slices,
    Effect.map(Downloads, (downloads) => {
      const open: Slices["Service"]["open"] = (analysisId, options) =>
        Effect.map(openFile(downloads, analysisId, options), ({ content }) => {
          // Parts of the file are lent until the next one comes.
          const opened = Stream.map(content.bytes, (part) => part.slice())
          let isRead = false
          return Stream.suspend(() => {
            // What is open is read once.
            if (isRead) return bytes(analysisId, options)
            isRead = true
            return opened
          })
        })
      const bytes: Slices["Service"]["bytes"] = (...which) => Stream.unwrap(open(...which))
      return Slices.of({ bytes, open })
    })
  )
}

const openFile = (
  downloads: Downloads["Service"],
  analysisId: AnalysisId,
  { file, filetype, ...regions }: SliceOptions
) => downloads.open({ ...regions, analysisIds: [analysisId], filetypes: [filetype] }, { file })

/** Opens a file for its records; fails with `FileDamaged` when it is of a format that has none, whatever its name. */
export const openRecords = Effect.fn("svc.records.openRecords")(function* (
  downloads: Downloads["Service"],
  analysisId: AnalysisId,
  options: SliceOptions
): Effect.fn.Return<Records & { readonly fileName: string }, RecordsError> {
  const {
    content: { records },
    file: { fileName }
  } = yield* openFile(downloads, analysisId, options)
  if (records !== null) return { fileName, ...records }
  const reason = "its content is of another format than its name says, and the records of that are not read"
  return yield* new FileDamaged({ file: fileName, fault: "BadHeader", reason })
})

/**
 * The records of a content whose parts end anywhere.
 *
 * @param cut - gives the whole records at the start of `bytes`, which begin their buffer, and where the last of them ends. In the first
 *   `known` bytes none ends: with a long record they are most of the bytes, part after part.
 */
export const cutRecords = <A, E>(
  content: Stream.Stream<Uint8Array, E>,
  cut: (bytes: Uint8Array<ArrayBuffer>, known: number) => readonly [end: number, records: ReadonlyArray<A>]
): Stream.Stream<A, E> =>
  Stream.mapAccum(
    content,
    () => ({ buffer: new Uint8Array(0), known: 0 }),
    ({ buffer, known }, part) => {
      const length = known + part.length
      let larger = buffer
      if (length > buffer.length) {
        // So a long record is copied a few times, and not once for each of its parts.
        larger = new Uint8Array(Math.max(length, 2 * buffer.length))
        larger.set(buffer)
      }
      larger.set(part, known)
      const bytes = larger.subarray(0, length)
      const [end, records] = cut(bytes, known)
      return [
        end === 0 ? { buffer: larger, known: length } : { buffer: bytes.slice(end), known: length - end },
        records
      ]
    }
  )

/** Lines of a header as one text. */
export const textOfLines = (lines: ReadonlyArray<string>): string => lines.map((line) => `${line}\n`).join("")
