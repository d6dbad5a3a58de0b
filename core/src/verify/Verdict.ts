/** What a verification found out about one file, and how it is shown. */
import {
  codeOf,
  ExitCodes,
  type FileDamaged,
  type LocalIo,
  mostSevere,
  type NotFound,
  type NothingToVerify
} from "../Errors.ts"
import { printable } from "../text/Printable.ts"
import { counted, humanSize } from "../text/Quantity.ts"
import type { BlockPosition } from "./WholeWalk.ts"

/** Null where the kind of file has none. */
export interface Facts {
  readonly blocks: number | null
  /** Inflated bytes. */
  readonly inflated: number | null
  readonly references: number | null
  readonly samples: number | null
  readonly records: number | null
  /** Of an index or a checksum: the file that it was compared with. */
  readonly comparedWith: string | null
}

export const noFacts: Facts = {
  blocks: null,
  inflated: null,
  references: null,
  samples: null,
  records: null,
  comparedWith: null
}

/**
 * - `ok` everything that can be checked holds
 * - `failed` damaged, missing or unreadable: see `error`
 * - `unfinished` a part of a download that goes on in the next run: no damage
 * - `unchecked` nothing is known about this kind of file, and no size or checksum was given
 */
export type Status = "ok" | "failed" | "unfinished" | "unchecked"

export interface Verdict {
  readonly path: string
  /** What its name says it is, such as `bam.bai`. */
  readonly kind: string | null
  readonly status: Status
  readonly bytes: number | null
  /** Only where a manifest asked for it. */
  readonly sha256: string | null
  /** What the reader should know besides, in words. */
  readonly notes: ReadonlyArray<string>
  readonly facts: Facts
  /** The first damage. */
  readonly place: BlockPosition | null
  readonly error: FileDamaged | LocalIo | NotFound | null
}

const words: Readonly<Record<Status, string>> = {
  ok: "ok",
  failed: "FAILED",
  unfinished: "unfinished",
  unchecked: "not checked"
}

const several = (count: number | null, noun: string) => (count === null ? [] : [counted(count, noun)])

/** One line, `ok  a.bam  1.2 MiB, 40 blocks, ...`; safe on a terminal. */
export const verdictLine = ({ bytes, error, facts, notes, path, sha256, status }: Verdict): string => {
  const about = [
    ...(bytes === null ? [] : [humanSize(bytes)]),
    ...several(facts.blocks, "block"),
    ...several(facts.references, "reference"),
    ...several(facts.samples, "sample"),
    ...several(facts.records, "record"),
    ...(facts.comparedWith === null ? [] : [`belongs to ${facts.comparedWith}`]),
    ...(sha256 === null || error !== null ? [] : ["sha256 as expected"])
  ]
  // The message of an error begins with the file it is about.
  const what = error === null ? `${path}${about.length === 0 ? "" : `  ${about.join(", ")}`}` : error.message
  return printable([`${words[status].padEnd(12)}${what}`, ...notes].join("; "))
}

/** How many files came to what; `bytes` of those that were checked. */
export const totalsOf = (verdicts: ReadonlyArray<Verdict>) => {
  const count = (status: Status) => verdicts.filter((verdict) => verdict.status === status).length
  const checked = verdicts.filter(({ status }) => status === "ok" || status === "failed")
  return {
    files: verdicts.length,
    ok: count("ok"),
    failed: count("failed"),
    unfinished: count("unfinished"),
    unchecked: count("unchecked"),
    bytes: checked.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0)
  }
}

/** `3 files: 2 ok, 1 failed`. */
export const summary = (totals: ReturnType<typeof totalsOf>): string => {
  const parts = (["ok", "failed", "unfinished", "unchecked"] as const).filter((status) => totals[status] > 0)
  const named = parts.map((status) => `${totals[status]} ${words[status].toLowerCase()}`)
  return `${counted(totals.files, "file")}${named.length === 0 ? "" : `: ${named.join(", ")}`}`
}

/** Why a run in which nothing failed has proven nothing, in words; null when something was checked. */
export const unprovenSentence = (verdicts: ReadonlyArray<Verdict>): string | null => {
  if (verdicts.some(({ status }) => status === "ok" || status === "failed")) return null
  const unfinished = verdicts.filter(({ status }) => status === "unfinished").length
  const others = verdicts.filter(({ bytes, status }) => status === "unchecked" && bytes !== null).length
  const reasons = [
    ...(unfinished === 0 ? [] : [`${counted(unfinished, "download")} not finished yet`]),
    ...(others === 0
      ? []
      : [
          `${counted(others, "file")}, but no BAM, no VCF.gz and no index of one; against a report files of any kind are checked`
        ])
  ]
  return reasons.length === 0 ? "no files there" : reasons.join(", ")
}

export const exitCodeOf = (verdicts: ReadonlyArray<Verdict>, nothing: NothingToVerify | null) =>
  mostSevere([...verdicts.flatMap(({ error }) => error ?? []), ...(nothing === null ? [] : [nothing])])

/** The document of `--format json`, schema `svc.verify/1`; its keys are the contract. */
export const verdictsJson = (version: string, verdicts: ReadonlyArray<Verdict>, nothing: NothingToVerify | null) => {
  const exitCode = exitCodeOf(verdicts, nothing)
  return {
    schema: "svc.verify/1",
    version,
    exitCode,
    exitMeaning: ExitCodes[exitCode],
    totals: totalsOf(verdicts),
    files: verdicts.map(({ error, facts, place, ...verdict }) => ({
      ...verdict,
      ...facts,
      error:
        error === null
          ? null
          : {
              tag: codeOf(error),
              message: error.message,
              ...(error._tag === "SvcFileDamaged" ? { fault: error.fault } : {}),
              block: place?.block ?? null,
              offset: place?.offset ?? null
            }
    }))
  }
}
