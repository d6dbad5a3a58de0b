/**
 * Processes whose work is done by threads end: when it is done, when it fails, and when they are told to. A thread that keeps
 * its process alive would let these tests run into their time limit.
 */
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { availableParallelism, tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Codec } from "../core/src/genome/bgzf/Codec.ts"
import * as ZlibCodec from "../platform/inflate/ZlibCodec.ts"
import { fault, ground, namesIn } from "./DownloadGround.ts"
import { start, untilOrEnd } from "./Executables.ts"
import { longReads } from "./genome/LongReads.ts"

/** Milliseconds: many times what a process takes that ends. */
const patience = 120_000

/** A folder with `damaged.bam`, which has a flipped bit near its end, and `long.bam`: 18 MB each, work for two threads. */
const folderOfFiles = Effect.runSync(
  Effect.cached(
    Effect.gen(function* () {
      const { bai, bam } = longReads(yield* Codec, 65_280, 9_000)
      const folder = mkdtempSync(join(tmpdir(), "svc-threads-"))
      writeFileSync(join(folder, "long.bam"), bam)
      const at = bam.length - 1_000_000
      bam[at] = (bam[at] ?? 0) ^ 1
      writeFileSync(join(folder, "damaged.bam"), bam)
      for (const name of ["damaged", "long"]) writeFileSync(join(folder, `${name}.bam.bai`), bai)
      return folder
    }).pipe(Effect.provide(ZlibCodec.layer))
  )
)

const sliceOf = (analysis: string) => ["-a", analysis, "-g", "chr1", "-f", "bam", "-d", "out"]

/** How many threads of ours a process has. */
const threadsOf = (pid: number): number =>
  readdirSync(`/proc/${pid}/task`).filter((id) =>
    readFileSync(`/proc/${pid}/task/${id}/comm`, "utf8").startsWith("WorkerThread")
  ).length

describe("a process with threads", () => {
  it.live(
    "ends when its slice is done, and when the slice fails",
    () =>
      Effect.gen(function* () {
        const { download, folder } = yield* ground({ data: yield* folderOfFiles })
        const failed = yield* download(sliceOf("A1"))
        assert.strictEqual(failed.exitCode, 65, failed.stderr)
        assert.match(failed.stderr, /damaged\.bam.*block at byte \d+/)
        assert.deepStrictEqual(namesIn(folder, "out"), [])
        const done = yield* download(sliceOf("A2"))
        assert.strictEqual(done.exitCode, 0, done.stderr)
        assert.deepStrictEqual(namesIn(folder, "out"), ["long.ranged.bam", "long.ranged.bam.bai"])
      }),
    patience
  )

  it.live.skipIf(availableParallelism() === 1)(
    "P4 ends when it is told to while its threads wait for bytes",
    () =>
      Effect.gen(function* () {
        const { env, folder, setFaults } = yield* ground({ data: yield* folderOfFiles })
        yield* setFaults([fault({ plane: "link", file: "long.bam", after: 6 }, { stall: 1_000 })])
        const running = yield* start("svc-download", sliceOf("A2"), { cwd: folder, env })
        yield* untilOrEnd(
          running,
          "its threads are up",
          Effect.sync(() => threadsOf(running.pid) > 0)
        )
        yield* running.kill("SIGTERM")
        const { exitCode, stderr } = yield* running.outcome
        assert.strictEqual(exitCode, 143, stderr)
        assert.deepStrictEqual(namesIn(folder, "out"), [])
      }).pipe(Effect.scoped),
    patience
  )
})
