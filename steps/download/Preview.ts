/** What a download shows in place of the files: `--list`, `--plan`, and their links (`--links`, `--writeLinks`). Restores nothing. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import type { PlanSubject } from "../../core/src/download/DownloadForms.ts"
import type { DownloadRequest } from "../../core/src/download/DownloadRequest.ts"
import { Downloads } from "../../core/src/download/Downloads.ts"
import type { FileFailure } from "../../core/src/download/FileResult.ts"
import { type LinkEntry, linksJson, noLinks } from "../../core/src/download/LinkManifest.ts"
import { shortage } from "../../core/src/download/Planning.ts"
import { mostSevere } from "../../core/src/Errors.ts"
import { logFailure } from "../../core/src/FailureLog.ts"
import { listingJson, listingText } from "../../core/src/report/Listing.ts"
import { planJson, planText } from "../../core/src/report/PlanView.ts"
import { mayReplace, replaceable } from "../../core/src/report/ReportFile.ts"
import type { ListedAnalysis } from "../../core/src/selection/WantedFiles.ts"
import type { TargetSettings } from "../../core/src/settings/Settings.ts"
import { printable } from "../../core/src/text/Printable.ts"
import { counted } from "../../core/src/text/Quantity.ts"
import { Scrubber } from "../../core/src/text/Scrubber.ts"
import { type Output, openOutput } from "../../platform/files/OutputFile.ts"
import { adviceOf } from "../main/Advice.ts"
import type { StepFailure } from "../main/Program.ts"
import { printDocument, printLines } from "../main/StandardOutput.ts"

/** What the selected analyses have, printed as soon as it is known. */
export const listFiles = Effect.fn("svc.step.listFiles")(function* (request: DownloadRequest, format: "text" | "json") {
  const { list } = yield* Downloads
  const shown: Array<ListedAnalysis> = []
  const failures: Array<FileFailure> = []
  const recordFailure = (failure: FileFailure) => {
    failures.push(failure)
    return logFailure(failure.error, printable)
  }
  yield* Stream.runForEach(
    list(request),
    Effect.fnUntraced(function* (item) {
      if (item._tag === "Failed") return yield* recordFailure({ ...item.failure, fileName: null })
      yield* Effect.forEach(item.refused, recordFailure, { discard: true })
      if (format === "text") yield* printLines(listingText(item.analysis))
      else shown.push(item.analysis)
    })
  )
  if (format === "json") yield* printDocument(listingJson(shown, failures, adviceOf))
  return mostSevere(failures.map(({ error }) => error))
})

/** What a step with these settings would do. Exits as the step would for all failures that can be known beforehand. */
export const showPlan = Effect.fn("svc.step.showPlan")(function* (
  request: DownloadRequest,
  format: "text" | "json",
  subject: PlanSubject = "run"
) {
  const outcome = yield* Downloads.use(({ plan }) => plan(request, { subject }))
  const { failures, plan, disk } = outcome
  const { prose } = yield* Scrubber
  yield* format === "json" ? printDocument(planJson(outcome, adviceOf)) : printLines(planText(outcome, prose, adviceOf))
  const refused = plan.files.flatMap(({ decision }) => (decision._tag === "Fail" ? [decision.error] : []))
  const short = shortage(disk, disk.destination, disk.free)
  return mostSevere([...failures.map(({ error }) => error), ...refused, ...(short === null ? [] : [short])])
})

/** The download links, on standard output or in a private file. Text is written analysis by analysis, so that no link grows old in here. A file that would be empty is not written. */
export const writeLinks = Effect.fn("svc.step.writeLinks")(function* (
  request: DownloadRequest,
  { baseUrl: target, format, links: prints, target: name, writeLinks: path }: TargetSettings,
  file: Output | null
) {
  const { links } = yield* Downloads
  const entries: Array<LinkEntry> = []
  const errors: Array<StepFailure> = []
  const refuse = (error: StepFailure) => {
    errors.push(error)
    return logFailure(error)
  }
  yield* Stream.runForEach(
    links(request),
    Effect.fnUntraced(function* (item) {
      if (item._tag === "Failed") return yield* refuse(item.failure.error)
      const { indexes, links } = item.links
      yield* Effect.forEach(item.links.errors, refuse, { discard: true })
      for (const { fileName, link } of links) {
        if (link === null) yield* Effect.logWarning(`${printable(fileName)} is archived: it has no link`)
        else if (prints && format === "text") yield* printLines(Redacted.value(link))
      }
      entries.push(...links, ...indexes)
    })
  )
  if (entries.length === 0 && errors.length === 0) yield* refuse(noLinks(request))
  // Not made printable: a link is used byte for byte, and JSON has escaped its control characters.
  const text = JSON.stringify(linksJson({ target, filetypes: request.filetypes, entries }), null, 2)
  if (prints && format === "json") yield* printLines(text)
  if (file !== null && entries.length > 0) {
    yield* file.write(new TextEncoder().encode(`${text}\n`))
    yield* file.commit
    yield* Effect.logInfo(`${counted(entries.length, "file")} of ${name} in ${path}`)
  }
  return mostSevere(errors)
})

/** The file for the links, or null. Opened before anybody logs in, as it may not be possible to write it. */
export const openLinksFile = ({ writeLinks }: TargetSettings) =>
  writeLinks === null
    ? Effect.succeed(null)
    : Effect.andThen(mayReplace(writeLinks, replaceable.links), openOutput(writeLinks, { private: true }))
