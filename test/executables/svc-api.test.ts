import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ground } from "../DownloadGround.ts"
import { run } from "../Executables.ts"

describe("svc-api, as a process", () => {
  it.live("prints what a method answers, and a person that was just written", () =>
    Effect.gen(function* () {
      const { env, folder, stats } = yield* ground({ behaviour: { strict: true, ids: "numeric" } })
      const api = (args: ReadonlyArray<string>, input = "") => run("svc-api", args, { cwd: folder, env, input })
      const one = yield* api(["get-internal-person-id", "LIMS-0001"])
      assert.deepStrictEqual([one.exitCode, one.stdout], [0, "1001\n"], one.stderr)
      const body = yield* api(["request", "GET", "/api/analyses"])
      assert.strictEqual(body.exitCode, 0, body.stderr)
      assert.isAbove(JSON.parse(body.stdout).response.length, 3)
      assert.deepInclude(yield* stats, { overlaps: 0, maxApiInFlight: 1 })
    })
  )

  it.live("what is not there is 66, wrong usage 64, no credentials 78, a wrong password 77", () =>
    Effect.gen(function* () {
      const { env, folder } = yield* ground()
      const api = (args: ReadonlyArray<string>, changed: Readonly<Record<string, string>> = {}) =>
        run("svc-api", args, { cwd: folder, env: { ...env, ...changed } })
      const codes = yield* Effect.forEach(
        [
          api(["get-person", "nobody"]),
          api(["get-persn", "LIMS-0001"]),
          api(["get-person", "LIMS-0001"], { SVC_PASSWORD: "" }),
          api(["get-person", "LIMS-0001"], { SVC_PASSWORD: "wrong" })
        ],
        (running) => Effect.map(running, ({ exitCode, stdout }) => [exitCode, stdout])
      )
      assert.deepStrictEqual(codes, [
        [66, ""],
        [64, ""],
        [78, ""],
        [77, ""]
      ])
    })
  )
})
