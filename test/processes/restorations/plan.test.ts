/** What `--plan` says of archived files, held against what the run then does. */
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readReport } from "../../DownloadGround.ts"
import { archive, file } from "../../RestorationGround.ts"
import { fits } from "../../Schemas.ts"

interface PlannedFile {
  readonly action: string
  readonly reason: string | null
}

const planOf = (stdout: string): ReadonlyArray<PlannedFile> => fits("plan", JSON.parse(stdout)).files

/** The result in the report that a planned file comes to; a restoration is asked for once. */
const resultOf = ({ action, reason }: PlannedFile) =>
  action === "fetch" ? "downloaded" : action === "restore" ? "pending" : reason

describe("the plan and the run", () => {
  const frozen = { id: "B1", files: [{ name: "B1.bam", copyOf: "A1/S1.bam", archived: true }] }
  const wanted = ["-a", "A1,A3,B1", "-f", "bam", "-d", "out"]

  for (const [mode, restores] of [
    ["force", 2],
    ["all", 0],
    ["ask", 0],
    ["no", 0]
  ] as const) {
    it.live(`agree in mode ${mode}, also about what is pending already`, () =>
      Effect.gen(function* () {
        const { download, folder, stats } = yield* archive("1 hour", { world: { analyses: [frozen] } })
        const args = [...wanted, "--restoreArchived", mode]
        for (let times = 0; times < 2; times++) {
          const before = (yield* stats).restores
          const planned = yield* download([...args, "--plan", "--format", "json"])
          assert.strictEqual(planned.exitCode, 0, planned.stderr)
          assert.deepStrictEqual([(yield* stats).restores, existsSync(join(folder, file))], [before, before > 0])
          const files = planOf(planned.stdout)
          yield* download([...args, "--reportfile", "r.json"])
          assert.deepStrictEqual(
            readReport(folder, "r.json").files.map(({ action, reason }) => reason ?? action),
            files.map(resultOf)
          )
          const asked = files.filter(({ action }) => action === "restore").length
          assert.deepStrictEqual([asked, (yield* stats).restores - before], times === 0 ? [restores, restores] : [0, 0])
        }
      })
    )
  }

  it.live("svc-request-restore says what it will ask for, and nothing of fetching", () =>
    Effect.gen(function* () {
      const { folder, request, stats } = yield* archive("1 hour", { world: { analyses: [frozen] } })
      const args = [...wanted, "--maxRestores", "1"]
      const plan = yield* request([...args, "--plan"])
      assert.strictEqual(plan.exitCode, 0, plan.stderr)
      const [online, first, second, ...counts] = plan.stdout.trimEnd().split("\n")
      assert.match(online ?? "", /^skip {4}out\/S1\.bam .*\(available: nothing to restore\)$/)
      assert.match(first ?? "", /^restore out\/S3\.bam .*\(archived: the restore mode is force\)$/)
      assert.match(
        second ?? "",
        /^skip {4}out\/B1\.bam .*\(archived: no more than 1 restoration may be asked for; --maxRestores says how many\)$/
      )
      assert.deepStrictEqual(counts, ["", "1 to restore, 2 to skip, 0 refused"])
      const json = yield* request([...args, "--plan", "--format", "json"])
      assert.deepStrictEqual(
        planOf(json.stdout).map(({ action, reason }) => reason ?? action),
        ["available", "restore", "archived"]
      )
      assert.deepStrictEqual([(yield* stats).restores, existsSync(join(folder, file))], [0, false])
      assert.strictEqual((yield* request([...args, "--reportfile", "r.json"])).exitCode, 0)
      assert.strictEqual((yield* stats).restores, 1)
      assert.deepStrictEqual(
        readReport(folder, "r.json").files.map(({ reason }) => reason),
        ["pending", "archived"]
      )
      const again = yield* request([...args, "--plan"])
      assert.match(again.stdout, /^skip {4}out\/S3\.bam .*pending, no new request, expected at \d{4}-/m)
      assert.match(again.stdout, /^restore out\/B1\.bam /m)
    })
  )

  it.live("T7 a restoration file that cannot be read fails the archived files of both, and is left as it is", () =>
    Effect.gen(function* () {
      const { download, folder } = yield* archive("1 hour")
      writeFileSync(join(folder, file), "[", { mode: 0o600 })
      const args = ["-a", "A3", "-f", "bam", "-d", "out", "--restoreArchived", "force"]
      const plan = yield* download([...args, "--plan"])
      assert.match(plan.stdout, /^fail {4}out\/S3\.bam {2}\(.*it is not JSON/)
      assert.deepStrictEqual([plan.exitCode, (yield* download(args)).exitCode], [65, 65])
    })
  )
})
