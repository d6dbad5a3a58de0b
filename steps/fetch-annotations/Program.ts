/** The program of `svc-fetch-annotations`. */

import { statSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, resolve } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { type AnnotationsRequest, makeAnnotationsFetch } from "../../core/src/annotations/AnnotationsFetch.ts"
import { fromBytes } from "../../core/src/genome/ByteReader.ts"
import { readBed } from "../../core/src/genome/regions/BedFile.ts"
import { parseRange, type RegionText } from "../../core/src/genome/regions/RegionText.ts"
import { makeSessionProfile } from "../../core/src/session/SessionProfile.ts"
import type { LocalSettings, Settings } from "../../core/src/settings/Settings.ts"
import * as Clients from "../../platform/Clients.ts"
import { openOutput } from "../../platform/files/OutputFile.ts"
import * as SpoolFiles from "../../platform/files/SpoolFiles.ts"
import * as ZlibCodec from "../../platform/inflate/ZlibCodec.ts"
import { readInput } from "../../platform/inputs/InputFile.ts"
import { Screen } from "../../platform/terminal/Screen.ts"
import { makeProgram, type Own, type Problems, type ValuesOf, valuesOf } from "../main/Step.ts"
import { version } from "../main/Version.ts"
import { fetchEach, makeProgress } from "./FetchEach.ts"
import type { annotationOptions } from "./Options.ts"

/** What the command line asks for, before files that it names are read. */
interface Wanted extends Omit<ValuesOf<typeof annotationOptions>, "range"> {
  /** Each once, in the order they are named. */
  readonly analyses: ReadonlyArray<string>
  /** Null without `--range`. */
  readonly regions: ReadonlyArray<RegionText> | null
}

/** Fails with one sentence for each value that cannot be understood. */
const parse = ({ analysisIds: analyses }: LocalSettings, own: Own): Result.Result<Wanted, Problems> => {
  const { range, ...values } = valuesOf<typeof annotationOptions>(own)
  const problems: Array<string> = []
  const shaping = ["columns", "gene", "range", "bed"].filter((name) => own.given(name)).map((name) => `--${name}`)
  if (values.format === "json" && shaping.length > 0) {
    problems.push(`--format json gives the answer as it is: it cannot be used with ${shaping.join(", ")}`)
  }
  if (own.given("range") && own.given("bed")) {
    problems.push("--range and --bed cannot be used together: both say which regions are wanted")
  }
  const regions = range === null ? Result.succeed(null) : parseRange(range)
  if (Result.isFailure(regions)) problems.push(regions.failure.message)
  if (Result.isFailure(regions) || problems.length > 0) return Result.fail(problems)
  return Result.succeed({ ...values, analyses, regions: regions.success })
}

const regionsIn = Effect.fnUntraced(function* (bed: string) {
  const { bytes, name } = yield* readInput(bed)
  return yield* readBed(name, fromBytes(bytes))
})

/** The request, with the regions of its BED file. */
const requestOf = Effect.fnUntraced(function* ({ analyses, bed, columns, format, gene, regions }: Wanted) {
  return {
    format,
    columns,
    filter: { genes: gene, regions: regions ?? (bed === null ? null : yield* regionsIn(bed)) },
    several: analyses.length > 1
  } satisfies AnnotationsRequest
})

/** Whether a device or a pipe is at `path`, such as `/dev/stdout`: its folder is no place for files, least of all for a user who is not root. */
const isDevice = (path: string): boolean => {
  try {
    const found = statSync(path)
    return !found.isFile() && !found.isDirectory()
  } catch {
    return false
  }
}

/** The folder in which rows are spooled: that of the output file, which needs the space anyway, else the folder of TMPDIR. */
const spoolFolder = (output: string) => (output === "-" || isDevice(output) ? tmpdir() : dirname(resolve(output)))

/** The services of this step: one session, and a place where rows wait for their header. */
const wiring = (settings: Settings, output: string) => {
  const session = Clients.sessionLayer(settings, makeSessionProfile(version))
  return Layer.mergeAll(session, SpoolFiles.layer(spoolFolder(output)))
}

export const program = makeProgram(
  (settings, _operands, own) => parse(settings, own),
  Effect.fnUntraced(function* (settings: Settings, wanted: Wanted) {
    const request = yield* Effect.provide(requestOf(wanted), ZlibCodec.layer)
    const output = yield* openOutput(wanted.output)
    const progress = yield* makeProgress(yield* Screen)
    const fetch = yield* makeAnnotationsFetch(request, output, progress.received)
    const one = (analysis: string) => progress.during(analysis, fetch(analysis))
    const work = fetchEach(wanted.analyses, one, output, wanted.output)
    return yield* Effect.provide(work, wiring(settings, wanted.output))
  }, Effect.scoped)
)
