/** The settings of a command line as the request of a run. */
import { Effect } from "effect"
import { type DownloadOptions, downloadRequest, requestProblems } from "../../core/src/download/DownloadRequest.ts"
import type { FileType } from "../../core/src/selection/FileName.ts"
import type { LocalSettings, TargetSettings } from "../../core/src/settings/Settings.ts"
import * as ZlibCodec from "../../platform/ZlibCodec.ts"

const optionsOf = (settings: TargetSettings): DownloadOptions => ({
  ...settings,
  // A listing shows every type unless some are asked for.
  shows: settings.given("filetypes") ? settings.filetypes : null
})

/** @param filetypes - in place of those of the settings */
export const requestOf = (settings: TargetSettings, filetypes: ReadonlyArray<FileType> = settings.filetypes) =>
  downloadRequest({ ...optionsOf(settings), filetypes }, ownFiles(settings)).pipe(Effect.provide(ZlibCodec.layer))

/** What is wrong with the settings of a run, one sentence each. */
export const problemsOf = (settings: LocalSettings): ReadonlyArray<string> => {
  const { bed, links, range, unmapped } = settings
  const slices = range !== null || bed !== null || unmapped
  return [
    ...requestProblems(settings),
    ...(slices && links ? ["--links gives links of whole files: leave out --range, --bed and --unmapped"] : [])
  ]
}

/** Files that this run writes itself: no download may take their place. */
const ownFiles = ({ linksFile, logfile, reportfile, restorationFile }: TargetSettings): ReadonlyMap<string, string> =>
  new Map([
    ...(logfile === null ? [] : [[logfile, "the log file"] as const]),
    ...(reportfile === null ? [] : [[reportfile, "the report file"] as const]),
    ...(linksFile === null ? [] : [[linksFile, "the links file"] as const]),
    [restorationFile, "the restoration file"]
  ])
