/** Which files a verification is about: operands, what lies in folders, what a manifest names. */

import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import { errnoOf } from "../Errors.ts"
import {
  type ChecksumName,
  checksumKinds,
  checksumOfName,
  indexNamesOf,
  kindOfName,
  type Named
} from "../genome/formats/FileNames.ts"
import type { Expected, Manifest } from "./Manifest.ts"

export interface Target {
  readonly path: string
  readonly role:
    | {
        readonly _tag: "File"
        readonly named: Named | null
        /** The path of the file whose checksum this file holds; null for all but checksum files. */
        readonly checksum: ChecksumName | null
        readonly bytes: number
      }
    /** Of a download that goes on in the next run. */
    | { readonly _tag: "Part" }
    /** A folder that was to be searched, and has no file. */
    | { readonly _tag: "Empty" }
    | { readonly _tag: "Unreadable"; readonly errno: string }
    | { readonly _tag: "Missing" }
    /** Need not be there, for this reason. */
    | { readonly _tag: "Absent"; readonly reason: string }
  readonly expected: Expected | null
  readonly notes: ReadonlyArray<string>
}

/** `.name.<8 hex>.part` with its journal and lock (`core/src/transfer/PartJournal.ts`). */
const part = /^\..+\.[0-9a-f]{8}\.part(?:$|\.)/

/** The rank of a file in a run: an index or a checksum comes after the file that it is compared with. */
const rankOf = ({ role }: Target): number => {
  if (role._tag !== "File") return 0
  if (role.checksum !== null) return 2
  return role.named?.index != null ? 1 : 0
}

/**
 * The files, each once, indexes and then checksums last. With a data file come the indexes and checksums that lie beside it: one that
 * does not fit makes it as useless as damage does. Folders are searched to any depth without following links to folders; journals and
 * locks of parts are left out. What a manifest names is looked for at its path, else beside the manifest.
 */
export const findTargets = Effect.fn("svc.verify.findTargets")(function* (
  paths: ReadonlyArray<string>,
  manifest: (Manifest & { readonly file: string }) | null
): Effect.fn.Return<ReadonlyArray<Target>, never, FileSystem.FileSystem | Path.Path> {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const targets = new Map<string, Target>()

  const add = (target: Target) => {
    const key = path.resolve(target.path)
    if (!targets.has(key)) targets.set(key, target)
  }

  const look = (file: string, expected: Expected | null, notes: ReadonlyArray<string>) =>
    Effect.match(fs.stat(file), {
      onFailure: (error): Target => {
        const errno = errnoOf(error)
        const role =
          errno === "ENOENT" || errno === "ENOTDIR"
            ? { _tag: "Missing" as const }
            : { _tag: "Unreadable" as const, errno }
        return { path: file, role, expected, notes }
      },
      onSuccess: (info): Target | "folder" => {
        if (info.type === "Directory") return "folder"
        if (info.type !== "File")
          return { path: file, role: { _tag: "Unreadable", errno: "it is no file" }, expected, notes }
        if (part.test(path.basename(file))) return { path: file, role: { _tag: "Part" }, expected, notes }
        return {
          path: file,
          role: { _tag: "File", named: kindOfName(file), checksum: checksumOfName(file), bytes: Number(info.size) },
          expected,
          notes
        }
      }
    })

  let met = 0
  const meet = (target: Target) => {
    met++
    add(target)
  }
  const search = (folder: string): Effect.Effect<void> =>
    Effect.matchEffect(fs.readDirectory(folder), {
      onFailure: (error) =>
        Effect.sync(() =>
          meet({ path: folder, role: { _tag: "Unreadable", errno: errnoOf(error) }, expected: null, notes: [] })
        ),
      onSuccess: (names) =>
        Effect.forEach(
          [...names].sort(),
          (name) =>
            Effect.gen(function* () {
              const file = path.join(folder, name)
              if (part.test(name) && !name.endsWith(".part")) return
              const found = yield* look(file, null, [])
              if (found !== "folder") return meet(found)
              // Following a link to a folder could go round for ever.
              if (Option.isNone(yield* Effect.option(fs.readLink(file)))) yield* search(file)
            }),
          { discard: true }
        )
    })

  if (manifest !== null) {
    const beside = path.dirname(manifest.file)
    for (const expected of manifest.entries) {
      const places = [expected.path, path.join(beside, expected.path), path.join(beside, path.basename(expected.path))]
      let found: Target | "folder" = "folder"
      for (const place of places) {
        found = yield* look(place, expected, [])
        if (found !== "folder" && found.role._tag !== "Missing") break
      }
      add(
        found === "folder" || found.role._tag === "Missing"
          ? { path: expected.path, role: { _tag: "Missing" }, expected, notes: [] }
          : found
      )
    }
  }
  for (const { path: file, reason } of manifest?.absent ?? []) {
    add({ path: file, role: { _tag: "Absent", reason }, expected: null, notes: [] })
  }
  for (const operand of paths) {
    const found = yield* look(operand, null, manifest === null ? [] : [`not in ${manifest.file}`])
    if (found !== "folder") {
      add(found)
      if (found.role._tag !== "File" || found.role.named === null || found.role.named.index !== null) continue
      const files = [
        operand,
        ...indexNamesOf(path.basename(operand)).map((name) => path.join(path.dirname(operand), name))
      ]
      for (const file of files.flatMap((name) => [name, ...checksumKinds.map((kind) => `${name}.${kind}`)])) {
        const beside = yield* look(file, null, found.notes)
        if (beside !== "folder" && beside.role._tag === "File") add(beside)
      }
      continue
    }
    const before = met
    yield* search(operand)
    if (met === before) add({ path: operand, role: { _tag: "Empty" }, expected: null, notes: [] })
  }
  return [...targets.values()].sort((a, b) => rankOf(a) - rankOf(b))
})
