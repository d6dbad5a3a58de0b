/** What a run writes beside its data: log, report, links and restoration file never take the place of anything else. */
import { readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ground, namesIn } from "../DownloadGround.ts"
import { runWarm } from "../WarmExecutables.ts"

const binary = new Uint8Array([0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 0xff, 6, 0])

describe("files of a run that are one", () => {
  it.live("Z8 are refused before the login, by whatever name or symbolic link, and keep their bytes", () =>
    Effect.gen(function* () {
      const { download, env, folder, stats } = yield* ground()
      const at = (name: string) => join(folder, name)
      const pending = '[{"analysisId":"A3","fileName":"S3.bam"}]'
      writeFileSync(at("t.json"), pending, { mode: 0o600 })
      symlinkSync("t.json", at("soft.json"))
      writeFileSync(at("c.json"), "{}", { mode: 0o600 })
      writeFileSync(at("regions.bed"), "chr7\t0\t10\n")
      writeFileSync(at("ids.txt"), "S1\n")
      writeFileSync(at("secret"), "sandbox\n", { mode: 0o600 })
      const cases: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
        [["--reportfile", "t.json"], "the report file and the restoration file"],
        [["--reportfile", "soft.json"], "the report file and the restoration file"],
        [["--logfile", "x.txt", "--reportfile", "./x.txt"], "the log file and the report file"],
        [["--config", "c.json", "--logfile", "c.json"], "the log file and the configuration file"],
        [["--passwordFile", "secret", "--logfile", "secret"], "the log file and the password file"],
        [["-s", "@ids.txt", "--logfile", "ids.txt"], "the log file and the list of ids"],
        [["-b", "regions.bed", "--logfile", "regions.bed"], "the log file and the BED file"]
      ]
      const before = namesIn(folder)
      for (const [args, roles] of cases) {
        const outcome = yield* download(["-a", "A1", "-d", "out", "--restorationFile", "t.json", ...args])
        assert.strictEqual(outcome.exitCode, 64, outcome.stderr)
        const [one = "", other = ""] = roles.split(" and ")
        assert.match(outcome.stderr, new RegExp(`cannot be (${one} and ${other}|${other} and ${one}) at once`))
      }
      for (const step of ["svc-request-restore", "svc-resume-restore"]) {
        const args = ["--restorationFile", "t.json", "--logfile", "soft.json"]
        const outcome = yield* runWarm(step, step === "svc-resume-restore" ? args : ["-a", "A3", ...args], {
          cwd: folder,
          env
        })
        assert.strictEqual(outcome.exitCode, 64, outcome.stderr)
      }
      const annotations = yield* runWarm("svc-fetch-annotations", ["A1", "-o", "a.jsonl", "--logfile", "a.jsonl"], {
        cwd: folder,
        env
      })
      assert.strictEqual(annotations.exitCode, 64, annotations.stderr)
      for (const args of [
        ["get-person", "LIMS-0001", "--config", "c.json", "-o", "c.json"],
        ["get-person", "LIMS-0001", "-o", "x.txt", "--logfile", "x.txt"],
        ["request", "POST", "/api/x", "--input", "ids.txt", "-o", "ids.txt"]
      ]) {
        const api = yield* runWarm("svc-api", args, { cwd: folder, env })
        assert.strictEqual(api.exitCode, 64, api.stderr)
      }
      assert.deepStrictEqual(namesIn(folder), before)
      assert.strictEqual(readFileSync(at("t.json"), "utf8"), pending)
      assert.deepStrictEqual((yield* stats).requests, {})
    })
  )

  it.live("Z8 no file of a run has the name of data, be it there or not", () =>
    Effect.gen(function* () {
      const { download, env, folder, stats } = yield* ground()
      writeFileSync(join(folder, "out", "S1.bam"), binary)
      for (const option of ["--reportfile", "--logfile", "--restorationFile"]) {
        for (const name of ["out/S1.bam", "out/S1.bam.bai", "out/s1.ranged.BAM", "out/S1.bam.md5"]) {
          const outcome = yield* download(["-a", "A1", "-d", "out", "--overwrite", option, name])
          assert.strictEqual(outcome.exitCode, 64, outcome.stderr)
          assert.include(outcome.stderr, `${name} is the name of a data file`)
        }
      }
      for (const [step, ...args] of [
        ["svc-fetch-annotations", "A1", "-o"],
        ["svc-api", "get-person", "LIMS-0001", "-o"],
        ["svc-verify", "out", "--logfile"]
      ] as const) {
        const outcome = yield* runWarm(step, [...args, "out/S1.bam"], { cwd: folder, env })
        assert.strictEqual(outcome.exitCode, 64, outcome.stderr)
        assert.include(outcome.stderr, "out/S1.bam is the name of a data file")
      }
      const usage = yield* runWarm("svc-api", ["request", "GET", "/x", "--input", "none", "-o", "out/x.bam"], {
        cwd: folder,
        env
      })
      assert.notInclude(usage.stderr, "data file")
      assert.deepStrictEqual(namesIn(folder, "out"), ["S1.bam"])
      assert.deepEqual(readFileSync(join(folder, "out", "S1.bam")), Buffer.from(binary))
      assert.deepStrictEqual((yield* stats).requests, {})
    })
  )
})

describe("what somebody else has written", () => {
  it.live("Z8 is never replaced by a report, which replaces its own kind, and what is empty", () =>
    Effect.gen(function* () {
      const { download, folder, stats } = yield* ground()
      const at = (name: string) => join(folder, name)
      const foreign = {
        "reads.dat": binary,
        "notes.json": '{"mine": true}',
        "page.html": "<!doctype html>\n<p>mine</p>"
      }
      const wanted = ["-a", "A1", "-d", "out", "-f", "bam.bai"]
      for (const [name, content] of Object.entries(foreign)) {
        writeFileSync(at(name), content)
        const outcome = yield* download([...wanted, "--reportfile", name])
        assert.strictEqual(outcome.exitCode, 64, outcome.stderr)
        assert.include(outcome.stderr, `${name} is there and is no `)
        assert.deepEqual(readFileSync(at(name)), Buffer.from(content))
      }
      assert.deepStrictEqual((yield* stats).requests, {})
      assert.deepStrictEqual(namesIn(folder, "out"), [])

      for (const name of ["r.json", "r.html", "r_mqc.json"]) {
        writeFileSync(at(name), "")
        for (let again = 0; again < 2; again++) {
          const outcome = yield* download([...wanted, "--reportfile", name])
          assert.strictEqual(outcome.exitCode, 0, outcome.stderr)
        }
      }
    })
  )
})
