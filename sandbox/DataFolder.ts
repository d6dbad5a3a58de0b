import { Effect, FileSystem, Path } from "effect"
import { type Content, contentOnDisk, InputUnusable, unusable } from "./WorldFile.ts"

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

const suffix = /(\.bam|\.vcf\.gz)(\.bai|\.tbi|\.csi)?$/

/** Groups BAM and VCF files by base name, in the order of the names. Other files, and indexes without data, are left out. */
export const groupFiles = (files: ReadonlyArray<NamedContent>): ReadonlyArray<FileGroup> => {
  const groups = new Map<string, Array<NamedContent>>()
  const byName = [...files].sort((a, b) => (a.name < b.name ? -1 : 1))
  for (const file of byName) {
    const found = suffix.exec(file.name)
    if (found === null) continue
    const base = file.name.slice(0, found.index)
    groups.set(base, [...(groups.get(base) ?? []), file])
  }
  return [...groups]
    .map(([base, members]) => ({ base, files: members }))
    .filter((group) => group.files.some((file) => /\.(bam|vcf\.gz)$/.test(file.name)))
}

/** The groups of a folder, its files left on disk. */
export const readDataFolder = Effect.fn("readDataFolder")(function* (folder: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const names = yield* fs.readDirectory(folder).pipe(Effect.mapError(unusable(folder)))
  const files = yield* Effect.forEach(
    names.filter((name) => suffix.test(name)),
    (name) =>
      Effect.map(contentOnDisk(path.resolve(folder, name)), (content) => ({
        name,
        content,
        archived: name.endsWith(".archived.bam")
      }))
  )
  const groups = groupFiles(files)
  if (groups.length === 0) return yield* new InputUnusable({ path: folder, reason: "no *.bam and no *.vcf.gz in it" })
  return groups
})
