/** Links first: one login for all links, transfers in parallel without one, links that end on the way. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { fault, lingering } from "../../SandboxFaults.ts"
import { delivered, documented, scattered, secret } from "./Scattered.ts"

describe("main.nf with links first", () => {
  it.live(
    "S7 L1 logs in once for all analyses, not at all as a stub, and once more in each task whose link has ended, one after the other; one row that cannot be had stops no other",
    () =>
      Effect.gen(function* () {
        const pad = yield* scattered(6)
        // A row that names a sample has a session of its own.
        pad.write("stubs.csv", "id,analysis,sample\nlinked,B1,\nalone,,S2\n")
        const stub = yield* pad.run(
          "main.nf",
          ["--links_first", "--input", "stubs.csv", "--outdir", "stubs", "-stub"],
          { SVC_USER: "", SVC_PASSWORD: "" }
        )
        assert.strictEqual(stub.exitCode, 0, stub.stdout + stub.stderr)
        assert.deepStrictEqual(stub.tasks.map(({ exit, name }) => `${name} ${exit}`).sort(), [
          "SVC_DOWNLOAD (alone) 0",
          "SVC_LINKS (all) 0",
          "SVC_TRANSFER (linked) 0"
        ])
        assert.strictEqual((yield* pad.stats).logins, 0)

        const ended = ["B1.bam", "B2.bam", "B3.bam"]
        yield* pad.faults([
          ...ended.map((file) => fault({ plane: "link", file, nth: 1 }, { expireLink: "now" })),
          lingering(3000)
        ])
        pad.write("samples.csv", `${readFileSync(join(pad.folder, "samples.csv"), "utf8")}nobody,B99\n`)
        const run = yield* pad.run("main.nf", documented)
        assert.include(run.stdout, "SVC_TRANSFER (nobody)")
        assert.notStrictEqual(run.exitCode, 0)
        assert.deepStrictEqual(run.tasks.map(({ exit, name }) => `${name} ${exit}`).sort(), [
          "SVC_LINKS (all) 0",
          "SVC_TRANSFER (nobody) 66",
          ...pad.ids.map((id) => `SVC_TRANSFER (row-${id}) 0`)
        ])
        delivered(pad, "results")
        secret(pad, run)
        const { expiredLinks, logins, maxApiInFlight, overlaps, requests } = yield* pad.stats
        assert.deepStrictEqual([expiredLinks, logins, maxApiInFlight, overlaps], [3, 1 + 3, 1, 0])
        // Of each analysis once, of the one that is not there too, and again where the link has ended.
        assert.strictEqual(requests["getFileDownloadLinks"], 6 + 1 + 3)
        const table = readFileSync(join(pad.folder, "results", "files.csv"), "utf8")
          .trim()
          .split("\n")
        assert.strictEqual(table.length, 1 + 2 * 6)
      }),
    600_000
  )
})
