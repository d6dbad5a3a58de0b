/** What a plan says of files that were asked for and that the service does not list. */
import type { AnalysisId } from "../contract/Ids.ts"
import { NotFound, type ServiceError } from "../Errors.ts"
import { isDataType, partnerOf } from "../genome/formats/FileNames.ts"
import { type FileType, fileTypeOf } from "../selection/FileName.ts"
import { type FileChoice, type ListedAnalysis, type WantedFile, wantedTypes } from "../selection/WantedFiles.ts"
import { printable } from "../text/Printable.ts"

/**
 * A thing that was asked for and cannot be had; it fails while the rest goes on.
 *
 * @category models
 * @since 0.1.0
 */
export interface PlanFailure {
  readonly analysisId: AnalysisId | null
  readonly error: ServiceError
  /** Files of a type are not listed. */
  readonly reason?: "missing"
}

/** Which files are wanted, and whether they must be there. */
export interface RequiredChoice extends FileChoice {
  /** Each analysis must have each type; else only those named by their ids should, and a warning says what is missing. */
  readonly requireAll?: boolean
}

/** What a plan says beside its files. What the analyses lack: a failure where none of the types is there or all are required, a warning where some are not. */
export const remarksOn = (
  analyses: ReadonlyArray<ListedAnalysis>,
  files: ReadonlyArray<WantedFile>,
  request: RequiredChoice
) => {
  const failures: Array<PlanFailure> = []
  /** Sentences for the log. */
  const warnings: Array<string> = []
  const filetypes = wantedTypes(request)
  const { requireAll = false } = request
  const missing = (analysisId: AnalysisId | null, error: NotFound) =>
    void failures.push({ analysisId, error, reason: "missing" })
  const wanted = filetypes.join(", ")
  const typesOf = Map.groupBy(files, (file) => file.analysisId)
  const madeFor = (id: AnalysisId) =>
    new Set(typesOf.get(id)?.flatMap(({ makesIndex, type }) => (makesIndex === true ? [partnerOf(type)] : [])))
  for (const analysis of analyses) {
    const { analysisId } = analysis
    const found = new Set(typesOf.get(analysisId)?.map((file) => file.type))
    // An analysis found by sample or person need not have all types, but one file of a pair without the other is worth a warning.
    const mustHave = analysis.named || requireAll
    const hasPartner = (type: FileType) => found.has(partnerOf(type) ?? type)
    const made = madeFor(analysisId)
    const absent = filetypes.filter((type) => !found.has(type) && !made.has(type) && (mustHave || hasPartner(type)))
    if (found.size === 0 && mustHave) {
      missing(analysisId, nothingOf(wanted, `analysis ${printable(analysisId)}`, [analysis]))
    } else if (found.size > 0 && absent.length > 0) {
      // An index is listed, and the file that it belongs to is not: what was asked for is lost.
      const lost = absent.filter((type) => isDataType(type) && hasPartner(type))
      const optional = absent.filter((type) => !lost.includes(type))
      if (lost.length > 0) missing(analysisId, onlyIndexOf(lost, analysisId))
      if (optional.length > 0 && requireAll) missing(analysisId, noneListed(optional, analysisId))
      else if (optional.length > 0)
        warnings.push(`Analysis ${printable(analysisId)}: no ${optional.join(", ")} file is listed`)
    }
    const nameless = analysis.files.filter((file) => file.fileName === null).length
    if (nameless > 0)
      warnings.push(`Analysis ${printable(analysisId)}: ${nameless} file(s) without a name were left out`)
  }
  if (analyses.length > 0 && files.length === 0 && failures.length === 0) {
    missing(null, nothingOf(wanted, "the selected analyses", analyses))
  }
  return { failures, warnings }
}

const noneListed = (types: ReadonlyArray<FileType>, id: AnalysisId) =>
  new NotFound({
    what: `${types.join(", ")} file of analysis ${printable(id)}`,
    detail: "none is listed",
    analysisId: id,
    next: "listFiles"
  })

const onlyIndexOf = (types: ReadonlyArray<FileType>, id: string) =>
  new NotFound({ what: `${types.join(", ")} files of analysis ${printable(id)}`, detail: "only their index is listed" })

const nothingOf = (wanted: string, where: string, analyses: ReadonlyArray<ListedAnalysis>) => {
  const names = analyses.flatMap((analysis) => analysis.files.flatMap((file) => file.fileName ?? []))
  const others = [...new Set(names.map(fileTypeOf))].filter((type) => type !== null)
  const found =
    others.length === 0
      ? { detail: "it has no files of a known type" }
      : { detail: `there are ${others.join(", ")}`, next: "filetypes" as const }
  return new NotFound({ what: `${wanted} files of ${where}`, ...found })
}
