/** `--links` and `--writeLinks`: the download links in place of the files, on standard output or in a private file. Restores nothing. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { DownloadRequest } from "../../core/src/download/DownloadRequest.ts"
import { Downloads } from "../../core/src/download/Downloads.ts"
import { noLinks } from "../../core/src/download/LinkListing.ts"
import { type LinkEntry, linksJson, linkText } from "../../core/src/download/LinkManifest.ts"
import { mostSevere } from "../../core/src/Errors.ts"
import { logFailure } from "../../core/src/FailureLog.ts"
import { mayReplace } from "../../core/src/report/ReportFile.ts"
import type { TargetSettings } from "../../core/src/settings/Settings.ts"
import { printable } from "../../core/src/text/Printable.ts"
import { type Output, openOutput } from "../../platform/files/OutputFile.ts"
import { printLines } from "../main/StandardOutput.ts"
import type { StepFailure } from "../main/Step.ts"

/** Text is written analysis by analysis, so that no link grows old in here. A file that would be empty is not written. */
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
        else if (prints && format === "text") yield* printLines(linkText({ link }))
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
    yield* Effect.logInfo(`${entries.length} files of ${name} in ${path}`)
  }
  return mostSevere(errors)
})

/** The file for the links, or null. Opened before anybody logs in, as it may not be possible to write it. */
export const openLinksFile = ({ writeLinks }: TargetSettings) =>
  writeLinks === null
    ? Effect.succeed(null)
    : Effect.andThen(mayReplace(writeLinks, "links"), openOutput(writeLinks, { private: true }))
