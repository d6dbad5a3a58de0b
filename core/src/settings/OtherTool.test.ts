import { assert, describe, it } from "@effect/vitest"
import { unlikeOtherTool } from "./OtherTool.ts"
import { decode, type Layer } from "./Settings.ts"

const saidOf = (file: Layer, commandLine: Layer = {}) =>
  unlikeOtherTool(decode("download", { commandLine, environment: {}, file }).settings)

describe("a configuration file of the other tool", () => {
  it("what it orders here and did not there is said, with the key", () => {
    const said = saidOf({
      restoreArchived: ["force"],
      analysisIds: ["A1"],
      sampleIds: ["S1"],
      latest: ["true"],
      range: ["chr1"],
      overwrite: ["true"]
    })
    assert.match(said[0] ?? "", /^restoreArchived in the configuration file counts here.*may cost money/)
    assert.deepStrictEqual(
      said.map((sentence) => sentence.split(" ")[0]),
      ["restoreArchived", "analysisIds", "sampleIds", "latest", "range", "overwrite"]
    )
  })

  it("nothing is said of values that mean the same, nor of what the command line gives", () => {
    const same: Layer = { restoreArchived: ["no"], analysisIds: ["A1"], overwrite: ["false"], filetypes: ["bam"] }
    assert.deepStrictEqual(saidOf(same), [])
    assert.deepStrictEqual(saidOf({ restoreArchived: ["force"] }, { restoreArchived: ["no"] }), [])
  })
})
