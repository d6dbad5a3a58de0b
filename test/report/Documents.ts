/** Reports to draw: an ordinary night, thousands of files, and a service that means harm. */

import { AnalysisId } from "../../core/src/contract/Ids.ts"
import { type FileResult, failureResult } from "../../core/src/download/FileResult.ts"
import { type ExitCode, FileDamaged, FileDiffers, UsageError } from "../../core/src/Errors.ts"
import { type ReportDocument, type ReportRun, reportJson } from "../../core/src/report/Report.ts"
import { adviceOf } from "../../steps/main/Advice.ts"
import * as Results from "../Results.ts"

const start = Date.parse("2026-11-21T02:00:00Z")
const MiB = 1024 * 1024
const hex = (seed: number) => (seed % 997).toString(16).padStart(4, "0").repeat(16)

/** Milliseconds of the run to a time. */
const at = (milliseconds: number) => new Date(start + milliseconds)

interface Came {
  readonly name: string
  readonly analysis?: string
  readonly from: number
  readonly took: number
  readonly bytes: number
}

const fileOf = ({ analysis = "A1", bytes, from, name, took }: Came) => ({
  analysisId: AnalysisId.make(analysis),
  fileName: name,
  path: `data/${name}`,
  bytes,
  transfer: Results.transferred(start + from, start + from + took, {
    attempts: 1 + (bytes % 3),
    seconds: took / 1000
  })
})

export const came = (file: Came) => Results.downloaded({ ...fileOf(file), sha256: hex(file.bytes) })

/** It began in an earlier run, and its link came to its end. */
const renewed = (file: Came) => {
  const result = came(file)
  return { ...result, resumedFrom: 120 * MiB, transfer: { ...result.transfer, renewals: 1 } }
}

const failed = (file: Came, message: string) => Results.failed(new UsageError({ message }), fileOf(file))

const pending = (analysisId: string, fileName: string, requestedAt: string | null, estimate: string | null) =>
  Results.pending({
    analysisId: AnalysisId.make(analysisId),
    fileName,
    path: `data/${fileName}`,
    bytes: 42 * 1024 * MiB,
    restoration: { requestedAt, estimate }
  })

const document = (
  seconds: number,
  exitCode: ExitCode | null,
  files: ReadonlyArray<FileResult>,
  more: Partial<ReportRun> = {}
): ReportDocument =>
  reportJson(
    {
      version: "0.1.0",
      step: "download",
      host: "lab.example.org",
      command: "svc-download A1 --destination data",
      machine: "node1",
      user: "pipeline",
      startedAt: at(0),
      finishedAt: at(seconds * 1000),
      milliseconds: seconds * 1000,
      exitCode,
      throughput: { intervalSeconds: 1, bytes: [] },
      advice: [],
      adviceOf,
      ...more
    },
    files
  )

/** A rate that rises, has a bad minute and ends, in bytes per interval. */
const rates = (intervals: number, seconds: number) =>
  Array.from({ length: intervals }, (_, index) => {
    const wave = 152 + 25 * Math.sin(index / 5) + 8 * Math.sin(index * 1.7)
    const bad = index > intervals * 0.55 && index < intervals * 0.62 ? 0.08 : 1
    return Math.round(wave * bad * Math.min(1, (index + 1) / 4) * MiB * seconds)
  })

/** A night: files and a slice came, one was kept, one failed, two are being restored and one came back. */
export const night = (): ReportDocument => {
  const files = [
    came({ name: "NA12878.hg38.bam", from: 300, took: 214_000, bytes: 18_000 * MiB + 5 }),
    came({ name: "NA12878.hg38.bam.bai", from: 214_500, took: 1900, bytes: 9 * MiB + 1 }),
    came({ name: "NA12891.hg38.bam", analysis: "A2", from: 320, took: 231_000, bytes: 16_200 * MiB + 3 }),
    Results.sliced({
      ...fileOf({ name: "NA12892.hg38.bam", analysis: "A3", from: 216_500, took: 4300, bytes: 12 * MiB }),
      sha256: hex(12 * MiB),
      path: "data/NA12892.hg38.ranged.bam",
      regions: ["chr1:1000000-1250000", "chr17:43044295-43125483", "chrX"],
      records: 48_211,
      index: { path: "data/NA12892.hg38.ranged.bam.bai", bytes: 4120, sha256: hex(7) },
      fetched: 14 * MiB
    }),
    renewed({ name: "father.vcf.gz", analysis: "A2", from: 231_400, took: 8100, bytes: 310 * MiB }),
    failed(
      { name: "mother.vcf.gz", analysis: "A3", from: 221_000, took: 62_000, bytes: 290 * MiB },
      "files.example.org is unavailable after 9 attempts: it closed the connection after 41.2 MiB"
    ),
    Results.kept({ fileName: "child.vcf.gz", path: "data/child.vcf.gz", bytes: 301 * MiB }),
    {
      ...came({ name: "grandmother.bam", analysis: "A4", from: 240_000, took: 43_000, bytes: 4100 * MiB }),
      restoration: { requestedAt: "2026-11-20T18:10:00Z", estimate: "2026-11-21T01:00:00Z" }
    },
    pending("A5", "grandfather.archived.bam", "2026-11-20T18:10:00Z", "2026-11-21T06:30:00Z"),
    pending("A6", "uncle.archived.bam", "2026-11-21T02:00:04Z", "2026-11-21T14:00:00Z")
  ]
  return document(285, 69, files, {
    throughput: { intervalSeconds: 2, bytes: rates(142, 2) },
    advice: [
      "Run the same command again: what is there is kept",
      "2 restorations pending, the next expected at 2026-11-21T06:30:00Z: run again later: svc-resume-restore -t https://lab.example.org --restorationFile awaiting-restoration.json"
    ]
  })
}

/** So many files over two hours, some of which failed, and as many restorations as analyses. */
export const thousands = (count: number): ReportDocument => {
  const files = Array.from({ length: count }, (_, index): FileResult => {
    const from = (index / count) * 7_000_000
    const file = {
      name: `sample-${String(index).padStart(5, "0")}.vcf.gz`,
      analysis: `A${Math.floor(index / 4)}`,
      from,
      took: 900 + ((index * 7919) % 5000) + (index % 997 === 0 ? 60_000 : 0),
      bytes: ((index * 104_729) % 900) * 1024 + 2048
    }
    if (index % 400 === 399) return failed(file, `files.example.org refused the link of ${file.name} (403)`)
    if (index % 50 === 7)
      return pending(`A${index}`, file.name, "2026-11-21T01:00:00Z", at(4_000_000 + index * 4000).toISOString())
    return came(file)
  })
  return document(7200, 69, files, { throughput: { intervalSeconds: 32, bytes: rates(225, 32) } })
}

/** Nothing of this may run, load, move or hide anything. */
export const hostile = (): ReportDocument => {
  const evil = `</script></style><script>window.pwned=1</script><img src=x onerror=alert(1)>"'\`&amp;<svg onload=alert(1)>\u001b[2J\u202egnp.exe\u0000`
  const link = `${evil}${"w".repeat(3000)}`
  return document(
    3,
    73,
    [
      {
        ...failed({ name: evil, analysis: evil, from: 0, took: 900, bytes: 10 }, link),
        path: `out/${evil}`
      },
      Results.sliced({
        ...fileOf({ name: `${"無限".repeat(60)}.bam`, from: 200, took: 2500, bytes: 1 }),
        regions: [evil, "x".repeat(5000)]
      }),
      Results.sliced({
        ...fileOf({ name: "t.bam", from: -9e9, took: 9e13, bytes: 0 }),
        index: { path: evil, bytes: 0, sha256: evil }
      }),
      pending(evil, evil, evil, evil),
      pending("A9", "late.bam", "1970-01-01T00:00:00Z", "9999-12-31T23:59:59Z"),
      failureResult(null, new UsageError({ message: evil }))
    ],
    { host: evil, version: evil, advice: [evil], throughput: { intervalSeconds: 0.25, bytes: [1, 0, 5_000_000] } }
  )
}

/** A run in which nothing happened. */
export const empty = (): ReportDocument => document(0, 0, [])

/** Archived files were asked for, and nothing was downloaded. */
export const requested = (): ReportDocument =>
  document(
    2.4,
    0,
    Array.from({ length: 5 }, (_, index) =>
      pending(
        `A${index}`,
        `S${index}.archived.bam`,
        at(400 * index).toISOString(),
        at((4 + index * 2.2) * 3_600_000).toISOString()
      )
    ),
    { step: "request-restore", advice: ["5 restorations pending: run again later: svc-resume-restore"] }
  )

/** 103 analyses: one damaged file among a hundred that another size stands in the place of, each with its index; six are in the archive. */
export const many = (): ReportDocument => {
  const files = Array.from({ length: 103 }, (_, index): ReadonlyArray<FileResult> => {
    const analysis = `A${index}`
    const name = `SAMPLE-2026-${String(index).padStart(4, "0")}.hg38.bam`
    const data: Came = { name, analysis, from: 400 * index, took: 9000, bytes: (2048 + index) * MiB }
    const bai: Came = { name: `${name}.bai`, analysis, from: data.from + 9000, took: 300, bytes: 7 * MiB + index }
    const both = [data, bai].map(fileOf)
    if (index % 17 === 16) return both.map(({ transfer: _, ...file }) => Results.skipped("archived", file))
    if (index === 1) {
      const error = new FileDamaged({ file: `data/${name}`, fault: "BadBlock", reason: "block at byte 71 is damaged" })
      return both.map((file) => Results.failed(error, file))
    }
    if (index % 2 === 0) return [data, bai].map(came)
    const bytes = 1000 + index * 7
    const differs = new FileDiffers({ path: `data/${name}`, bytes, listed: 2048 + index })
    return both.map((file) => Results.failed(differs, { ...file, reason: "differs", bytes }))
  }).flat()
  return document(60, 65, files, { throughput: { intervalSeconds: 1, bytes: rates(60, 1) } })
}

/** All that was wanted came, but for what is in the archive and was not asked for. */
export const archivedLeft = (): ReportDocument =>
  document(
    60,
    0,
    many().files.flatMap(({ analysisId, fileName, reason }) => {
      const file = { analysisId: AnalysisId.make(analysisId ?? ""), fileName, path: `data/${fileName}`, bytes: 5 }
      if (reason === "differs" || fileName === null || fileName.includes("0001")) return []
      const place = { ...file, fileName }
      return [reason === null ? Results.downloaded(place) : Results.skipped("archived", place)]
    })
  )
