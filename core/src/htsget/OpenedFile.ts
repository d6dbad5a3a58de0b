/** What a ticket needs to know of a file: its header, its references and its index, read once for many tickets. */
import * as Effect from "effect/Effect"
import { FileDamaged } from "../Errors.ts"
import type { ByteReader } from "../genome/ByteReader.ts"
import type { Codec } from "../genome/bgzf/Codec.ts"
import { indexSuffixOf } from "../genome/formats/FileNames.ts"
import type { Slicing } from "../genome/formats/Format.ts"
import { open } from "../genome/formats/Formats.ts"
import type { BinIndex } from "../genome/index/BinIndex.ts"
import { readIndex } from "../genome/Structure.ts"
import { type Datatype, typeOf } from "./TicketRequest.ts"

export interface OpenedFile extends Pick<Slicing, "references" | "firstRecord"> {
  readonly name: string
  /** The inflated bytes that a file of any of its records begins with. */
  readonly header: Uint8Array
  readonly index: BinIndex
}

/** A file and its index, by the names under which they are listed. */
export interface FilePair<E> {
  readonly name: string
  readonly reader: ByteReader<E>
  readonly indexName: string
  readonly index: ByteReader<E>
}

/** Reads header and index; fails with `FileDamaged` when they are not sound or do not belong together. */
export const openFile = Effect.fn("svc.htsget.openFile")(function* <E>(
  datatype: Datatype,
  { index: indexReader, indexName, name, reader }: FilePair<E>
): Effect.fn.Return<OpenedFile, FileDamaged | E, Codec> {
  const type = typeOf[datatype]
  const [file, found] = yield* Effect.all(
    [open(name, reader, type), readIndex(indexName, indexReader, indexSuffixOf(indexName, type))],
    { concurrency: 2 }
  )
  if (file.slicing === null) {
    const reason = `no regions can be cut out of ${file.format.name}`
    return yield* new FileDamaged({ file: name, fault: "BadHeader", reason })
  }
  const slicing = file.slicing(found)
  if (slicing._tag === "Failure") {
    const reason = `it is not the index of ${name}: ${slicing.failure}`
    return yield* new FileDamaged({ file: indexName, fault: "IndexMismatch", reason })
  }
  const { firstRecord, plainHeader, references } = slicing.success
  return { name, header: plainHeader(), references, index: found.index, firstRecord }
})
