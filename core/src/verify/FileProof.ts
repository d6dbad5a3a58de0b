/**
 * Proves a data file while its bytes arrive: every block, every record and, with an index, that the index leads to all of them.
 * The readers may wait for bytes that are still on their way; each byte is asked for once, from the first to the last, after the
 * header. The index of a file that came without one is made in the same way.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { FileDamaged } from "../Errors.ts"
import type { ByteReader } from "../genome/ByteReader.ts"
import { Codec } from "../genome/bgzf/Codec.ts"
import type { RecordCounts, RecordListener } from "../genome/bgzf/ContentCheck.ts"
import { kindOfName } from "../genome/formats/FileNames.ts"
import { type Opened, openFormat } from "../genome/formats/Formats.ts"
import * as IndexBuilder from "../genome/index/IndexBuilder.ts"
import { mismatch, readIndex } from "../genome/Structure.ts"
import * as IndexProof from "./IndexProof.ts"
import { type Damage, isDamage, type WalkFacts, walkWhole } from "./WholeWalk.ts"

export interface ProvenFile<E> {
  readonly name: string
  readonly reader: ByteReader<E>
}

/** What a whole data file is made of. */
export interface ProvenContent extends WalkFacts {
  readonly counts: RecordCounts
}

/** Proves every block of a file and every record, which `listeners` hear of. */
export const proveContent = Effect.fnUntraced(function* <E>(
  file: string,
  reader: ByteReader<E>,
  { records }: Opened,
  listeners: ReadonlyArray<RecordListener>,
  progress: (bytes: number) => Effect.Effect<void>
): Effect.fn.Return<ProvenContent, Damage | FileDamaged | E, Codec> {
  const check = records(listeners)
  const walked = yield* walkWhole(file, reader, check, progress)
  return { ...walked, counts: check.counts() }
})

/**
 * Proves `data`, and `index` with it where it is one of that file. Fails with `FileDamaged`, which names the file that is wrong.
 * Files of other kinds are proven by nothing: null.
 */
export const proveFile = Effect.fn("svc.verify.proveFile")(function* <E, E2 = never>(
  data: ProvenFile<E>,
  index: ProvenFile<E2> | null
): Effect.fn.Return<{ readonly records: number } | null, FileDamaged | E | E2, Codec> {
  const { name, reader } = data
  const found = kindOfName(name)
  if (found === null || found.index !== null) return null
  const isNamed = index !== null && (kindOfName(index.name)?.index ?? null) !== null
  const parsed = isNamed ? yield* readIndex(index.name, index.reader) : null
  const opened = yield* openFormat(name, reader, found.type)
  const walk = (listeners: ReadonlyArray<RecordListener>) =>
    Effect.catchIf(
      proveContent(name, reader, opened, listeners, () => Effect.void),
      isDamage,
      ({ error }) => error
    )
  if (index === null || parsed === null) return { records: (yield* walk([])).counts.records }
  const fits = opened.referenceAt(parsed)
  if (Result.isFailure(fits)) return yield* mismatch(index.name, name, fits.failure)
  const proof = IndexProof.make(parsed)
  const { counts } = yield* walk([proof])
  yield* IndexProof.compareRecords(index.name, parsed, name, counts, proof.fault())
  return { records: counts.records }
})

/** Passes records on to the builder; what lies behind its last bin is kept in `beyond`, as `chr1:5`. */
const listenerOf = (builder: IndexBuilder.IndexBuilder) => {
  const names: Array<string> = []
  const found = { beyond: null as string | null }
  let reference = 0
  const listener: RecordListener = {
    enter: (number, name) => {
      reference = number
      names[number] = name
    },
    record: (from, to, mapped, { block, within }) => {
      // A read may have a reference and no position: it belongs to the first bin, as for samtools.
      const start = Math.max(0, from)
      const end = Math.max(start + 1, to)
      if (end > IndexBuilder.limit) found.beyond ??= `${names[reference]}:${start + 1}`
      else builder.add(reference, start, end, mapped, block, within)
    },
    leave: ({ block, within }) => builder.close(block, within)
  }
  return { listener, names, found }
}

const isFileDamaged = (error: unknown): error is FileDamaged => error instanceof FileDamaged

/** The damaged file is kept, and the next run would fail in the same way. */
const fetchAgain = (error: FileDamaged) => new FileDamaged({ ...error, overwrite: "again" })

/**
 * The BAI or TBI of a file, or a CSI where a reference is longer than those reach. Fails with `FileDamaged` where the file is damaged,
 * where its records are not in the order of their places, and where its kind has no index of ours.
 */
export const makeIndex = Effect.fn("svc.verify.makeIndex")(function* <E>({
  name,
  reader
}: ProvenFile<E>): Effect.fn.Return<IndexBuilder.Fitting, FileDamaged | E, Codec> {
  const cannot = (why: string) =>
    new FileDamaged({
      file: name,
      fault: "BadRecord",
      reason: `no index can be made of it: ${why}`,
      overwrite: "vain"
    })
  const kind = kindOfName(name)
  if (kind === null || kind.index !== null) return yield* cannot("it is no BAM or VCF file")
  const opened = yield* Effect.catchIf(openFormat(name, reader, kind.type), isFileDamaged, fetchAgain)
  const { indexing } = opened
  const builder = IndexBuilder.make()
  const { found, listener, names } = listenerOf(builder)
  const { counts } = yield* proveContent(name, reader, opened, [listener], () => Effect.void).pipe(
    Effect.catchIf(isDamage, ({ error }) => error),
    Effect.catchIf(isFileDamaged, fetchAgain)
  )
  if (!counts.sorted) return yield* cannot("its records are not in the order of their places")
  if (found.beyond !== null) return yield* cannot(`the record at ${found.beyond} ends where no index reaches`)
  builder.addUnplaced(counts.unplaced)
  return builder.fitting(yield* Codec, indexing.of(names), indexing.longest)
})
