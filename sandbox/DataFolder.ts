/** Which files a sandbox serves, those of a folder or generated ones, and which of them make one analysis. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import { dataTypes, isDataType, kindOfName, vcf } from "../core/src/genome/formats/FileNames.ts"
import { makeSamples } from "./samples/Samples.ts"
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
const groupFiles = (files: ReadonlyArray<NamedContent>): ReadonlyArray<FileGroup> => {
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

const isVariants = (file: NamedContent) => kindOfName(file.name)?.type === vcf.suffix

// Generating takes longer than everything else, and tests start many sandboxes with one seed.
const made = new Map<number, ReadonlyArray<FileGroup>>()

/**
 * The files of a sandbox without `--data`: one analysis per generated sample, except that the last sample makes two,
 * an archived alignment and variants alone. So each kind of analysis is there.
 */
export const sampleGroups = Effect.fn("sampleGroups")(function* (seed: number) {
  const before = made.get(seed)
  if (before !== undefined) return before
  const samples = yield* makeSamples(seed)
  const files = samples.map(
    ({ name, bytes }): NamedContent => ({
      name,
      content: { _tag: "Memory", bytes },
      archived: false
    })
  )
  const groups = groupFiles(files)
  const last = groups.at(-1)
  const alignment = last?.files.filter((file) => !isVariants(file)) ?? []
  const complete =
    last === undefined
      ? groups
      : [
          ...groups.slice(0, -1),
          {
            base: last.base,
            files: alignment.map((file) => ({ ...file, archived: kindOfName(file.name)?.index === null }))
          },
          { base: last.base, files: last.files.filter(isVariants) }
        ]
  made.set(seed, complete)
  return complete
})
