/** Which files a sandbox serves, and which of them make one analysis. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import { dataTypes, isDataType, kindOfName } from "../core/src/genome/formats/FileNames.ts"
import { type Content, contentOnDisk, SandboxInputUnusable, unusable } from "./WorldFile.ts"

export interface NamedContent {
  readonly name: string
  readonly content: Content
  readonly archived: boolean
}

/** The files of one analysis: an alignment file, a variant file or both under one base name, with their indexes. */
export interface FileGroup {
  readonly base: string
  readonly files: ReadonlyArray<NamedContent>
}

/** What a name says of a file of a type that the service offers; null for other files. */
const servedKindOf = (name: string) => {
  const found = kindOfName(name)
  return found !== null && isDataType(found.type) ? found : null
}

/** Groups BAM and VCF files by base name, in the order of the names. Other files, and indexes without data, are left out. */
export const groupFiles = (files: ReadonlyArray<NamedContent>): ReadonlyArray<FileGroup> => {
  const groups = new Map<string, Array<NamedContent>>()
  const byName = [...files].sort((a, b) => (a.name < b.name ? -1 : 1))
  for (const file of byName) {
    const found = servedKindOf(file.name)
    if (found === null) continue
    groups.set(found.stem, [...(groups.get(found.stem) ?? []), file])
  }
  return [...groups]
    .map(([base, members]) => ({ base, files: members }))
    .filter((group) => group.files.some((file) => servedKindOf(file.name)?.index === null))
}

/** The groups of a folder, its files left on disk. */
export const readDataFolder = Effect.fn("readDataFolder")(function* (folder: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const names = yield* fs.readDirectory(folder).pipe(Effect.mapError(unusable(folder)))
  const files = yield* Effect.forEach(
    names.filter((name) => servedKindOf(name) !== null),
    (name) =>
      Effect.map(contentOnDisk(path.resolve(folder, name)), (content) => ({
        name,
        content,
        archived: name.endsWith(".archived.bam")
      }))
  )
  const groups = groupFiles(files)
  if (groups.length === 0) {
    const none = dataTypes.map((type) => `no *.${type}`).join(" and ")
    return yield* new SandboxInputUnusable({ path: folder, reason: `${none} in it` })
  }
  return groups
})
