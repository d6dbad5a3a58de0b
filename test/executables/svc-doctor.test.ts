import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ground } from "../DownloadGround.ts"
import { run } from "../Executables.ts"

describe("svc-doctor, as a process", () => {
  it.live("says that all is well, and what is not: nobody listens (69), a wrong password (77)", () =>
    Effect.gen(function* () {
      const { env, folder, password, stats } = yield* ground()
      const doctor = (changed: Readonly<Record<string, string>> = {}) =>
        run("svc-doctor", ["-a", "A1", "-d", "out"], { cwd: folder, env: { ...env, ...changed } })
      const well = yield* doctor()
      assert.strictEqual(well.exitCode, 0, well.stdout + well.stderr)
      assert.match(well.stdout, /^ok +login /m)
      assert.notInclude(well.stdout + well.stderr, password)
      assert.deepInclude(yield* stats, { logins: 1, logouts: 1, overlaps: 0 })
      const wrong = yield* doctor({ SVC_PASSWORD: "wrong" })
      assert.strictEqual(wrong.exitCode, 77, wrong.stdout)
      assert.deepInclude(yield* stats, { failedLogins: 1 })
      const nobody = yield* doctor({ SVC_TARGET: "http://127.0.0.1:1" })
      assert.strictEqual(nobody.exitCode, 69, nobody.stdout)
      assert.match(nobody.stdout, /^FAIL +tcp /m)
    })
  )
})
