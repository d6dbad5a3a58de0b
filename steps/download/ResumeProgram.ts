/** The program of `svc-resume-restore`, which `svc-download --resumeArchivedDownloads` is too. */
import * as Effect from "effect/Effect"
import type { ParsedRequest } from "../../core/src/download/DownloadRequest.ts"
import type { Settings } from "../../core/src/settings/Settings.ts"
import { makeProgram } from "../main/Step.ts"
import { completeRequest, requestOf } from "./Request.ts"
import { resumeRun } from "./ResumeFiles.ts"

export const resumeProgram = makeProgram(
  (settings) => requestOf(settings),
  Effect.fnUntraced(function* (settings: Settings, parsed: ParsedRequest) {
    return yield* resumeRun(yield* completeRequest(parsed), settings)
  })
)
