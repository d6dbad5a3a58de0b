import { statSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { sameFile } from "./FileIdentity.ts"

describe("sameFile", () => {
  it("the same number on another disk is another file, as is another number on this one", () => {
    const stats = () => statSync(fileURLToPath(import.meta.url))
    assert.isTrue(sameFile(stats(), stats()))
    assert.isFalse(sameFile(stats(), Object.assign(stats(), { dev: stats().dev + 1 })))
    assert.isFalse(sameFile(stats(), Object.assign(stats(), { ino: stats().ino + 1 })))
  })
})
