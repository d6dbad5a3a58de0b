/** The program of `svc-resume-restore`, which `svc-download --resumeArchivedDownloads` is too. */
import { Effect } from "effect"
import type { Settings } from "../../core/src/settings/Settings.ts"
import { keepHeapSmall } from "../../platform/SmallHeap.ts"
import type { Program } from "../main/Step.ts"
import { requestOf } from "./Request.ts"
import { resumed } from "./ResumeFiles.ts"

export const resumeProgram: Program<Settings> = {
  check: (settings, _operands, own) =>
    own.given("once") && own.values["once"] === true && settings.wait !== null
      ? ["--once and --wait cannot be used together: one looks once, the other waits"]
      : [],
  run: Effect.fnUntraced(function* (settings) {
    yield* Effect.sync(keepHeapSmall)
    return yield* resumed(yield* requestOf(settings), settings)
  })
}
