/** `svc-steps restorations list` */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Item } from "../../core/src/archive/TrackingDocument.ts"
import { TrackingFile } from "../../core/src/archive/TrackingFile.ts"
import type { LocalSettings } from "../../core/src/settings/Settings.ts"
import { printable } from "../../core/src/text/Printable.ts"
import * as TrackingFileLive from "../../platform/files/TrackingFile.ts"
import { printDocument, printLines } from "../main/StandardOutput.ts"
import { makeProgram, type ValuesOf, valuesOf } from "../main/Step.ts"
import type { listOptions } from "./Options.ts"

export const list = makeProgram(
  (_settings, _operands, own) => Result.succeed(valuesOf<typeof listOptions>(own)),
  Effect.fn("svc.step.listRestorations")(
    function* (_: LocalSettings, { format }: ValuesOf<typeof listOptions>) {
      const { items } = yield* TrackingFile.use(({ read }) => read)
      yield* format === "json"
        ? printDocument({ schema: "svc.requests/1", requests: items.map(jsonOf) })
        : printLines(items.length === 0 ? "No restorations" : items.map(lineOf).join("\n"))
      return 0 as const
    },
    (effect, { restorationFile }) => Effect.provide(effect, TrackingFileLive.layer({ path: restorationFile }))
  )
)

/** One line about an entry. */
export const lineOf = ({ entry, problem }: Item, index: number): string => {
  if (entry === null) return `entry ${index + 1} cannot be used: ${printable(problem)}`
  const { analysisId, fileName, options, requestTime, restoreEstimation, status, target } = entry
  const parts = [
    `${analysisId}  ${fileName}`,
    restoreEstimation === null ? "expected at an unknown time" : `expected at ${restoreEstimation}`,
    ...(options.destination == null ? [] : [`into ${options.destination}`]),
    ...(requestTime === null ? [] : [`requested ${requestTime}`]),
    ...(target === null ? [] : [target]),
    ...(status === null || status === "pending" ? [] : [status])
  ]
  return printable(parts.join("  "))
}

const jsonOf = ({ entry, problem }: Item, index: number) =>
  entry === null
    ? { position: index + 1, problem }
    : {
        position: index + 1,
        analysisId: entry.analysisId,
        fileName: entry.fileName,
        restoreEstimation: entry.restoreEstimation,
        target: entry.target,
        requestTime: entry.requestTime,
        status: entry.status,
        options: entry.storedOptions
      }
