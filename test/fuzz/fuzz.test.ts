/** The short form of `npm run fuzz`, and that it finds what it looks for. */
import { assert, describe, it } from "@effect/vitest"
import { longForm } from "../LongForm.ts"
import { fuzz } from "./FuzzRun.ts"
import { genomeTargets } from "./GenomeTargets.ts"
import { textTargets } from "./TextTargets.ts"

describe("hostile inputs", () => {
  for (const target of [...genomeTargets, ...textTargets]) {
    it(`D4 D5 D6 T6 H19 ${target.name} is refused or taken, never an exception`, { timeout: 300_000 }, async () => {
      const inputs = genomeTargets.includes(target) ? (longForm ? 40 : 16) : 120
      const { findings, past, refusals } = await fuzz([target], inputs, 7)
      assert.deepStrictEqual(
        findings.map(({ fault, input }) => `${input}: ${fault}`),
        []
      )
      assert.isAbove(refusals, 0)
      // Only spoilt blocks end in front of the records.
      if (target.name !== "bgzf") assert.isAbove(past.get(target.name) ?? 0, inputs / 5)
    })
  }

  it("a reader that throws, or fails in an unknown way, is found", async () => {
    const [sample] = textTargets
    if (sample === undefined) return assert.fail("no target")
    const tags = (bytes: Uint8Array) => [bytes.length % 2 === 0 ? "Defect" : "refused"]
    const throwing = { ...sample, read: (bytes: Uint8Array) => ({ tags: tags(bytes), past: true }) }
    assert.isAbove((await fuzz([throwing], 50, 1)).findings.length, 0)
  })
})
