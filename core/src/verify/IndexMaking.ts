/** Makes the index of a whole data file that came without one. Every block and record of the file is proven on the way. */
import * as Effect from "effect/Effect"
import { FileDamaged } from "../Errors.ts"
import { Codec } from "../genome/bgzf/Codec.ts"
import type { RecordListener } from "../genome/bgzf/ContentCheck.ts"
import { kindOfName } from "../genome/formats/FileNames.ts"
import { open } from "../genome/formats/Formats.ts"
import * as IndexBuilder from "../genome/index/IndexBuilder.ts"
import { type ProvenFile, proveContent } from "./FileProof.ts"
import { isDamage } from "./WholeWalk.ts"

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
  const opened = yield* Effect.catchIf(open(name, reader, kind.type), isFileDamaged, fetchAgain)
  const { format, indexing } = opened
  if (indexing === null) return yield* cannot(`it is a ${format.name}`)
  const builder = IndexBuilder.make()
  const { found, listener, names } = listenerOf(builder)
  const { counts } = yield* proveContent(name, reader, opened, [listener], () => Effect.void).pipe(
    Effect.catchIf(isDamage, ({ error }) => error),
    Effect.catchIf(isFileDamaged, fetchAgain)
  )
  if (counts?.sorted !== true) return yield* cannot("its records are not in the order of their places")
  if (found.beyond !== null) return yield* cannot(`the record at ${found.beyond} ends where no index reaches`)
  builder.addUnplaced(counts.unplaced)
  return builder.fitting(yield* Codec, indexing.of(names), indexing.longest)
})
