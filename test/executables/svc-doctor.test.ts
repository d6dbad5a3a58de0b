import { readdirSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { checkNames } from "../../steps/doctor/Check.ts"
import { ground } from "../DownloadGround.ts"
import { run } from "../Executables.ts"

describe("svc-doctor, as a process", () => {
  it.live("says that all is well, and what is not: nobody listens (69), a wrong password (77)", () =>
    Effect.gen(function* () {
      const { env, folder, password, stats } = yield* ground()
      const doctor = (changed: Readonly<Record<string, string>> = {}) =>
        run("svc-doctor", ["-d", "out"], { cwd: folder, env: { ...env, ...changed } })
      const well = yield* doctor()
      assert.strictEqual(well.exitCode, 0, well.stdout + well.stderr)
      assert.deepStrictEqual(
        [...well.stdout.matchAll(/^(ok|skipped) +(\S+(?: folder)?) /gm)].map(([, status, name]) => [name, status]),
        checkNames.map((name) => [name, name === "gateway" ? "skipped" : "ok"])
      )
      assert.match(well.stdout, /^ok {6}login {9}\S+ is logged in, and a request is answered \(\d+ virtual panels, /m)
      assert.include(well.stderr, "7 ok, 1 skipped")
      assert.notInclude(well.stdout + well.stderr, password)
      assert.deepInclude(yield* stats, { logins: 1, failedLogins: 0, logouts: 1, overlaps: 0, linkBytes: 0 })
      assert.deepStrictEqual(readdirSync(join(folder, "out")), [])
      const wrong = yield* doctor({ SVC_PASSWORD: "CANARY" })
      assert.strictEqual(wrong.exitCode, 77, wrong.stdout)
      assert.match(
        wrong.stdout,
        /^FAIL +login .* refused the login of .*it is not sent again.*\n +-> Set SVC_USER and/m
      )
      assert.notInclude(wrong.stdout + wrong.stderr, "CANARY")
      assert.deepInclude(yield* stats, { failedLogins: 1 })
      const nobody = yield* doctor({ SVC_TARGET: "http://127.0.0.1:1" })
      assert.strictEqual(nobody.exitCode, 69, nobody.stdout)
      assert.match(nobody.stdout, /^FAIL +address .* connection refused .*\n +-> Check the port/m)
    })
  )
})
