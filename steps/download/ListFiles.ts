/** `--list`: what the selected analyses have, printed as soon as it is known. Nothing is downloaded or restored. */
import { Effect } from "effect"
import { withSizes } from "../../core/src/download/SizeProbe.ts"
import { type RefusedEstimate, withEstimates } from "../../core/src/download/SliceTasks.ts"
import { mostSevere } from "../../core/src/Errors.ts"
import { listed, listingJson, listingText } from "../../core/src/report/Listing.ts"
import type { ListedAnalysis } from "../../core/src/selection/Listed.ts"
import { printable } from "../../core/src/text/Printable.ts"
import { printDocument, printLines } from "../main/StandardOutput.ts"
import { wholeFailure } from "./Gather.ts"
import type { LinkSource } from "./LinkSource.ts"
import type { DownloadSettings } from "./Wish.ts"

export const listFiles = Effect.fn("download.list")(function* <E, R>(
  settings: DownloadSettings,
  source: LinkSource<E, R>
) {
  const shown: Array<ListedAnalysis> = []
  const refused: Array<RefusedEstimate> = []
  const filetypes = settings.given("filetypes") ? settings.filetypes : null
  const { failures } = yield* source.gather((entry) =>
    Effect.gen(function* () {
      const sized = yield* withSizes({ ...entry, listed: listed(entry.listed, filetypes) })
      const { analysis, refused: more } = yield* withEstimates(sized, entry, settings.wish, yield* source.book([entry]))
      for (const { error } of more) yield* Effect.logError(printable(error.message))
      refused.push(...more)
      if (settings.format === "text") yield* printLines(listingText(analysis))
      else shown.push(analysis)
    })
  )
  const all = [...failures.map(wholeFailure), ...refused]
  if (settings.format === "json") yield* printDocument(listingJson(shown, all))
  return mostSevere(all.map(({ error }) => error))
})
