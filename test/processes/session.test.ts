/** One account and several processes, over real sockets. */
import { type ChildProcess, spawn } from "node:child_process"
import { readdirSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { bundled } from "../Bundles.ts"
import { strictService } from "../servers/StrictService.ts"
import { temporaryFolder } from "../TemporaryFolder.ts"

const folder = temporaryFolder("session-")

const sessionRun = await bundled(new URL("../children/SessionRun.ts", import.meta.url))

const child = (url: URL, lockDir: string, requests: number) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, [sessionRun, url.href, lockDir, String(requests)], {
        stdio: ["ignore", "pipe", "ignore"]
      })
    ),
    (process) => Effect.sync(() => process.kill("SIGKILL"))
  )

const output = (process: ChildProcess) =>
  Effect.callback<string>((resume) => {
    let text = ""
    process.stdout?.on("data", (data) => {
      text += data
    })
    process.once("close", () => resume(Effect.succeed(text.trim())))
  })

describe("sessions of one account", () => {
  it.live("S7 two processes with one account never overlap when they share the lock folder", () =>
    Effect.gen(function* () {
      const service = yield* strictService({ delay: 5 })
      const lockDir = yield* folder
      const children = yield* Effect.all([child(service.url, lockDir, 30), child(service.url, lockDir, 30)])
      assert.deepStrictEqual(yield* Effect.forEach(children, output, { concurrency: "unbounded" }), ["ok", "ok"])
      assert.strictEqual(service.counts.overlaps, 0)
      assert.strictEqual(service.counts.logins, 2)
      assert.strictEqual(service.counts.requests, 60)
      assert.deepStrictEqual(readdirSync(lockDir), [])
    })
  )

  it.live("S7 without the lock they end, with bounded logins and an error that says why", () =>
    Effect.gen(function* () {
      const service = yield* strictService({ delay: 25 })
      const children = yield* Effect.all([child(service.url, "none", 200), child(service.url, "none", 200)])
      const said = yield* Effect.forEach(children, output, { concurrency: "unbounded" })
      assert.isAbove(service.counts.overlaps, 0)
      // Who always meets the other's 403 and never its own 302 cannot tell contention from a missing permission.
      for (const outcome of said)
        assert.include(["ok", "SvcSessionContention", "SvcForbidden", "SvcLoginProtocol"], outcome)
      assert.isAtMost(service.counts.logins, 40)
      assert.strictEqual(service.counts.rejected, 0)
    })
  )
})
