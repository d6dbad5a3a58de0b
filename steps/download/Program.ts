/** The programs of the steps that download or restore files: a command line as a request, carried out over services that are wired once. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Stream from "effect/Stream"
import type { RunOutcome } from "../../core/src/download/DownloadForms.ts"
import {
  type DownloadRequest,
  type ParsedRequest,
  parseRequest,
  readRequest
} from "../../core/src/download/DownloadRequest.ts"
import { Downloads } from "../../core/src/download/Downloads.ts"
import { deliver } from "../../core/src/download/OneFile.ts"
import type { RunEvent } from "../../core/src/download/RunEvent.ts"
import type { Ended } from "../../core/src/download/RunEvents.ts"
import { makeRunRecord } from "../../core/src/download/RunRecord.ts"
import type { RunError } from "../../core/src/Errors.ts"
import { restorationLine } from "../../core/src/report/Summary.ts"
import type { LocalSettings, Settings } from "../../core/src/settings/Settings.ts"
import type { Problems } from "../../core/src/settings/Validation.ts"
import { isTerminal, toStandardOutput } from "../../platform/files/OutputFile.ts"
import * as ZlibCodec from "../../platform/inflate/ZlibCodec.ts"
import { makeServiceProgram, withProblems } from "../main/Program.ts"
import { conclude, sheetProblems } from "./Conclusion.ts"
import { listFiles, showPlan } from "./Preview.ts"
import { awaitRestored, resumeRun } from "./ResumeFiles.ts"
import { summarise, watch } from "./Watching.ts"
import { downloadsWiring, trackingWiring } from "./Wiring.ts"

/** `svc-download`, in one of its forms. */
export const program = makeServiceProgram(
  (settings) => withProblems(requestOf(settings), settings.stdout && isTerminal() ? [binary] : []),
  Effect.fnUntraced(function* (settings: Settings, parsed: ParsedRequest) {
    const request = yield* completeRequest(parsed)
    const { format } = settings
    const services = downloadsWiring(settings)
    if (settings.resumeArchivedDownloads) return yield* resumeRun(request, settings)
    if (settings.list) return yield* Effect.provide(listFiles(request, format), services)
    if (settings.plan) return yield* Effect.provide(showPlan(request, format), services)
    const record = yield* makeRunRecord
    const work = Effect.gen(function* () {
      const events = Downloads.use((downloads) =>
        watch(runEvents(downloads, request, settings), "download", record.note)
      )
      yield* Effect.provide(events, services)
      const results = yield* record.results
      yield* summarise(results)
      const pending = results.filter(({ _tag }) => _tag === "Pending")
      if (settings.wait !== null && pending.length > 0) yield* awaitRestored(pending, request, settings, record)
    })
    return yield* conclude(Effect.provide(work, trackingWiring(settings)), record, settings, "download")
  }, Effect.scoped)
)

const binary = "Standard output is a terminal, and the file is binary: pipe it on, or write it into a file"

/** `svc-request-restore`: the archived files of the selection are asked for, and nothing is downloaded. */
export const requestProgram = makeServiceProgram(
  (settings) => requestOf(settings),
  Effect.fnUntraced(function* (given: Settings, parsed: ParsedRequest) {
    // Pending is what this step is for.
    const settings = { ...given, pendingOk: true }
    const request = yield* completeRequest(parsed)
    const services = downloadsWiring(settings)
    if (settings.plan) return yield* Effect.provide(showPlan(request, settings.format, "restore"), services)
    const record = yield* makeRunRecord
    const asked = Downloads.use(({ events }) => watch(events(request, { subject: "restore" }), "download", record.note))
    const work = Effect.andThen(
      asked,
      Effect.flatMap(record.results, (results) => summarise(results, restorationLine))
    )
    return yield* conclude(Effect.provide(work, services), record, settings, "request-restore")
  })
)

/** `svc-resume-restore`, which `svc-download --resumeArchivedDownloads` is too. */
export const resumeProgram = makeServiceProgram(
  (settings) => requestOf(settings),
  Effect.fnUntraced(function* (settings: Settings, parsed: ParsedRequest) {
    return yield* resumeRun(yield* completeRequest(parsed), settings)
  })
)

/** What the settings ask for, or what is wrong with them. */
const requestOf = (settings: LocalSettings): Result.Result<ParsedRequest, Problems> => {
  // A listing shows every type unless some are asked for.
  const shows = settings.given("filetypes") ? settings.filetypes : null
  return withProblems(
    Result.mapError(parseRequest({ ...settings, connections: filesAtOnce(settings), shows }), (problems) =>
      problems.map(({ message }) => message)
    ),
    sheetProblems(settings)
  )
}

/** Files in transfer at the same time. A large one uses several connections, but with few of them each file has its own. */
export const filesAtOnce = ({ connections }: Pick<LocalSettings, "connections">): number =>
  Math.max(Math.min(connections, 4), Math.floor(connections / 2))

/** A download to the disk, or of one file to standard output. */
const runEvents = (
  { events, open }: Downloads["Service"],
  request: DownloadRequest,
  { stdout }: Pick<LocalSettings, "stdout">
): Stream.Stream<RunEvent | Ended<RunOutcome>, RunError> =>
  stdout ? deliver(open(request), toStandardOutput) : events(request)

/** The request with the regions of its BED file. */
const completeRequest = (request: ParsedRequest) => Effect.provide(readRequest(request), ZlibCodec.layer)
