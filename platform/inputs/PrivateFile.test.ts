import { execFileSync } from "node:child_process"
import { chmodSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { temporaryFolder } from "../../test/TemporaryFolder.ts"
import { exposure, readConfigFile } from "./PrivateFile.ts"

const file = Effect.fnUntraced(function* (content: string | Uint8Array, mode = 0o600) {
  const folder = yield* temporaryFolder("svc-config-")
  const path = join(folder, "config.json")
  writeFileSync(path, content)
  chmodSync(path, mode)
  return path
})

const refusal = Effect.fnUntraced(function* (content: string | Uint8Array) {
  const path = yield* file(content)
  const error = yield* Effect.flip(readConfigFile(path))
  return error.message.replace(`Configuration file ${path}: `, "")
})

describe("configuration file", () => {
  it.effect("G3 CRLF and a byte order mark are fine", () =>
    Effect.gen(function* () {
      const { layer, warnings } = yield* readConfigFile(
        yield* file('\ufeff{\r\n  "username": "ada",\r\n  "filter": "id>3"\r\n}\r\n')
      )
      assert.deepStrictEqual(layer, { username: ["ada"], filters: ["id>3"] })
      assert.deepStrictEqual(warnings, [])
    })
  )

  it.effect("G3 what cannot be used says why and where, and repeats nothing of it", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* refusal('{\n  "password": CANARY\n}'),
        "not JSON: expected a value at line 2, column 15"
      )
      assert.strictEqual(yield* refusal(""), "not JSON: expected a value at line 1, column 1")
      assert.match(yield* refusal("[1]"), /^it must hold one JSON object/)
      assert.match(yield* refusal("null"), /^it must hold one JSON object/)
      assert.strictEqual(yield* refusal(new Uint8Array([0x7b, 0xff, 0xfe, 0x7d])), "it is not UTF-8 text")
      assert.strictEqual(yield* refusal('{"overwrite": {}}'), "overwrite must be true or false, not an object")
      assert.strictEqual(yield* refusal(`{"a":"${"x".repeat(1024 * 1024)}"}`), "it is larger than 1 MB")
    })
  )

  it.effect("G3 a missing file and a folder", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        (yield* Effect.flip(readConfigFile("no/such.json"))).message,
        "Configuration file no/such.json: it does not exist"
      )
      assert.strictEqual((yield* Effect.flip(readConfigFile(tmpdir()))).reason, "it is a folder")
    })
  )

  it.effect("G3 duplicate and unknown keys are warnings", () =>
    Effect.gen(function* () {
      const path = yield* file('{"target": "a", "owner": "us", "target": "b"}')
      const { layer, warnings } = yield* readConfigFile(path)
      assert.deepStrictEqual(layer, { target: ["b"] })
      assert.deepStrictEqual(warnings, [
        `${path}: target is given more than once, the last one counts`,
        `${path}: unknown key owner`
      ])
    })
  )

  for (const [mode, warns] of [
    [0o600, false],
    [0o400, false],
    [0o640, true],
    [0o604, true],
    [0o644, true],
    [0o666, true]
  ] as const) {
    it.effect(`G3 mode ${mode.toString(8)} with a password ${warns ? "warns" : "is private"}`, () =>
      Effect.gen(function* () {
        for (const key of ["password", "proxyPassword", "token"]) {
          const { warnings } = yield* readConfigFile(yield* file(`{"${key}": "x"}`, mode))
          assert.strictEqual(warnings.length, warns ? 1 : 0)
          if (warns)
            assert.match(
              warnings[0] ?? "",
              /holds a secret and other users can read it: make it private with chmod 600$/
            )
        }
        assert.deepStrictEqual((yield* readConfigFile(yield* file('{"target": "x"}', mode))).warnings, [])
      })
    )
  }

  it("G3 a file that root hands to the group of a service, as secrets are mounted into containers, is private", () => {
    const told = (mode: number, owner: number, user: number) => exposure("token", { mode, owner }, user).length
    const [root, service] = [0, 10001]
    assert.strictEqual(told(0o100440, root, service), 0)
    assert.strictEqual(told(0o100444, root, service), 1)
    assert.strictEqual(told(0o100440, root, root), 1)
    assert.strictEqual(told(0o100440, service, service), 1)
  })

  it.effect("a pipe is read to its end, so that secrets need no file", () =>
    Effect.gen(function* () {
      const path = `${yield* file("")}.fifo`
      execFileSync("mkfifo", [path])
      const write = Effect.promise(() =>
        import("node:fs/promises").then(({ writeFile }) => writeFile(path, '{"username": "ada"}'))
      )
      const [{ layer }] = yield* Effect.all([readConfigFile(path), write], { concurrency: 2 })
      assert.deepStrictEqual(layer, { username: ["ada"] })
    })
  )
})
