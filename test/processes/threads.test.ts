/** Processes whose work is done by threads end: when it is done, when it fails, and when they are told to. */
import { hash } from "node:crypto"
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { availableParallelism, tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Codec } from "../../core/src/genome/bgzf/Codec.ts"
import * as ZlibCodec from "../../platform/inflate/ZlibCodec.ts"
import { fault, ground, namesIn } from "../DownloadGround.ts"
import { runCommand, start, untilOrEnd } from "../Executables.ts"
import { longReads } from "../genome/LongReads.ts"
import { threadsOf } from "../ProcessThreads.ts"
import { root } from "../Root.ts"

/** Milliseconds: many times what a process takes that ends. */
const patience = 300_000

/** A folder with `damaged.bam`, which has a flipped bit near its end, and `long.bam`: 18 MB each, work for two threads. */
const folderOfFiles = Effect.runSync(
  Effect.cached(
    Effect.gen(function* () {
      const { bai, bam } = longReads(yield* Codec, 65_280, 9_000)
      const folder = mkdtempSync(join(tmpdir(), "svc-threads-"))
      writeFileSync(join(folder, "long.bam"), bam)
      const damaged = bam.slice()
      const at = bam.length - 1_000_000
      damaged[at] = (damaged[at] ?? 0) ^ 1
      writeFileSync(join(folder, "damaged.bam"), damaged)
      for (const name of ["damaged", "long"]) writeFileSync(join(folder, `${name}.bam.bai`), bai)
      return folder
    }).pipe(Effect.provide(ZlibCodec.layer))
  )
)

const sliceOf = (analysis: string) => ["-a", analysis, "-g", "chr1", "-f", "bam", "-d", "out"]

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
          Effect.sync(() => threadsOf(running.pid).length > 0)
        )
        yield* running.kill("SIGTERM")
        const { exitCode, stderr } = yield* running.outcome
        assert.strictEqual(exitCode, 143, stderr)
        // Ten seconds later it would have been ended by force, with the same exit code.
        assert.notInclude(stderr, "Not finished")
        assert.deepStrictEqual(namesIn(folder, "out"), [])
      }).pipe(Effect.scoped),
    patience
  )

  it.live("goes on while nothing is under way but what it awaits of a thread", () =>
    Effect.gen(function* () {
      const program = `${root}test/children/DigestedFile.ts`
      const { exitCode, stderr, stdout } = yield* runCommand(process.execPath, [program])
      assert.strictEqual(stdout, `${hash("md5", readFileSync(program))}\n`, stderr)
      assert.strictEqual(exitCode, 0)
    })
  )

  it.live("is still there when its threads have ended, although a report came meanwhile", () =>
    Effect.gen(function* () {
      const { exitCode, stderr, stdout } = yield* runCommand(process.execPath, [
        `${root}test/children/ClosedThreads.ts`
      ])
      assert.strictEqual(stdout, "closed\n", stderr)
      assert.strictEqual(exitCode, 0)
    })
  )

  it.live("ends by itself although a program of the library leaves its idle threads open", () =>
    Effect.gen(function* () {
      const { exitCode, stderr, stdout } = yield* runCommand(process.execPath, [`${root}test/children/IdleThreads.ts`])
      assert.strictEqual(stdout, "inflated\n", stderr)
      assert.strictEqual(exitCode, 0)
    })
  )
})
