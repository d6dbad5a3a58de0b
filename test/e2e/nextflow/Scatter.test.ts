/** Links first: one login for all links, transfers in parallel without one, links that end on the way. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { fault, lingering } from "../../SandboxFaults.ts"
import { delivered, documented, scattered, secret } from "./Scattered.ts"

describe("main.nf with links first", () => {
  it.live(
    "S7 logs in once for all analyses, and not at all as a stub",
    () =>
      Effect.gen(function* () {
        const pad = yield* scattered(6)
        const stub = yield* pad.run("main.nf", [
          "--links_first",
          "--input",
          "samples.csv",
          "--outdir",
          "stubs",
          "-stub"
        ])
        assert.strictEqual(stub.exitCode, 0, stub.stdout + stub.stderr)
        assert.strictEqual((yield* pad.stats).logins, 0)

        const run = yield* pad.run("main.nf", documented)
        assert.strictEqual(run.exitCode, 0, run.stdout + run.stderr)
        const { logins, maxApiInFlight, overlaps, requests } = yield* pad.stats
        assert.deepStrictEqual([logins, maxApiInFlight, overlaps, requests["getFileDownloadLinks"]], [1, 1, 0, 6])
        delivered(pad, "results")
        secret(pad, run)
        assert.deepStrictEqual(
          readFileSync(join(pad.folder, "results", "files.csv"), "utf8")
            .split("\n")
            .filter((line) => line !== "").length,
          1 + 12
        )
      }),
    600_000
  )

  it.live(
    "L1 S7 renews links that have ended, in the tasks that need them, one after the other; one row that cannot be had stops no other",
    () =>
      Effect.gen(function* () {
        const pad = yield* scattered(3)
        const ended = ["B1.bam", "B2.bam", "B3.bam"]
        yield* pad.faults([
          ...ended.map((file) => fault({ plane: "link", file, nth: 1 }, { expireLink: "now" })),
          lingering(3000)
        ])
        const sheet = pad.write("more.csv", `${readFileSync(join(pad.folder, "samples.csv"), "utf8")}nobody,B99\n`)
        const run = yield* pad.run("main.nf", ["--links_first", "--input", sheet, "--outdir", "results"])
        assert.include(run.stdout, "SVC_TRANSFER (nobody)")
        assert.notStrictEqual(run.exitCode, 0)
        assert.deepStrictEqual(run.tasks.map(({ exit, name }) => `${name} ${exit}`).sort(), [
          "SVC_LINKS (all) 0",
          "SVC_TRANSFER (nobody) 66",
          "SVC_TRANSFER (row-B1) 0",
          "SVC_TRANSFER (row-B2) 0",
          "SVC_TRANSFER (row-B3) 0"
        ])
        delivered(pad, "results")
        secret(pad, run)
        const { expiredLinks, logins, maxApiInFlight, overlaps } = yield* pad.stats
        assert.deepStrictEqual([expiredLinks, logins, maxApiInFlight, overlaps], [3, 4, 1, 0])
      }),
    600_000
  )
})
