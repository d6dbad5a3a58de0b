/** `svc-download --requireAll` as a process: what was asked for and does not come is a failure, and nothing is fetched. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { ground, namesIn, readReport } from "../DownloadGround.ts"
import { fits } from "../Schemas.ts"
import { words } from "../Words.ts"

const world = { analyses: [{ id: "B1", files: [{ name: "B1.bam", copyOf: "A1/S1.bam" }] }] }
const wanted = ["-a", "A1,A3,B1", "-f", "bam,bam.bai", "-d", "out"]
const kept = {
  message: "S3.bam (analysis A3): archived, and not restored: the restore mode is no",
  advice: "svc-request-restore -a A3 asks for it"
}
const absent = {
  message: "bam.bai file of analysis B1: not found (none is listed)",
  advice: "svc-download --list -a B1 shows what there is"
}
const [cold, lacking] = [`${kept.message}; ${kept.advice}`, `${absent.message}; ${absent.advice}`]

describe("--requireAll", () => {
  it.live(
    "L15 what does not come is said and ends with 66 at every log level before the first byte; without the option all else comes",
    () =>
      Effect.gen(function* () {
        const { download, folder, stats } = yield* ground({ world })
        const usual = yield* download([...wanted, "--restoreArchived", "no"])
        assert.strictEqual(usual.exitCode, 0, usual.stderr)
        const came = namesIn(folder, "out")
        assert.includeMembers([...came], ["B1.bam", "S1.bam", "S1.bam.bai"])
        assert.notInclude(came, "S3.bam")

        const strict = [...wanted, "--restoreArchived", "no", "--requireAll"]
        for (const level of ["info", "error"]) {
          const before = (yield* stats).linkBytes
          const outcome = yield* download([...strict, "--overwrite", "--loglevel", level, "--reportfile", "r.json"])
          assert.strictEqual((yield* stats).linkBytes, before)
          assert.strictEqual(outcome.exitCode, 66, outcome.stderr)
          const said = outcome.stderr.split("\n").filter((line) => line.includes("[error]"))
          assert.deepStrictEqual(
            said.map((line) => line.replace(/^.*\[error\]: /, "")),
            [
              lacking,
              cold,
              `0 downloaded, ${came.length} skipped (${came.length} withheld), 2 failed (1 archived, 1 missing)`
            ]
          )
          assert.deepStrictEqual(namesIn(folder, "out"), came)
        }
        const { exitCode, files } = fits("report", readReport(folder, "r.json"))
        assert.strictEqual(exitCode, 66)
        const failed = files.filter(({ action }) => action === "failed")
        assert.deepStrictEqual(
          failed.map(({ analysisId, error, fileName, reason }) => [
            analysisId,
            fileName,
            reason,
            { tag: error?.tag, message: error?.message, advice: error?.advice }
          ]),
          [
            ["B1", null, "missing", { tag: "NotFound", ...absent }],
            ["A3", "S3.bam", "archived", { tag: "FileArchived", ...kept }]
          ]
        )
        // What exists is as good as downloaded.
        for (const name of ["page.html", "files_mqc.json"]) {
          const outcome = yield* download([...strict, "--reportfile", name])
          assert.strictEqual(outcome.exitCode, 66, outcome.stderr)
          assert.include(outcome.stderr, `${came.length} skipped (${came.length} exists), 2 failed`)
          const text = readFileSync(join(folder, name), "utf8")
          assert.include(text, "Not restored")
          assert.include(text, "Not listed")
        }
      })
  )

  it.live("L15 the plan says it before, a key of the configuration file asks for it, and what is pending is 75", () =>
    Effect.gen(function* () {
      const { download, folder } = yield* ground({ behaviour: { restoreDelay: Duration.hours(1) }, world })
      writeFileSync(join(folder, "strict.json"), JSON.stringify({ requireAll: true, restoreArchived: "no" }))
      const plan = yield* download([...wanted, "--config", "strict.json", "--plan"])
      assert.strictEqual(plan.exitCode, 66, plan.stderr)
      assert.include(plan.stdout, `fail    out/S3.bam  (${cold})`)
      assert.include(plan.stdout, `fail    ${lacking}`)
      assert.match(plan.stdout, /^0 to fetch, \d to skip, 2 refused$/m)
      assert.include(plan.stdout, "not without the others: all files are required")
      const json = yield* download([...wanted, "--config", "strict.json", "--plan", "--format", "json"])
      const { files } = fits("plan", JSON.parse(json.stdout))
      assert.deepInclude(
        files.find(({ fileName }: { readonly fileName: string }) => fileName === "S3.bam"),
        { action: "fail", reason: "archived", error: { tag: "FileArchived", ...kept } }
      )
      const pending = yield* download(words`-a A3 -f bam -d out --restoreArchived force --requireAll`)
      assert.strictEqual(pending.exitCode, 75, pending.stderr)
      const whole = yield* download(["-a", "A1", "-f", "bam,vcf.gz", "-d", "out", "--unmapped", "--requireAll"])
      assert.strictEqual(whole.exitCode, 0, whole.stderr)
      assert.include(whole.stderr, "1 skipped (1 no-reads)")
    })
  )
})
