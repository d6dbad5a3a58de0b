/**
 * A samplesheet of a run: for the pipeline that comes next, a row for each analysis with the files that stand under their final
 * names. CSV as in RFC 4180, with `\n` at the end of a line, or the same with tabs. Pure.
 */
import * as Result from "effect/Result"
import { isWhole, type RunResult } from "../download/FileResult.ts"
import type { AnalysisOwner } from "../download/RunEvent.ts"
import { type FileType, fileTypeOf, sampleOf } from "../selection/FileName.ts"
import { printable } from "../text/Printable.ts"

/** What a cell can hold: ids, and paths of files. */
const fields = ["analysis", "sample", "person", "bam", "bai", "vcf", "tbi"] as const
type Field = (typeof fields)[number]

const fieldOfType: Readonly<Record<FileType, Field>> = {
  bam: "bam",
  "bam.bai": "bai",
  "vcf.gz": "vcf",
  "vcf.gz.tbi": "tbi"
}

const indexFields: Partial<Record<Field, Field>> = { bam: "bai", vcf: "tbi" }

/** A column: its name in the first line, and what stands below it: of each row its own, or in all rows the same. */
export type SamplesheetColumn =
  | { readonly name: string; readonly field: Field }
  | { readonly name: string; readonly text: string }

/** The columns of a sheet for which none are asked. */
export const usualColumns: ReadonlyArray<SamplesheetColumn> = fields.map((field) => ({ name: field, field }))

/** Reads `patient=person,bam=bam,status="0"`: name of the column, then what stands in it. The failure is a sentence. */
export const parseColumns = (text: string): Result.Result<ReadonlyArray<SamplesheetColumn>, string> => {
  const columns: Array<SamplesheetColumn> = []
  for (const item of text.split(",")) {
    const [name = "", value, ...more] = item.split("=").map((part) => part.trim())
    const field = fields.find((one) => one === value)
    const text = /^"([^"]*)"$/.exec(value ?? "")?.[1]
    const content = field === undefined ? (text === undefined ? null : { text }) : { field }
    if (name === "" || content === null || more.length > 0) {
      const what = `"${printable(item.trim())}" is no column`
      return Result.fail(
        `${what}: write NAME=FIELD, where FIELD is one of ${fields.join(", ")}, or NAME="TEXT" for a text in all rows`
      )
    }
    if (columns.some((column) => column.name === name))
      return Result.fail(`the column ${printable(name)} is there twice`)
    columns.push({ name, ...content })
  }
  return Result.succeed(columns)
}

/** What is between two cells, by the name of the file: a comma for `.csv`, a tab for `.tsv`; null for other names. */
export const separatorOf = (path: string): "," | "\t" | null => {
  const name = path.toLowerCase()
  return name.endsWith(".csv") ? "," : name.endsWith(".tsv") ? "\t" : null
}

export interface SamplesheetForm {
  readonly columns: ReadonlyArray<SamplesheetColumn>
  readonly separator: "," | "\t"
  /** Rows that lack a wanted file are kept, with an empty cell for it. */
  readonly partial: boolean
}

export interface Samplesheet {
  readonly text: string
  readonly rows: number
  /** What rows lack: each is left out, or with `partial` kept where it has any file. */
  readonly incomplete: ReadonlyArray<{ readonly analysisId: string; readonly lacks: string; readonly kept: boolean }>
}

/** The first line. */
export const headerOf = ({ columns, separator }: Pick<SamplesheetForm, "columns" | "separator">): string =>
  `${columns.map(({ name }) => quoted(name, separator)).join(separator)}\n`

/**
 * @param results - of a run; paths are absolute, and slices have their index
 * @param owners - by analysis
 * @param wanted - types that each row must have; a resume knows only what its requests were for, and gives none
 */
export const samplesheetOf = (
  results: ReadonlyArray<RunResult>,
  owners: ReadonlyMap<string, AnalysisOwner>,
  wanted: ReadonlyArray<FileType>,
  form: SamplesheetForm
): Samplesheet => {
  const incomplete: Array<Samplesheet["incomplete"][number]> = []
  const lines: Array<string> = []
  for (const [analysisId, files] of Map.groupBy(results, (result) => result.analysisId)) {
    // A selection that failed as a whole belongs to no row; the run has said so.
    if (analysisId === null) continue
    const rows = rowsOf(files)
    if (rows.length === 0) incomplete.push({ analysisId, lacks: "all its files", kept: false })
    for (const row of rows) {
      const isWanted = (type: FileType) => !row.cells.has(fieldOfType[type]) && !row.excused.has(fieldOfType[type])
      const lacking = [...new Set([...row.lacks, ...wanted.filter(isWanted)])]
      const kept = row.cells.size > 0 && (lacking.length === 0 || form.partial)
      if (lacking.length > 0) {
        const sample = rows.length === 1 ? "" : ` of ${row.stem}`
        incomplete.push({ analysisId, lacks: `${lacking.join(", ")}${sample}`, kept })
      }
      if (!kept) continue
      const owner = owners.get(analysisId)
      // The sample of the service is that of the analysis: two rows of it would be one sample for who reads them.
      const sample = (rows.length === 1 ? owner?.sampleId : null) ?? row.stem
      const ids = { analysis: analysisId, sample, person: owner?.limsId ?? "" }
      const cells = { ...ids, ...Object.fromEntries(row.cells) } as Partial<Record<Field, string>>
      const textOf = (column: SamplesheetColumn) => ("text" in column ? column.text : (cells[column.field] ?? ""))
      lines.push(form.columns.map((column) => quoted(textOf(column), form.separator)).join(form.separator))
    }
  }
  return { text: headerOf(form) + lines.map((line) => `${line}\n`).join(""), rows: lines.length, incomplete }
}

interface Row {
  /** The sample as the names of its files have it. */
  readonly stem: string
  readonly cells: Map<Field, string>
  readonly lacks: ReadonlyArray<FileType>
  /** Cells that stay empty rightly: a type that has no unplaced reads, when only these are wanted. */
  readonly excused: ReadonlySet<Field>
}

/** One row for an analysis; where it has several files of one type, one for each sample that its file names have. */
const rowsOf = (results: ReadonlyArray<RunResult>): ReadonlyArray<Row> => {
  const files = results.flatMap((result) => {
    const type = result.fileName === null ? null : fileTypeOf(result.fileName)
    return result.fileName === null || type === null ? [] : [{ result, fileName: result.fileName, type }]
  })
  const types = new Set(files.map(({ type }) => type))
  if (files.length === 0) return []
  const groups =
    types.size === files.length ? [files] : [...Map.groupBy(files, ({ fileName }) => sampleOf(fileName)).values()]
  return groups.map((group) => {
    const cells = new Map<Field, string>()
    for (const { result, type } of group) {
      if (!isWhole(result)) continue
      const field = fieldOfType[type]
      cells.set(field, result.path)
      const index = indexFields[field]
      if (index !== undefined && "index" in result && result.index !== null) cells.set(index, result.index.path)
    }
    const missing = group.filter(({ result }) => !isWhole(result))
    const hasNoReads = ({ result }: (typeof group)[number]) => result._tag === "Skipped" && result.reason === "no-reads"
    const excused = missing.filter(hasNoReads).map(({ type }) => fieldOfType[type])
    return {
      stem: sampleOf(group[0]?.fileName ?? ""),
      cells,
      lacks: missing.filter((file) => !hasNoReads(file)).map(({ type }) => type),
      excused: new Set(excused.flatMap((field) => [field, indexFields[field] ?? field]))
    }
  })
}

/**
 * A cell that holds a separator, a line end, or what the form takes for a quote, stands in quotes, and its quotes are doubled. In a table
 * with tabs a quote is none but at the start, so that a shell can read all names of files that there may be.
 */
const quoted = (text: string, separator: "," | "\t"): string =>
  (separator === "," ? /[",\r\n]|^\s|\s$/ : /[\t\r\n]|^"/).test(text) ? `"${text.replaceAll('"', '""')}"` : text
