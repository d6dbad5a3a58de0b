/** The settings of a command line as the request of a run. */
import * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import { type ParsedRequest, parseRequest, readRequest, wantsSlices } from "../../core/src/download/DownloadRequest.ts"
import { filesOf } from "../../core/src/settings/NamedFiles.ts"
import type { LocalSettings } from "../../core/src/settings/Settings.ts"
import * as ZlibCodec from "../../platform/inflate/ZlibCodec.ts"
import { type Problems, withProblems } from "../main/Step.ts"

/** What the settings ask for, or what is wrong with them. */
export const requestOf = (settings: LocalSettings): Result.Result<ParsedRequest, Problems> => {
  // A listing shows every type unless some are asked for.
  const shows = settings.given("filetypes") ? settings.filetypes : null
  const wholeOnly =
    (settings.links || settings.writeLinks !== null) && wantsSlices(settings)
      ? ["Links are those of whole files: leave out --range, --bed and --unmapped"]
      : []
  return withProblems(
    parseRequest({ ...settings, connections: filesAtOnce(settings), shows }, new Map(ownFiles(settings))),
    wholeOnly
  )
}

/** Files in transfer at the same time. A large one uses several connections, but with few of them each file has its own. */
export const filesAtOnce = ({ connections }: Pick<LocalSettings, "connections">): number =>
  Math.max(Math.min(connections, 4), Math.floor(connections / 2))

/** Options of the command line that do nothing where files are only shown. */
export const idleOptions = (settings: LocalSettings): Problems => {
  const { links, list, plan, reportfile, resumeArchivedDownloads, wait, writeLinks } = settings
  if (resumeArchivedDownloads || !(links || list || plan || writeLinks !== null)) return []
  return [
    ...(wait === null ? [] : ["--wait waits for files to download: it does not go with --list, --plan or --links"]),
    ...(reportfile === null || settings.source("reportfile") !== "command line"
      ? []
      : ["--reportfile reports what was done with files: leave it out with --list, --plan and --links"])
  ]
}

/** The request with the regions of its BED file. */
export const completeRequest = (request: ParsedRequest) => Effect.provide(readRequest(request), ZlibCodec.layer)

/** Files that this run writes itself: no download may take their place. */
const ownFiles = (settings: LocalSettings): ReadonlyArray<readonly [path: string, what: string]> =>
  filesOf(settings, () => true).flatMap(({ path, use, what }) => (use === "written" ? [[path, what]] : []))
