/**
 * Requests whose restoration is not under way any more: it was never begun, it got lost, or its copy is gone again.
 *
 * Whoever asked for a file agreed to its restoration, and that agreement lies in the entry: a resuming run asks again by
 * itself, and not more than once a day for an entry, as each restoration may cost money. The mode `no` forbids it.
 */

import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { ServiceClient } from "../client/ServiceClient.ts"
import type { AnalysisId } from "../contract/Ids.ts"
import { AdviceOf, type ChangeError, ending, type FileArchived, type TrackingError } from "../Errors.ts"
import { timeOf } from "../text/Timestamp.ts"
import { type Known, requestDurably } from "./Asking.ts"
import { type Leave, leaveBeyond, nothingRestored } from "./Policy.ts"
import { leftError, perAnalysis, type RestoreRequest } from "./Requests.ts"
import { nameOfEntry, remember } from "./StoredRequests.ts"
import type { TrackingEntry } from "./TrackingEntry.ts"
import type { TrackingFile } from "./TrackingFile.ts"
import type { Restoration } from "./Waiting.ts"

/** An entry is asked for again at most once in this time. */
const interval = Duration.hours(24)

/** Asked for again less than a day ago; `until` in ms since 1970. */
interface Asked {
  readonly _tag: "Asked"
  readonly until: number
}

/** What becomes of an entry of which no restoration is known to be under way. */
export type AskAgainDecision = { readonly _tag: "Ask" } | Asked | Leave

/** @param now - ms since 1970 */
export const decideToAskAgain = (
  { askedAgain }: Pick<TrackingEntry, "askedAgain">,
  mode: RestoreRequest["mode"],
  now: number
): AskAgainDecision => {
  if (mode === "no") return nothingRestored
  const before = timeOf(askedAgain)
  // A time in the future was written under a wrong clock.
  if (before === null || before > now || now - before >= Duration.toMillis(interval)) return { _tag: "Ask" }
  return { _tag: "Asked", until: before + Duration.toMillis(interval) }
}

/** What became of asking again for an entry; `Asked`: by another run, while this one waited for its turn; `Leave`: by the limit of the run. */
export type AskAgainResult =
  | ({ readonly _tag: "Requested" } & Restoration)
  | Asked
  | Leave
  | { readonly _tag: "Failed"; readonly error: ChangeError | TrackingError | FileArchived }

/**
 * Asks once for each analysis of `entries`.
 *
 * @param asked - the analyses that this run asked for before, by their number bounded by `maxRestores`; grows
 * @param known - the requests that the restoration file had beside them
 */
export const askAgain = Effect.fn("svc.archive.askAgain")(function* (
  entries: ReadonlyArray<TrackingEntry>,
  request: RestoreRequest,
  asked: Set<string>,
  known: Known
): Effect.fn.Return<ReadonlyMap<TrackingEntry, AskAgainResult>, never, ServiceClient | TrackingFile> {
  const results = new Map<TrackingEntry, AskAgainResult>()
  const wanted: Array<TrackingEntry> = []
  const within = new Set(asked)
  for (const entry of entries) {
    const left = leaveBeyond(request.maxRestores, within, entry.analysisId)
    if (left === null) {
      within.add(entry.analysisId)
      wanted.push(entry)
    } else {
      results.set(entry, request.requireAll === true ? { _tag: "Failed", error: leftError(entry, left.reason) } : left)
    }
  }
  const found = yield* perAnalysis(wanted, (id, group) => askForEntries(id, group, request, asked, known))
  return new Map<TrackingEntry, AskAgainResult>([...results, ...found])
})

const askForEntries = Effect.fnUntraced(function* (
  analysisId: AnalysisId,
  entries: ReadonlyArray<TrackingEntry>,
  request: RestoreRequest,
  asked: Set<string>,
  known: Known
): Effect.fn.Return<AskAgainResult, ChangeError | TrackingError, ServiceClient | TrackingFile> {
  const outcome = yield* requestDurably(analysisId, entries.map(trackedFile), request, {
    known,
    again: {
      left: Effect.fnUntraced(function* (current) {
        const now = yield* Clock.currentTimeMillis
        // Who has asked for one of them since this run read the file has asked for the whole analysis.
        for (const entry of current) {
          const decision = decideToAskAgain(entry, request.mode, now)
          if (decision._tag === "Asked") return decision
        }
        return null
      }),
      begins: Effect.gen(function* () {
        for (const entry of entries) {
          yield* Effect.logInfo(
            `${nameOfEntry(entry)}: archived, and no restoration is under way: asking again, as was agreed to`
          )
        }
        // What another run has asked for takes nothing from the number of this one.
        asked.add(analysisId)
      })
    },
    failed: (why, now) =>
      Effect.forEach(
        entries,
        ({ askedAgain, requestTime, restoreEstimation, status, ...entry }) =>
          remember([trackedFile(entry)], request, {
            restoreEstimation,
            requestTime,
            status,
            askedAgain: why === "Unasked" ? askedAgain : now
          }),
        { discard: true }
      )
  })
  return "_tag" in outcome ? outcome : { _tag: "Requested", ...outcome }
})

/** Says why an entry is not asked for. */
export const sayLeft = (entry: TrackingEntry, decision: Exclude<AskAgainDecision, { readonly _tag: "Ask" }>) => {
  const why =
    decision._tag === "Leave"
      ? decision.reason
      : `it was asked for again less than a day ago, and will be after ${new Date(decision.until).toISOString()}`
  const sentence = `${nameOfEntry(entry)}: archived, and no restoration is under way; not asked for: ${why}; its request stays`
  const advised = decision._tag === "Leave" ? decision : {}
  return Effect.flatMap(AdviceOf, (adviceOf) => Effect.logWarning(ending(sentence, adviceOf(advised))))
}

const trackedFile = ({
  analysisId,
  fileName,
  storedOptions
}: Pick<TrackingEntry, "analysisId" | "fileName" | "storedOptions">) => ({
  analysisId,
  fileName,
  options: storedOptions
})
