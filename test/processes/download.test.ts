/**
 * `svc-download` as a process: whole files and their reports, and folders that may not be entered; what it chooses, lists, plans and
 * ends with is in download.transcript. Faults are in download-faults.transcript, stops in stops.test.ts, secrets in secrets.test.ts.
 */
import { spawnSync } from "node:child_process"
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ground, namesIn, readReport, sha256 } from "../DownloadGround.ts"
import { executable, runCommand } from "../Executables.ts"
import { unless } from "../Lacks.ts"
import { root } from "../Root.ts"
import { fits } from "../Schemas.ts"
import { words } from "../Words.ts"

interface Listing {
  readonly analyses: ReadonlyArray<{
    readonly analysisId: string
    readonly limsId: string | null
    readonly sampleId: string | null
    readonly files: ReadonlyArray<{
      readonly fileName: string
      readonly size: number | null
      readonly archived: boolean
    }>
  }>
}

describe("files", () => {
  it.live("are downloaded whole under their names, and nothing else is left", () =>
    Effect.gen(function* () {
      const { download, folder, stats } = yield* ground({ behaviour: { strict: true } })
      const listing: Listing = fits(
        "list",
        JSON.parse((yield* download(["-a", "A1,A2", "--list", "--format", "json"])).stdout)
      )
      const wanted = listing.analyses.flatMap(({ files }) => files)
      assert.strictEqual(wanted.length, 8)

      const outcome = yield* download(words`-a A1,A2 -f bam,bam.bai,vcf.gz,vcf.gz.tbi -d out --reportfile r.json`)
      assert.strictEqual(outcome.exitCode, 0, outcome.stderr)
      assert.strictEqual(outcome.stdout, "")
      assert.match(outcome.stderr, /8 downloaded \(.*\), 0 skipped, 0 failed/)
      assert.deepStrictEqual(namesIn(folder, "out"), wanted.map(({ fileName }) => fileName).sort())

      const report = readReport(folder, "r.json")
      assert.strictEqual(report.schema, "svc.report/1")
      assert.strictEqual(report.exitCode, 0)
      for (const file of report.files) {
        const listed = wanted.find(({ fileName }) => fileName === file.fileName)
        assert.strictEqual(file.action, "downloaded")
        assert.strictEqual(file.bytes, listed?.size ?? -1)
        assert.strictEqual(file.path, `out/${file.fileName}`)
        assert.strictEqual(file.sha256, sha256(folder, "out", file.fileName ?? ""))
        assert.isNull(file.error)
      }
      const page = readFileSync(`${root}docs/report.md`, "utf8")
      const keys = [...Object.keys(report), ...report.files.flatMap((file) => Object.keys(file))]
      const undocumented = new Set(keys.filter((key) => !page.includes(`\`${key}\``) && key !== "schema"))
      assert.deepStrictEqual([...undocumented], [])

      const seen = yield* stats
      assert.strictEqual(seen.overlaps, 0)
      assert.strictEqual(seen.maxApiInFlight, 1)
      assert.deepStrictEqual([seen.logins, seen.logouts], [2, 2])
      assert.strictEqual(seen.cookiesSeenByLinkHost + seen.tokensSeenByLinkHost + seen.referersSeenByLinkHost, 0)
    })
  )
})

describe("a folder that may not be entered", () => {
  // Root enters every folder, unless it gives up the rights to do so.
  const rights = "-dac_override,-dac_read_search"
  const isRoot = process.getuid?.() === 0
  const [command, ...bound] = isRoot ? ["setpriv", `--bounding-set=${rights}`, `--inh-caps=${rights}`] : ["env"]
  const inCi = process.env["CI"] === "true"
  const isBound = inCi || spawnSync(command, [...bound, "true"]).status === 0

  it.live(
    "is not called missing: for a destination, a BED file, or the folder of a stored request",
    () =>
      Effect.gen(function* () {
        const { download, env, folder } = yield* ground()
        const closed = join(folder, "closed")
        mkdirSync(join(closed, "data"), { recursive: true })
        writeFileSync(join(closed, "x.bed"), "chr1\t0\t100\n")
        const stored = { analysisId: "A1", fileName: "S1.bam", options: { destination: "closed/data" } }
        writeFileSync(join(folder, "r.json"), JSON.stringify([stored]), { mode: 0o600 })
        chmodSync(closed, 0)
        for (const [what, ...args] of [
          ["closed/data", "-a", "A1", "-d", "closed/data"],
          ["closed/x.bed", "-a", "A1", "-b", "closed/x.bed"],
          [join(closed, "data"), "--resumeArchivedDownloads", "--restorationFile", "r.json"]
        ] as const) {
          const step = [process.execPath, executable("svc-download"), ...args]
          const outcome = yield* runCommand(command, [...bound, ...step], { cwd: folder, env })
          assert.strictEqual(outcome.exitCode, 74, outcome.stderr)
          assert.include(outcome.stderr, `: Cannot look at ${what}: permission denied\n`)
        }
        chmodSync(closed, 0o700)
        const missing = yield* download(["-a", "A1", "-d", "closed/none"])
        assert.strictEqual(missing.exitCode, 64)
        assert.include(missing.stderr.split("\n"), "Error: Destination directory does not exist: closed/none")
      }),
    unless(isBound ? null : "setpriv, or the right to give up rights")
  )
})
