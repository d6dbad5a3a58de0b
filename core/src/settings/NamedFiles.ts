/**
 * The files and folders that a command line names: no two of the files may be one file, since what is written to one would destroy the other,
 * and none that a run writes beside its data may have the name of data.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Maybe from "effect/Option"
import * as Path from "effect/Path"
import { errnoOf, LocalIo } from "../Errors.ts"
import { checksumOfName, kindOfName } from "../genome/formats/FileNames.ts"
import { backupName, collisionKey } from "../selection/FileName.ts"
import type { FileUse, Option } from "./Key.ts"
import { type KeyName, keyNames, table } from "./Keys.ts"
import type { Layer, LocalSettings } from "./Settings.ts"

export interface NamedFile extends FileUse {
  readonly path: string
  /** The file that this one is kept as a copy of. */
  readonly copies?: string
}

/** The file that the value of an option names; none for standard input and output. */
export const namedFile = ({ file }: Option, value: unknown): ReadonlyArray<NamedFile> =>
  file === undefined || typeof value !== "string" || value === "-" ? [] : [{ ...file, path: value }]

/** What a restoration file in an older form is kept as when it is written anew. */
const copyOf = ({ path }: NamedFile): NamedFile => ({
  path: path.replace(/[^/]+$/, (name) => backupName(name)),
  copies: path,
  what: "the copy of an older restoration file",
  use: "written"
})

/** The files that settings name. */
export const filesOf = (settings: LocalSettings, takes: (key: KeyName) => boolean): ReadonlyArray<NamedFile> =>
  keyNames.filter(takes).flatMap((name) => {
    const files = namedFile(table[name], settings[name])
    return name === "restorationFile" ? [...files, ...files.map(copyOf)] : files
  })

/** The lists of ids that a layer of settings names as `@FILE`. */
export const idListsOf = (layer: Layer): ReadonlyArray<NamedFile> =>
  keyNames
    .filter((name) => table[name].fromFile === true)
    .flatMap((name) => layer[name] ?? [])
    .flatMap((text) =>
      text.startsWith("@") && text !== "@-"
        ? [{ path: text.slice(1), what: "the list of ids", use: "read" as const }]
        : []
    )

/** Links to links beyond this lead nowhere. */
const mostLinks = 40

/**
 * Equal for all paths of one file, whatever links lead to it; null for a pipe or device, which many may write to. Where nothing
 * is yet, names that differ only in case or composition count as one, as some file systems make one file of them.
 */
export const identityOf = Effect.fnUntraced(function* (
  file: string,
  links = mostLinks
): Effect.fn.Return<string | null, never, FileSystem.FileSystem | Path.Path> {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const info = yield* Effect.option(fs.stat(file))
  if (Maybe.isSome(info)) return identityOfInfo(info.value)
  const absolute = path.resolve(file)
  const folder = path.dirname(absolute)
  const target = yield* Effect.option(fs.readLink(absolute))
  if (Maybe.isSome(target)) return links === 0 ? null : yield* identityOf(path.resolve(folder, target.value), links - 1)
  return folder === absolute ? folder : identityIn(yield* identityOf(folder, links), path.basename(absolute))
})

/** {@link identityOf} a file that is there. */
export const identityOfInfo = ({ dev, ino, type }: FileSystem.File.Info): string | null =>
  type === "File" || type === "Directory" ? `${dev}:${Maybe.getOrElse(ino, () => 0)}` : null

/** {@link identityOf} a name that is not there, in a folder of this identity. */
export const identityIn = (folder: string | null, name: string): string => `${folder}/${collisionKey(name)}`

/** Two names of one file of which at least one is written to; one sentence for each such file. */
export const sharedFiles = Effect.fnUntraced(function* (
  files: ReadonlyArray<NamedFile>
): Effect.fn.Return<ReadonlyArray<string>, never, FileSystem.FileSystem | Path.Path> {
  const known = yield* Effect.forEach(files, (file) => Effect.map(identityOf(file.path), (id) => ({ file, id })))
  const groups = Map.groupBy(
    known.filter(({ id }) => id !== null),
    ({ id }) => id
  )
  return [...groups.values()].flatMap((same) => {
    // A run that was killed while it kept the copy leaves both names on one file; the next gives one of them a new file.
    const group = same.filter(({ file }) => !same.some((other) => other.file.path === file.copies))
    if (group.length === 1 || group.every(({ file }) => file.use === "read")) return []
    const paths = [...new Set(group.map(({ file }) => file.path))]
    const one = paths.length === 1 ? paths.join() : `${paths.join(" and ")} are the same file, which`
    const roles = group.map(({ file }) => file.what).join(" and ")
    return [`${one} cannot be ${roles} at once: name another file for one of them`]
  })
})

/** Names of unfinished files, their journals and locks (transfer/PartFiles.ts): whoever clears those away takes the file with them. */
const hidden = /^\.[^/]*\.[0-9a-f]{8}\.part(?:$|\.)/

/** Files that are written and hold no data, under names that data, or an unfinished file, may have. */
export const namedLikeData = (files: ReadonlyArray<NamedFile>): ReadonlyArray<string> =>
  files.flatMap(({ mayBeData, path, use, what }) => {
    if (use !== "written" || mayBeData === true) return []
    const name = path.toLowerCase().split("/").at(-1) ?? ""
    if (kindOfName(name) !== null || checksumOfName(name) !== null) {
      return [`${path} is the name of a data file, and cannot be ${what}: name another file for it`]
    }
    return hidden.test(name)
      ? [`${path} is the name of an unfinished file, and cannot be ${what}: name another file for it`]
      : []
  })

/** Null when nothing is there. Fails when that cannot be known, as in a folder that may not be entered. */
export const typeAt = Effect.fnUntraced(function* (
  path: string
): Effect.fn.Return<FileSystem.File.Type | null, LocalIo, FileSystem.FileSystem> {
  const fs = yield* FileSystem.FileSystem
  return yield* Effect.matchEffect(fs.stat(path), {
    onSuccess: ({ type }) => Effect.succeed(type),
    onFailure: (error) =>
      ["ENOENT", "ENOTDIR"].includes(errnoOf(error))
        ? Effect.succeed(null)
        : Effect.fail(LocalIo.of("look at", path)(error))
  })
})

/** Why a folder is none to download into; null when it is one. */
export const destinationProblem = Effect.fnUntraced(function* (
  path: string
): Effect.fn.Return<string | null, LocalIo, FileSystem.FileSystem> {
  const type = yield* typeAt(path)
  if (type !== null) return type === "Directory" ? null : `Destination is not a directory: ${path}`
  const fs = yield* FileSystem.FileSystem
  // No `mkdir` helps there: what is missing is most often a disk.
  return yield* Effect.match(fs.readLink(path.replace(/(?<=.)\/+$/, "")), {
    onSuccess: (to) => `Destination is a symbolic link to ${to}, where nothing is: ${path}; is its disk mounted?`,
    onFailure: () => `Destination directory does not exist: ${path}`
  })
})
