/** The service is killed in the middle of the work of a step, and comes back at the same address without its memory. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope } from "effect"
import type { FaultRule } from "../../../sandbox/Faults.ts"
import { fault, namesIn, readReport, sha256 } from "../../DownloadGround.ts"
import { run, startSandbox, until } from "../../Executables.ts"
import { quietPort } from "../../Ports.ts"
import { temporaryFolder } from "../../TemporaryFolder.ts"

interface Stats {
  readonly linkBytes: number
  readonly logins: number
  readonly requests: Readonly<Record<string, number>>
}

/** A service that can be killed and started again, and a folder to work in. */
const makePlace = Effect.fnUntraced(function* (faults: ReadonlyArray<FaultRule>) {
  const folder = yield* temporaryFolder("restart-")
  mkdirSync(join(folder, "out"))
  writeFileSync(join(folder, "faults.json"), JSON.stringify(faults))
  const life = yield* Scope.make()
  const ports = ["--port", String(yield* quietPort), "--linkPort", String(yield* quietPort)]
  const first = yield* Scope.provide(startSandbox([...ports, "--faults", join(folder, "faults.json")]), life)
  const env = { SVC_TARGET: first.url, SVC_USER: first.user, SVC_PASSWORD: first.password }
  const step = (args: ReadonlyArray<string>) =>
    run("svc-download", args, { cwd: folder, env: { ...env, SVC_LOCK_DIR: join(folder, "locks") } })
  // Each over a connection of its own: that of a killed service is no way to the next one.
  const stats = Effect.promise(
    (): Promise<Stats> =>
      fetch(`${first.url}/__sandbox/stats`, { headers: { connection: "close" } }).then(
        (response) => response.json() as Promise<Stats>
      )
  )
  /** Kills it when `reached`, and starts another one, without the faults, in its place. */
  const restartWhen = (reached: (stats: Stats) => boolean) =>
    Effect.gen(function* () {
      yield* until("the service is where it is to be killed", Effect.map(stats, reached))
      process.kill(first.pid, "SIGKILL")
      yield* Scope.close(life, Exit.void)
      yield* startSandbox(ports)
    })
  return { folder, restartWhen, stats, step }
})

describe("a service that restarts", () => {
  it.live("H22 in mid-download: the file goes on where it was", () =>
    Effect.gen(function* () {
      const place = yield* makePlace([fault({ plane: "link" }, { slow: 60_000 })])
      const args = ["-a", "A1", "-f", "bam", "--reportfile", "r.json"]
      const { folder } = place
      const broken = yield* Effect.forkChild(place.step([...args, "-d", "out"]))
      yield* place.restartWhen(({ linkBytes }) => linkBytes > 40_000)
      const outcome = yield* Fiber.join(broken)
      assert.strictEqual(outcome.exitCode, 0, outcome.stderr)
      const [file] = readReport(folder, "r.json").files
      assert.isAbove(file?.attempts ?? 0, 1)
      const name = file?.fileName ?? ""
      assert.deepStrictEqual(namesIn(folder, "out"), [name])
      const { linkBytes } = yield* place.stats
      // What the second service sent is less than the whole file.
      assert.isBelow(linkBytes, file?.bytes ?? 0)
      mkdirSync(join(folder, "calm"))
      assert.strictEqual((yield* place.step([...args, "-d", "calm"])).exitCode, 0)
      assert.strictEqual(sha256(folder, "out", name), sha256(folder, "calm", name))
    })
  )

  it.live("H22 in mid-list: one login at the new one, and the same list", () =>
    Effect.gen(function* () {
      const place = yield* makePlace([fault({ endpoint: "getFileDownloadLinks", nth: 2 }, { delay: 600_000 })])
      const args = ["-a", "A1,A2,A3,A4", "--list"]
      const broken = yield* Effect.forkChild(place.step(args))
      yield* place.restartWhen(({ requests }) => (requests["getFileDownloadLinks"] ?? 0) >= 2)
      const outcome = yield* Fiber.join(broken)
      assert.strictEqual(outcome.exitCode, 0, outcome.stderr)
      assert.strictEqual((yield* place.stats).logins, 1)
      const calm = yield* place.step(args)
      assert.strictEqual(calm.exitCode, 0, calm.stderr)
      assert.strictEqual(outcome.stdout, calm.stdout)
    })
  )
})
