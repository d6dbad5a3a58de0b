import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { downloaded, failed, kept, skipped } from "../../../test/Results.ts"
import { AnalysisId } from "../contract/Ids.ts"
import { type FileResult, failureResult } from "../download/FileResult.ts"
import { UsageError } from "../Errors.ts"
import { reportJson } from "../report/Report.ts"
import { checksumIn, parseChecksums, parseManifest } from "./Manifest.ts"

const sum = "0123456789abcdef".repeat(4)
const run = {
  version: "1",
  step: "download",
  host: "h",
  command: "svc-download A1",
  machine: "node1",
  user: "pipeline",
  startedAt: new Date(0),
  finishedAt: new Date(0),
  milliseconds: 1000,
  exitCode: 0,
  throughput: { intervalSeconds: 1, bytes: [] },
  advice: [],
  adviceOf: () => null
} as const
const named = (path: string, bytes: number) => ({ fileName: path, path, bytes })
const wrong = new UsageError({ message: "m" })

const report = (...files: ReadonlyArray<FileResult>) => JSON.stringify(reportJson(run, files))
const parsed = (text: string) => Result.getOrThrow(parseManifest("m", text))
const refused = (text: string) => Result.getOrThrow(Result.flip(parseManifest("m", text))).message

describe("manifests", () => {
  it("a report: downloaded and kept files by size and checksum, archived ones need not be there", () => {
    const { absent, entries } = parsed(
      report(
        downloaded({ ...named("d/a.bam", 7), sha256: sum }),
        kept(named("d/b.bam", 8)),
        skipped("archived", named("d/c.bam", 9)),
        failed(wrong, { ...named("d/d.bam", 5), listedBytes: 9, reason: "differs" }),
        failed(wrong, named("d/e.bam", 10)),
        failureResult(AnalysisId.make("A1"), wrong)
      )
    )
    assert.deepStrictEqual(entries, [
      { path: "d/a.bam", bytes: 7, sha256: sum },
      { path: "d/b.bam", bytes: 8, sha256: null },
      // It has 5, which is wrong.
      { path: "d/d.bam", bytes: 9, sha256: null },
      { path: "d/e.bam", bytes: null, sha256: null }
    ])
    assert.deepStrictEqual(
      absent.map(({ path }) => path),
      ["d/c.bam"]
    )
  })

  it("D2 two different checksums of one file prove nothing: the manifest is refused", () => {
    const [one, other] = [sum, "1".repeat(64)]
    const message = "it has two different checksums of a.bam"
    assert.include(refused(`${one}  a.bam\n${one}  b.bam\n${other}  a.bam\n`), message)
    const done = downloaded(named("a.bam", 7))
    assert.include(refused(report({ ...done, sha256: one }, { ...done, sha256: other })), message)
    assert.strictEqual(parsed(`${one}  a.bam\n${one}  a.bam\n`).entries.length, 2)
  })

  it("sha256sum: text and binary marks, capital digits, escaped names, Windows line ends", () => {
    const { entries } = parsed(`${sum}  a b.bam\r\n${sum.toUpperCase()} *c.bam\n\\${sum}  x\\ny\\\\z\n`)
    assert.deepStrictEqual(
      entries.map(({ path, sha256 }) => [path, sha256]),
      [
        ["a b.bam", sum],
        ["c.bam", sum],
        ["x\ny\\z", sum]
      ]
    )
  })

  it("sha256sum --tag, BSD's sha256 with and without -r, openssl", () => {
    const lines = [
      `SHA256 (a (1).bam) = ${sum}`,
      `${sum} b.bam`,
      `SHA2-256(c.bam)= ${sum}`,
      `\\SHA256 (x\\ny) = ${sum}`
    ]
    assert.deepStrictEqual(
      parsed(lines.join("\r\n")).entries.map(({ path, sha256 }) => [path, sha256]),
      ["a (1).bam", "b.bam", "c.bam", "x\ny"].map((path) => [path, sum])
    )
    assert.match(refused(`MD5 (a.bam) = ${sum}\n`), /^m: line 1 /)
    assert.match(refused(`SHA256 (a.bam) = ${sum}0\n`), /^m: line 1 /)
  })

  it("anything else is refused, with the line", () => {
    assert.match(refused(`${sum}  a\nhello\n`), /^m: line 2 /)
    assert.match(refused(""), /names no file/)
    assert.match(refused('{"schema":"svc.report/2","files":[]}'), /svc\.report\/1/)
    assert.match(refused(report().slice(0, 40)), /cut off/)
  })

  it("a list that the user wrote has no advice for what a service sent", () => {
    for (const written of [`${md5}  a.bam\n`, "", "{"]) {
      assert.isNull(Result.getOrThrow(Result.flip(parseManifest("m", written))).advice)
    }
  })

  it.effect.prop("no text makes it throw", [Schema.String], ([text]) =>
    Effect.sync(() => assert.isBoolean(Result.isSuccess(parseManifest("m", text))))
  )
})

const md5 = "0123456789abcdef".repeat(2)
const other = "f".repeat(32)
const stated = (written: string) => checksumIn("md5", written, "a b.bam")
const unstated = (written: string) => Result.getOrThrow(Result.flip(stated(written)))

describe("checksums", () => {
  it("the checksum of a file: as md5sum writes it, in another folder, among others, in capitals, the digits alone", () => {
    for (const written of [
      `${md5}  a b.bam\n`,
      `${md5} *out/a b.bam\r\n`,
      `${other}  z.bam\n\n${md5}  a b.bam\n${md5}  a b.bam\n`,
      `${md5.toUpperCase()}  a b.bam`,
      `${md5}\n`,
      md5
    ])
      assert.deepStrictEqual(stated(written), Result.succeed(md5), written)
  })

  it("what is no checksum of the file says why", () => {
    assert.strictEqual(unstated(""), "it has no checksum of a b.bam")
    assert.strictEqual(unstated(`${md5}  b.bam\n`), "it has no checksum of a b.bam")
    assert.strictEqual(unstated(`${md5}  a b.bam\n${other}  a b.bam\n`), "it has two different checksums of a b.bam")
    assert.strictEqual(unstated(`${md5}  a b.bam\n${md5.slice(1)}  a b.bam\n`), "line 2 is not one of md5sum")
    assert.strictEqual(unstated(`${md5}${md5}  a b.bam\n`), "line 1 is not one of md5sum")
  })

  it.effect.prop(
    "no text makes it throw, and each line that coreutils could write is read",
    [Schema.String],
    ([name]) =>
      Effect.sync(() => {
        assert.isBoolean(Result.isSuccess(stated(name)))
        const hex = createHash("sha256").update(name).digest("hex")
        const escaped = name.replace(/[\\\n\r]/g, (char) => ({ "\n": "\\n", "\r": "\\r" })[char] ?? "\\\\")
        const line = `${escaped === name ? "" : "\\"}${hex}  ${escaped}\n`
        if (name === "") return
        assert.deepStrictEqual(parseChecksums("sha256", line), Result.succeed([{ path: name, hex }]))
      })
  )
})
