/** What an executable begins with: it starts from functions compiled before, if they are its own and nobody's else. */
import { spawnSync } from "node:child_process"
import { chmodSync, copyFileSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { executable, folderUntilTheEnd } from "./Executables.ts"
import { root } from "./Root.ts"

/** Says on standard error whether V8 got functions and took them. */
const watch = `
const vm = require("node:vm")
vm.Script = class extends vm.Script {
  constructor(program, options) {
    super(program, options)
    console.error(options.cachedData === undefined ? "none" : this.cachedDataRejected ? "refused" : "taken")
  }
}`

const folder = folderUntilTheEnd("svc-starter-")
const preloaded = join(folder, "watch.cjs")
writeFileSync(preloaded, watch)

const node = (...args: ReadonlyArray<string>) => {
  const { status, stderr, stdout } = spawnSync(process.execPath, args, { encoding: "utf8", env: {} })
  assert.strictEqual(status, 0, stderr)
  return { stdout, stderr }
}

const version = `${JSON.parse(readFileSync(`${root}package.json`, "utf8")).version}\n`

/** A copy that has been compiled, the functions beside it, and what happens to them when it starts. */
const compiledCopy = (name: string) => {
  const path = join(folder, name)
  copyFileSync(executable("svc-verify"), path)
  node(join(root, "scripts/record.cjs"), path, "--version")
  const start = (...flags: ReadonlyArray<string>) => {
    const { stderr, stdout } = node("--require", preloaded, ...flags, path, "--version")
    assert.strictEqual(stdout, version)
    return stderr.trim()
  }
  return { path, compiled: `${path}.${process.version}.compiled`, start }
}

describe("the start of an executable", () => {
  it("is from functions compiled before, unless V8 runs under other flags", () => {
    const { start } = compiledCopy("plain.js")
    assert.strictEqual(start(), "taken")
    assert.strictEqual(start("--no-flush-bytecode"), "refused")
  })

  it("is without those of another program, although V8 would take them for their length", () => {
    const { path, start } = compiledCopy("other.js")
    const text = readFileSync(path, "latin1")
    const changed = text.replace(/"[0-9a-f]{64}"/, `"${"0".repeat(64)}"`)
    assert.notStrictEqual(changed, text)
    writeFileSync(path, changed)
    assert.strictEqual(start(), "none")
  })

  it("is without those that others may write", () => {
    const { compiled, start } = compiledCopy("open.js")
    for (const mode of [0o664, 0o646]) {
      chmodSync(compiled, mode)
      assert.strictEqual(start(), "none")
    }
  })

  it("is without those that are cut short", () => {
    const { compiled, start } = compiledCopy("short.js")
    writeFileSync(compiled, readFileSync(compiled).subarray(0, 40))
    assert.strictEqual(start(), "none")
    writeFileSync(compiled, "")
    assert.strictEqual(start(), "none")
  })

  it("works under any name, and as a module", () => {
    const path = join(folder, "svc-verify")
    copyFileSync(executable("svc-verify"), path)
    assert.deepStrictEqual(node(path, "--version"), { stdout: version, stderr: "" })
    const importing = join(folder, "importing.mjs")
    copyFileSync(executable("svc-verify"), join(folder, "module.js"))
    writeFileSync(join(folder, "package.json"), '{"type":"module"}')
    writeFileSync(importing, 'import "./module.js"')
    assert.deepStrictEqual(node(importing, "--version"), { stdout: version, stderr: "" })
  })
})
