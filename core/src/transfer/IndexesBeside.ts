/** Which names beside a data file are those of its own indexes, and how they go when other bytes take its name. */
import * as Effect from "effect/Effect"
import type { CannotCreate, LocalIo } from "../Errors.ts"
import { indexNamesOf, rivalOf } from "../genome/formats/FileNames.ts"
import { checksumKinds } from "../selection/FileName.ts"
import * as ChecksumFile from "./ChecksumFile.ts"
import { PartFiles, type PartPlace } from "./PartFiles.ts"

type DataFile = Pick<PartPlace, "directory" | "name">

/**
 * The names that an index of the data can have. `S1.csi` is none of `S1.bam` where `S1.bcf` lies there too: nobody can tell
 * whose it is.
 */
export const ownNames = Effect.fnUntraced(function* ({
  directory,
  name
}: DataFile): Effect.fn.Return<ReadonlyArray<string>, LocalIo, PartFiles> {
  const files = yield* PartFiles
  const isThere = (other: string) =>
    // A link of that name leads to data as well.
    Effect.catchTag(files.isThere(directory, other), "SvcCannotCreate", () => Effect.succeed(true))
  const names: Array<string> = []
  for (const index of indexNamesOf(name)) {
    const other = rivalOf(index)
    if (other === null || !(yield* isThere(other))) names.push(index)
  }
  return names
})

/** True where an index of the data lies there. */
export const isIndexed = Effect.fnUntraced(function* (data: DataFile): Effect.fn.Return<boolean, LocalIo, PartFiles> {
  const files = yield* PartFiles
  for (const index of yield* ownNames(data)) {
    if ((yield* Effect.scoped(files.beside(data.directory, index))) !== null) return true
  }
  return false
})

/** The names of `ownNames`; refused where one of them, or of their checksums, is that of something that is no plain file. */
export const plainNames = Effect.fnUntraced(function* (
  data: DataFile
): Effect.fn.Return<ReadonlyArray<string>, CannotCreate | LocalIo, PartFiles> {
  const files = yield* PartFiles
  const names = yield* ownNames(data)
  for (const name of names.flatMap((index) => [index, ...checksumKinds.map((kind) => `${index}.${kind}`)])) {
    yield* files.isThere(data.directory, name)
  }
  return names
})

/** Removes the indexes of data that is about to get its name, and their checksums: they are of other bytes. */
export const withdraw = Effect.fnUntraced(function* (place: PartPlace, names: ReadonlyArray<string>) {
  const files = yield* PartFiles
  for (const name of names) {
    const index = { ...place, name }
    yield* ChecksumFile.withdraw(index)
    yield* files.withdraw(index)
  }
})
