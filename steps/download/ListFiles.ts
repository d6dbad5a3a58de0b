/** `--list`: what the selected analyses have, printed as soon as it is known. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { DownloadRequest } from "../../core/src/download/DownloadRequest.ts"
import { Downloads } from "../../core/src/download/Downloads.ts"
import type { FileFailure } from "../../core/src/download/FileResult.ts"
import { mostSevere } from "../../core/src/Errors.ts"
import { logFailure } from "../../core/src/FailureLog.ts"
import { listingJson, listingText } from "../../core/src/report/Listing.ts"
import type { ListedAnalysis } from "../../core/src/selection/ListedFiles.ts"
import { printable } from "../../core/src/text/Printable.ts"
import { printDocument, printLines } from "../main/StandardOutput.ts"

export const listFiles = Effect.fn("svc.step.listFiles")(function* (request: DownloadRequest, format: "text" | "json") {
  const { list } = yield* Downloads
  const shown: Array<ListedAnalysis> = []
  const failures: Array<FileFailure> = []
  const recordFailure = (failure: FileFailure) => {
    failures.push(failure)
    return logFailure(failure.error, printable(failure.error.message))
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
  if (format === "json") yield* printDocument(listingJson(shown, failures))
  return mostSevere(failures.map(({ error }) => error))
})
