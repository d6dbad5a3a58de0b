/**
 * Proves a data file while its bytes arrive: every block, every record and, with an index, that the index leads to all of them.
 * The readers may wait for bytes that are still on their way; each byte is asked for once, from the first to the last, after the
 * header.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { FileDamaged } from "../Errors.ts"
import type { ByteReader } from "../genome/ByteReader.ts"
import type { Codec } from "../genome/bgzf/Codec.ts"
import { type RecordCounts, type RecordListener, unread } from "../genome/bgzf/ContentCheck.ts"
import { kindOfName } from "../genome/formats/FileNames.ts"
import { type Opened, open } from "../genome/formats/Formats.ts"
import { mismatch, readIndex } from "../genome/Structure.ts"
import * as IndexProof from "./IndexProof.ts"
import { type Damage, isDamage, type WalkFacts, walkWhole } from "./WholeWalk.ts"

export interface ProvenFile<E> {
  readonly name: string
  readonly reader: ByteReader<E>
}

/** What was proven; `records` is null where records are not looked at. */
export interface Proven {
  readonly blocks: number
  readonly records: number | null
}

/** What a whole data file is made of. */
export interface ProvenContent extends WalkFacts {
  /** Null where records are not looked at. */
  readonly counts: RecordCounts | null
  /** What its header should not have, and tools read all the same. */
  readonly warnings: ReadonlyArray<string>
}

/** Proves every block of a file and every record, which `listeners` hear of, and then judges its header. */
export const proveContent = Effect.fnUntraced(function* <E>(
  file: string,
  reader: ByteReader<E>,
  { judgeHeader, records }: Opened,
  listeners: ReadonlyArray<RecordListener>,
  progress: (bytes: number) => Effect.Effect<void>
): Effect.fn.Return<ProvenContent, Damage | FileDamaged | E, Codec> {
  const check = records?.(listeners) ?? null
  const walked = yield* walkWhole(file, reader, check ?? unread, progress)
  const { fault, warnings } = judgeHeader?.() ?? { fault: null, warnings: [] }
  if (fault !== null) return yield* new FileDamaged({ file, fault: "BadHeader", reason: fault })
  return { ...walked, counts: check?.counts() ?? null, warnings }
})

/**
 * Proves `data`, and `index` with it where it is one of that file. Fails with `FileDamaged`, which names the file that is wrong.
 * Files of other kinds are proven by nothing: null.
 */
export const proveFile = Effect.fn("svc.verify.proveFile")(function* <E, E2 = never>(
  data: ProvenFile<E>,
  index: ProvenFile<E2> | null,
  progress: (bytes: number) => Effect.Effect<void> = () => Effect.void
): Effect.fn.Return<Proven | null, FileDamaged | E | E2, Codec> {
  const found = kindOfName(data.name)
  if (found === null || found.index !== null) return null
  const isNamed = index !== null && (kindOfName(index.name)?.index ?? null) !== null
  const parsed = isNamed ? yield* readIndex(index.name, index.reader) : null
  const opened = yield* open(data.name, data.reader, found.type)
  const fits = parsed === null ? null : opened.referenceAt(parsed)
  if (index !== null && fits !== null && Result.isFailure(fits)) {
    return yield* mismatch(index.name, data.name, fits.failure)
  }
  const proof = parsed === null ? null : IndexProof.make(parsed)
  const { blocks, counts } = yield* proveContent(
    data.name,
    data.reader,
    opened,
    proof === null ? [] : [proof],
    progress
  ).pipe(Effect.catchIf(isDamage, ({ error }) => error))
  if (index !== null && parsed !== null && proof !== null && counts !== null) {
    yield* IndexProof.compareRecords(index.name, parsed, data.name, counts, proof.fault())
  }
  return { blocks, records: counts?.records ?? null }
})
