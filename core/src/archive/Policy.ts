/**
 * What happens with archived files: the table of docs/dev/service.md 3 for `no`, `ask`, `all` and `force`, as pure
 * functions.
 *
 * Every decision carries the reason that the log gives for it (docs/dev/service.md 4.2).
 */
import type { AnalysisId } from "../contract/Ids.ts"
import { counted } from "../text/Quantity.ts"

/**
 * What a run does with archived files: see the policies of these names.
 *
 * @category options
 * @since 0.1.0
 */
export type RestoreMode = "ask" | "all" | "force" | "no"

/** What a run does with archived files. */
export interface RestorePolicy {
  readonly mode: RestoreMode
  /** Most restorations of analyses to ask for in one run; null for no limit. */
  readonly maxRestores: number | null
}

/** `ask` asks for each file, `all` once for all files, `force` restores without asking, `no` restores nothing. */
export const RestorePolicy = {
  ask: { mode: "ask", maxRestores: null },
  all: { mode: "all", maxRestores: null },
  force: { mode: "force", maxRestores: null },
  no: { mode: "no", maxRestores: null }
} as const satisfies Record<RestoreMode, RestorePolicy>

/** An archived file that was asked for. */
export interface ArchivedFile {
  readonly analysisId: AnalysisId
  readonly fileName: string
  /** What lies in the archive, where that is not the file itself: the index that its slice needs. */
  readonly archivedName?: string
  /** Bytes; null when the service does not say. */
  readonly size: number | null
  /** The service's word that a restoration is under way, as text; null when it says nothing. */
  readonly estimatedRestoreTime: string | null
  /** Estimate of the entry that the restoration file has for exactly this request; null without one. */
  readonly tracked: { readonly restoreEstimation: string | null; readonly requestTime: string | null } | null
}

/** Which questions are to be asked, once the rest is known. */
export type Questions<F> =
  | { readonly _tag: "None" }
  | { readonly _tag: "Once"; readonly files: ReadonlyArray<F> }
  | { readonly _tag: "Each"; readonly files: ReadonlyArray<F> }

/** What was answered; a file without an answer counts as no. */
export interface Answers<F> {
  /** Somebody is at a terminal. */
  readonly present: boolean
  readonly yes: ReadonlySet<F>
}

export type RestoreDecision =
  /** The service is asked for its restoration. */
  | { readonly _tag: "Request"; readonly reason: string }
  /** It is being restored already: nothing is asked of the service, the file is remembered. */
  | { readonly _tag: "Follow"; readonly reason: string }
  /** Requested and remembered before. */
  | { readonly _tag: "Wait"; readonly reason: string }
  | Leave

export interface Leave {
  readonly _tag: "Leave"
  readonly reason: string
  /** What to do when it is wanted nevertheless. */
  readonly advice?: "restoreUnasked" | "maxRestores"
}

/** By the mode `no`. */
export const nothingRestored: Leave = {
  _tag: "Leave",
  reason: "the restore mode is no",
  advice: "restoreUnasked"
}

/** By the limit of a run; null where it allows one more. One request restores a whole analysis, so analyses count. */
export const leaveBeyond = (
  most: RestorePolicy["maxRestores"],
  asked: ReadonlySet<string>,
  analysisId: AnalysisId
): Leave | null => {
  if (most === null || asked.size < most || asked.has(analysisId)) return null
  const reason = `no ${most === 0 ? "restorations" : `more than ${counted(most, "restoration")}`} may be asked for`
  return { _tag: "Leave", reason, advice: "maxRestores" }
}

/** What stands in place of a decision while nobody was asked. */
export interface RestoreQuestion {
  readonly _tag: "Ask"
  readonly reason: string
}

/** The files that somebody has to agree to: those already remembered were agreed to before. */
export const questions = <F extends ArchivedFile>(
  mode: RestoreMode,
  present: boolean,
  files: ReadonlyArray<F>
): Questions<F> => {
  const open = files.filter(({ tracked }) => tracked === null)
  if (!present || open.length === 0 || mode === "force" || mode === "no") return { _tag: "None" }
  return mode === "all" ? { _tag: "Once", files: open } : { _tag: "Each", files: open }
}

/** The decision on each file, in order; within `maxRestores` the first ones get their turn. */
export const decide = <F extends ArchivedFile>(
  mode: RestoreMode,
  files: ReadonlyArray<F>,
  answers: Answers<F>,
  maxRestores: number | null
): ReadonlyArray<{ readonly file: F; readonly decision: RestoreDecision }> => {
  const asked = new Set<string>()
  return files.map((file) => {
    if (file.tracked !== null) return { file, decision: { _tag: "Wait", reason: "it was requested before" } }
    const consented = consent(mode, answers, file)
    if (consented._tag === "Leave") return { file, decision: consented }
    if (file.estimatedRestoreTime !== null) {
      return { file, decision: { _tag: "Follow", reason: `${consented.reason}, and it is being restored already` } }
    }
    const left = leaveBeyond(maxRestores, asked, file.analysisId)
    if (left !== null) return { file, decision: left }
    asked.add(file.analysisId)
    return { file, decision: consented }
  })
}

/**
 * The same before anybody was asked: `Ask` where the answer of a person will decide.
 *
 * @param present - somebody is at a terminal
 */
export const foresee = <F extends ArchivedFile>(
  mode: RestoreMode,
  files: ReadonlyArray<F>,
  present: boolean,
  maxRestores: number | null
): ReadonlyArray<{ readonly file: F; readonly decision: RestoreDecision | RestoreQuestion }> => {
  const asked = questions(mode, present, files)
  const open = new Set(asked._tag === "None" ? [] : asked.files)
  const limit = maxRestores === null ? "" : `, and restores at most ${maxRestores} of the analyses agreed to`
  const question: RestoreQuestion = {
    _tag: "Ask",
    reason: `${asked._tag === "Once" ? "the run asks once for all archived files" : "the run asks for this file"}${limit}`
  }
  return decide(mode, files, { present, yes: new Set() }, maxRestores).map(({ file, decision }) => ({
    file,
    decision: open.has(file) ? question : decision
  }))
}

const consent = <F extends ArchivedFile>(
  mode: RestoreMode,
  { present, yes }: Answers<F>,
  file: F
): Extract<RestoreDecision, { readonly _tag: "Request" | "Leave" }> => {
  if (mode === "no") return nothingRestored
  if (mode === "force") return { _tag: "Request", reason: "no question is asked first" }
  if (!present) {
    return { _tag: "Leave", reason: "there is no terminal to ask on", advice: "restoreUnasked" }
  }
  const scope = mode === "all" ? "asked once for all archived files" : "asked for this file"
  return yes.has(file)
    ? { _tag: "Request", reason: `${scope}, the answer was yes` }
    : { _tag: "Leave", reason: `${scope}, the answer was no` }
}
