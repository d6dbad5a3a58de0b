/**
 * A data file with the index that leads to its regions. Where several lie beside it, a CSI comes first, as with htslib. One that does not
 * fit the file, being older or of another one, is passed over for the next, which htslib does not do: it would read wrong places.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { FileDamaged } from "../Errors.ts"
import type { ByteReader } from "./ByteReader.ts"
import { eofBlock } from "./bgzf/Bgzf.ts"
import type { Codec } from "./bgzf/Codec.ts"
import type { DataType } from "./formats/FileNames.ts"
import type { PlainHeader, Slicing } from "./formats/Format.ts"
import { type Opened, openFormat } from "./formats/Formats.ts"
import type { TabixIndex } from "./index/TabixIndex.ts"
import {
  blamedOnEnd,
  checkLastEnd,
  compareWith,
  type DataFile,
  hasEnd,
  lastEndRange,
  mismatch,
  readIndex
} from "./Structure.ts"

/** An index of a file; `open` is run only where it is needed. */
export interface IndexFile<E> {
  readonly name: string
  readonly open: Effect.Effect<ByteReader<E>, E>
}

/** A file and the indexes beside it, at least one, the best first. */
export interface IndexedSource<E> extends DataFile<E> {
  readonly indexes: readonly [IndexFile<E>, ...ReadonlyArray<IndexFile<E>>]
}

/** The index of a file that has one, which is open already. */
export const soleIndex = <E>(name: string, reader: ByteReader<E>): readonly [IndexFile<E>] => [
  { name, open: Effect.succeed(reader) }
]

/** An index, and how regions are cut out of its file by it. */
interface Fitting {
  readonly indexName: string
  readonly tabix: TabixIndex
  readonly slicing: Slicing
  /** Whether data and index are known to end together. */
  readonly proven: boolean
}

/** A file whose header and index were read. */
export interface IndexedFile<E> extends Omit<Fitting, "proven"> {
  readonly file: Opened
  readonly header: PlainHeader
  /** False where none of several indexes fits: one that is repaired may. */
  readonly fits: boolean
  /** Which indexes were passed over, and why. */
  readonly warnings: ReadonlyArray<string>
  /** Where the data of the file ends (bytes), and whether the end-of-file block follows. */
  readonly dataEnd: number
  readonly hasEnd: boolean
  /**
   * Fails where the data and the index do not end together: a block of the file is then missing or too much. Where none of several
   * indexes fits, it says so of all.
   */
  readonly checkLastEnd: Effect.Effect<void, FileDamaged | E, Codec>
  /** What that reads; null for nothing. */
  readonly lastEnd: ReturnType<typeof lastEndRange>
}

/**
 * Reads the header of `source` and the first of its indexes that fits. Fails with `FileDamaged` when
 * no index has the references of the file: it then names each. What else is wrong with a single one, or with all of several, shows when
 * records are wanted: the header can be had without them.
 */
export const openIndexed = Effect.fn("svc.genome.openIndexed")(function* <E>(
  source: IndexedSource<E>,
  type: DataType
): Effect.fn.Return<IndexedFile<E>, FileDamaged | E, Codec> {
  const { indexes, name, reader } = source
  const read = (index: IndexFile<E>) => Effect.flatMap(index.open, (bytes) => readIndex(index.name, bytes))
  const [file, first, ended] = yield* Effect.all(
    [openFormat(name, reader, type), Effect.result(read(indexes[0])), hasEnd(reader)],
    { concurrency: 3 }
  )
  const { header, slicing: slicingBy } = file
  const known = { file, header, hasEnd: ended, dataEnd: reader.size - (ended ? eofBlock.length : 0) }
  /** With the references of the file, whether they fit its data or not. */
  const possible: Array<Omit<Fitting, "proven">> = []
  const fitting = Effect.fnUntraced(function* (index: IndexFile<E>) {
    const tabix = yield* index === indexes[0] ? Effect.fromResult(first) : read(index)
    const slicing = yield* Effect.fromResult(
      Result.mapError(slicingBy(tabix), (reason) => mismatch(index.name, name, reason))
    )
    const fits = { indexName: index.name, tabix, slicing }
    possible.push(fits)
    // That costs a few blocks, and is worth them where there is a choice.
    const proven = indexes.length > 1 && (yield* compareSamples(index.name, tabix, source, file))
    return { ...fits, proven }
  })
  const passed: Array<FileDamaged> = []
  for (const index of indexes) {
    const found: Result.Result<Fitting, FileDamaged | E> = yield* Effect.result(fitting(index))
    if (Result.isSuccess(found)) {
      const warnings = passed.map((error) => `${error.message}: ${index.name} is taken in its place`)
      const { proven, ...fits } = found.success
      const { indexName, tabix } = fits
      const records = file.referenceAt(tabix)
      const referenceAt = proven || Result.isFailure(records) ? null : records.success
      return {
        ...{ ...known, ...fits, fits: true, warnings },
        lastEnd: referenceAt === null ? null : lastEndRange(tabix.index, reader.size, referenceAt),
        checkLastEnd:
          referenceAt === null
            ? Effect.void
            : Effect.mapError(checkLastEnd(indexName, tabix.index, source, referenceAt), (error) =>
                ended ? error : blamedOnEnd(name, error)
              )
      }
    }
    const error = found.failure
    if (!(error instanceof FileDamaged) || error.file !== index.name) return yield* Effect.fail(error)
    passed.push(error)
  }
  const [best, ...others] = passed
  const reasons = [best!.reason, ...others.map(({ message }) => message)]
  const error = new FileDamaged({ ...best!, reason: reasons.join("; ") })
  const [taken] = possible
  if (taken === undefined) return yield* error
  const own = passed.find((one) => one.file === taken.indexName) ?? error
  const misfit = ended ? error : blamedOnEnd(name, own)
  return { ...known, ...taken, fits: false, warnings: [], lastEnd: null, checkLastEnd: Effect.fail(misfit) }
})

/** False for damage of the file itself, which decides nothing between its indexes, and may lie where no region is. */
const compareSamples = <E>(indexName: string, tabix: TabixIndex, data: DataFile<E>, file: Opened) =>
  Effect.catchIf(
    Effect.as(compareWith(indexName, tabix, data, file), true),
    (error): error is FileDamaged & (FileDamaged | E) => error instanceof FileDamaged && error.file !== indexName,
    () => Effect.succeed(false)
  )
