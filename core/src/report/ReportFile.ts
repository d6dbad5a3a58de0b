/** The file of a report: its format, chosen by its name, and whether it can be written at the end of a run. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import { CannotCreate, errnoOf, UsageError } from "../Errors.ts"

/** Asked at the start of a run, so that hours of work do not end in a report that has no folder, or in place of other work. */
export const canWriteReport = Effect.fn("svc.report.canWriteReport")(function* (
  file: string,
  kind: Replaceable = replaceable.report
): Effect.fn.Return<void, CannotCreate | UsageError, FileSystem.FileSystem | Path.Path> {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const [folder, there] = yield* Effect.all([
    Effect.option(fs.stat(path.dirname(path.resolve(file)))),
    Effect.option(fs.stat(file))
  ])
  if (Option.isNone(folder) || folder.value.type !== "Directory") {
    return yield* new CannotCreate({ path: file, reason: "its folder does not exist" })
  }
  if (Option.isSome(there) && there.value.type === "Directory") {
    return yield* new CannotCreate({ path: file, reason: "it is a folder" })
  }
  // A device or pipe is written to directly and never replaced.
  if (Option.isSome(there) && there.value.type !== "File") return
  yield* Effect.mapError(
    fs.access(path.dirname(path.resolve(file)), { writable: true }),
    () => new CannotCreate({ path: file, reason: "its folder cannot be written to" })
  )
  yield* mayReplace(file, kind)
})

/** Files of one kind: a new one may take the place of an earlier one. */
export interface Replaceable {
  readonly name: string
  /** How they begin, whichever version wrote them. */
  readonly beginnings: ReadonlyArray<RegExp | string>
}

export const replaceable = {
  report: {
    name: "report file",
    beginnings: [
      /^\s*\{\s*"schema"\s*:\s*"svc\.report\/1"/,
      // The section for MultiQC, and the page for people.
      /^\s*\{\s*"id"\s*:\s*"svc_steps"/,
      /^<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'sha256-/
    ]
  },
  /** One with the same first line. */
  samplesheet: (header: string): Replaceable => ({ name: "samplesheet with these columns", beginnings: [header] })
} as const

/** Bytes that are enough to know a file by. */
const beginning = 512

/** Fails when something else than an earlier report would be lost. */
const mayReplace = Effect.fn("svc.report.mayReplace")(function* (
  file: string,
  { beginnings, name }: Replaceable
): Effect.fn.Return<void, UsageError, FileSystem.FileSystem> {
  const fs = yield* FileSystem.FileSystem
  const info = yield* Effect.option(fs.stat(file))
  if (Option.isNone(info) || info.value.type !== "File" || Number(info.value.size) === 0) return
  const text = yield* Effect.gen(function* () {
    const bytes = new Uint8Array(beginning)
    const open = yield* fs.open(file)
    const read = Number(yield* open.read(bytes))
    return new TextDecoder().decode(bytes.subarray(0, read))
  }).pipe(
    Effect.scoped,
    Effect.mapError(
      (error) =>
        new UsageError({ message: `${file} is there and cannot be read (${errnoOf(error)}): name another file` })
    )
  )
  if (beginnings.some((begins) => (typeof begins === "string" ? text.startsWith(begins) : begins.test(text)))) return
  return yield* new UsageError({
    message: `${file} is there and is no ${name}, so none may replace it: name another file`
  })
})

/** The format of a report, chosen by its file name. */

/** `page`: for people, one HTML file. `multiqc`: a section of a MultiQC report. `json`: `svc.report/1`, for programs. */
export type ReportForm = "json" | "page" | "multiqc"

/** `.html` and `.htm` make a page, `_mqc.json` (the name that MultiQC looks for) its custom content, all else JSON. */
export const formOf = (path: string): ReportForm => {
  const name = path.toLowerCase()
  if (name.endsWith(".html") || name.endsWith(".htm")) return "page"
  return name.endsWith("_mqc.json") ? "multiqc" : "json"
}
