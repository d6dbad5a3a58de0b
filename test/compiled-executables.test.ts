/** Two runs of the tests in one clone share the executables compiled for them. */
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { putInPlace } from "./CompiledExecutables.ts"
import { folderUntilTheEnd } from "./Executables.ts"

const made = (path: string, by: string) => {
  mkdirSync(path)
  writeFileSync(join(path, "svc-download.js"), by)
  return path
}

describe("executables compiled for the tests", () => {
  it("of two runs that compile at once the first one's stay, and the second uses them", () => {
    const cache = folderUntilTheEnd("svc-compiled-")
    const folder = join(cache, "0123")
    const [first, second] = [made(`${folder}.1`, "first"), made(`${folder}.2`, "second")]
    putInPlace(first, folder)
    putInPlace(second, folder)
    assert.strictEqual(readFileSync(join(folder, "svc-download.js"), "utf8"), "first")
    assert.deepStrictEqual(readdirSync(cache), ["0123"])
  })

  it("those of another build stay while a run may use them, and go afterwards", () => {
    const cache = folderUntilTheEnd("svc-compiled-")
    for (const name of ["recent", "old", "old.77"]) made(join(cache, name), name)
    for (const name of ["old", "old.77"]) utimesSync(join(cache, name), 0, 0)
    putInPlace(made(join(cache, "new.1"), "new"), join(cache, "new"))
    assert.deepStrictEqual(readdirSync(cache).sort(), ["new", "recent"])
  })
})
