import { assert, describe, it } from "@effect/vitest"
import { downloaded, failed, kept, transferred } from "../../../test/Results.ts"
import type { FileResult } from "../download/FileResult.ts"
import { LinkForbidden } from "../Errors.ts"
import { type ReportRun, reportJson } from "./Report.ts"
import { transferSection } from "./Timelines.ts"

const start = Date.parse("2026-11-22T10:00:00Z")
const at = (seconds: number) => new Date(start + seconds * 1000)

const run = (seconds: number, bytes: ReadonlyArray<number> = []): ReportRun => ({
  step: "download",
  version: "1.2.3",
  host: "lab.example.org",
  command: "svc-download A1 --destination data",
  machine: "node1",
  user: "pipeline",
  startedAt: at(0),
  finishedAt: at(seconds),
  milliseconds: seconds * 1000,
  exitCode: 0,
  throughput: { intervalSeconds: 1, bytes },
  advice: [],
  adviceOf: () => null
})

/** Between two moments, in seconds of the run; one without an end was stopped. */
const between = (from: number, to: number | null) =>
  transferred(start + 1000 * from, to === null ? null : start + 1000 * to)

const named = (fileName: string) => ({ fileName, path: fileName, bytes: 2048 })

const transfer = (fileName: string, from: number, to: number): FileResult =>
  downloaded({ ...named(fileName), transfer: between(from, to) })

const refused = new LinkForbidden({ file: "f", host: "h", status: 403 })

const failure = (fileName: string, from: number, to: number | null): FileResult =>
  failed(refused, { ...named(fileName), transfer: between(from, to) })

const section = (seconds: number, files: ReadonlyArray<FileResult>, bytes?: ReadonlyArray<number>) =>
  transferSection(reportJson(run(seconds, bytes), files))?.text ?? null

/** Name, words and bar of each row. */
const rowsOf = (text: string | null) =>
  [...(text ?? "").matchAll(/<span class="name">(.*?)<\/span><span class="sub">(.*?)<\/span>/g)].map(
    ([, name, words]) => `${name}: ${words}`
  )

describe("the section about transfers", () => {
  it("is left out of a report without a transfer and without a byte", () => {
    assert.isNull(section(10, [kept(), kept({ ...named("found-again.bam"), transfer: between(0, 1) })]))
  })

  it("has a row for each file in the order of their beginnings: its size, how long it took and from when, or how it ended", () => {
    const files = [
      transfer("late.bam", 60, 90),
      transfer("early.bam", 5, 20),
      failure("refused.bam", 10, 12),
      failed(refused, { ...named("cut.bam"), bytes: null, transfer: between(100, null) })
    ]
    assert.deepStrictEqual(rowsOf(section(120, files)), [
      "early.bam: 2 KiB in 15 s, from 5 s",
      "refused.bam: failed after 2 s, from 10 s",
      "late.bam: 2 KiB in 30 s, from 1 min",
      "cut.bam: stopped after 20 s, from 1 min 40 s"
    ])
  })

  it("shows the forty longest where there are more", () => {
    const files = Array.from({ length: 43 }, (_, index) => transfer(`f${index}.bam`, 0, index + 1))
    const text = section(50, files)
    assert.deepStrictEqual(
      rowsOf(text).map((row) => row.slice(0, row.indexOf(":"))),
      Array.from({ length: 40 }, (_, index) => `f${index + 3}.bam`)
    )
    assert.include(text, "The 40 longest of 43 transfers")
    assert.notInclude(section(50, files.slice(3)), "longest of")
  })

  it("says how much came, how fast on average over the run and while bytes came, and how fast at most", () => {
    const text = section(4, [], [1024, 0, 3072, 0])
    assert.include(text, "4 KiB came in 4 s, 1 KiB/s on average over the run; the most in 1 s was 3 KiB/s.")
    assert.include(text, "<p>2 KiB/s while bytes came</p>")
  })

  it("keeps bytes of an interval after the end of the run at the end of the axis", () => {
    const [, drawn = ""] =
      /<path class="done" d="([^"]*)"/.exec(section(4.628, [], [1024, 0, 0, 0, 1024, 1024]) ?? "") ?? []
    const places = [...drawn.matchAll(/[MH]([\d.]+)/g)].map(([, place]) => Number(place))
    assert.deepStrictEqual(places, [0, 1, 4, 4.628, 4.628, 4.628])
  })
})
