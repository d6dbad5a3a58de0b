/** The face of the library: all that its signatures speak of can be imported, and a change of it is seen and meant. */
import { assert, describe, expect, it } from "@effect/vitest"
import { entryPoints, exportsOf, unnameableTypes, unreachableNames } from "./Declarations.ts"
import { listing } from "./Listing.ts"

const entryPointNames = Object.keys(entryPoints) as ReadonlyArray<keyof typeof entryPoints>

describe("the entry points", () => {
  it("export every name that their services, layers and functions speak of, and no more than a reader can know", () => {
    assert.deepStrictEqual(unreachableNames(), [])
    const names = entryPointNames.flatMap((entryPoint) => [...exportsOf(entryPoint).keys()])
    assert.isAtMost(names.length, 140)
  })

  it("have no type that declarations of others cannot name, since only this package may import where it comes from", () => {
    assert.deepStrictEqual(unnameableTypes(), [])
  })

  it("have errors whose tags are Svc and the name of the class, so that no tag has two classes", () => {
    const errors = [...listing().matchAll(/^error \w+\.(\w+) \{\n {2}readonly _tag: "(\w+)"/gm)]
    assert.isAbove(errors.length, 30)
    assert.deepStrictEqual(
      errors.map(([, , tag]) => tag),
      errors.map(([, name]) => `Svc${name}`)
    )
    assert.strictEqual(new Set(errors.map(([, name]) => name)).size, errors.length)
  })

  it("brand every id that stands by itself; only the world of the sandbox is written down as text", () => {
    const [library = ""] = listing().split("## svc-steps/sandbox")
    assert.match(library, /readonly analysisId: AnalysisId;/)
    assert.deepStrictEqual(
      library.match(/^.*\b(?:analysis|sample|(?:personL|l)ims)Ids?\??: (?:string|String)(?! &)\b.*$/gm),
      null
    )
  })

  it("export what test/library/exports.txt says (npm run docs:api)", () =>
    expect(listing()).toMatchFileSnapshot("./exports.txt"))
})
