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
import type { FileUse, Option } from "./Key.ts"
import { type KeyName, keyNames, table } from "./Keys.ts"
import type { Layer, LocalSettings } from "./Settings.ts"

export interface NamedFile extends FileUse {
  readonly path: string
}

/** The file that the value of an option names; none for standard input and output. */
export const namedFile = ({ file }: Option, value: unknown): ReadonlyArray<NamedFile> =>
  file === undefined || typeof value !== "string" || value === "-" ? [] : [{ ...file, path: value }]

export const filesOf = (settings: LocalSettings, takes: (key: KeyName) => boolean): ReadonlyArray<NamedFile> =>
  keyNames.filter(takes).flatMap((name) => namedFile(table[name], settings[name]))

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

/** Links that may lead to one another, as for Linux. */
const mostLinks = 40

/** Where a file is, or would be, behind all links on the way, also behind one that leads to nothing yet; null for a pipe or device, which many may write to. */
const realPathOf = Effect.fnUntraced(function* (
  file: string,
  links = 0
): Effect.fn.Return<string | null, never, FileSystem.FileSystem | Path.Path> {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const absolute = path.resolve(file)
  const type = yield* Effect.orElseSucceed(typeAt(absolute), () => null)
  if (type !== null && type !== "File" && type !== "Directory") return null
  const real = yield* Effect.option(fs.realPath(absolute))
  if (Maybe.isSome(real)) return real.value
  const next = yield* Effect.option(fs.readLink(absolute))
  if (Maybe.isSome(next) && links < mostLinks) {
    return yield* realPathOf(path.resolve(path.dirname(absolute), next.value), links + 1)
  }
  const folder = yield* Effect.orElseSucceed(fs.realPath(path.dirname(absolute)), () => path.dirname(absolute))
  return path.join(folder, path.basename(absolute))
})

/** Two names of one file of which at least one is written to; one sentence for each such file. */
export const sharedFiles = Effect.fnUntraced(function* (
  files: ReadonlyArray<NamedFile>
): Effect.fn.Return<ReadonlyArray<string>, never, FileSystem.FileSystem | Path.Path> {
  const known = yield* Effect.forEach(files, (file) => Effect.map(realPathOf(file.path), (real) => ({ file, real })))
  const groups = Map.groupBy(
    known.filter(({ real }) => real !== null),
    ({ real }) => real
  )
  return [...groups.values()].flatMap((group) => {
    if (group.length === 1 || group.every(({ file }) => file.use === "read")) return []
    const paths = [...new Set(group.map(({ file }) => file.path))]
    const one = paths.length === 1 ? paths.join() : `${paths.join(" and ")} are the same file, which`
    const roles = group.map(({ file }) => file.what).join(" and ")
    return [`${one} cannot be ${roles} at once: name another file for one of them`]
  })
})

const isDataName = (path: string): boolean => {
  const name = path.toLowerCase().split("/").at(-1) ?? ""
  return kindOfName(name) !== null || checksumOfName(name) !== null
}

/** Files that are written and hold no data, under names that data may have, or links to such names. */
export const namedLikeData = Effect.fnUntraced(function* (
  files: ReadonlyArray<NamedFile>
): Effect.fn.Return<ReadonlyArray<string>, never, FileSystem.FileSystem | Path.Path> {
  const written = files.filter(({ mayBeData, use }) => use === "written" && mayBeData !== true)
  const found = yield* Effect.filter(written, ({ path }) =>
    Effect.map(realPathOf(path), (real) => isDataName(path) || (real !== null && isDataName(real)))
  )
  return found.map(
    ({ path, what }) => `${path} is the name of a data file, and cannot be ${what}: name another file for it`
  )
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
