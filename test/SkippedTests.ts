/** Says at the end of a run how many tests were skipped, and what they needed: a skipped test must not look like a green one. */
import type { Reporter, TestModule, Vitest } from "vitest/node"

export default class SkippedTests implements Reporter {
  #asked = false

  onInit({ config }: Vitest): void {
    // With -t all the others are skipped.
    this.#asked = config.testNamePattern !== undefined
  }

  onTestRunEnd(modules: ReadonlyArray<TestModule>): void {
    const counts = new Map<string, number>()
    for (const module of modules) {
      for (const test of module.children.allTests("skipped")) {
        const { lack } = test.meta()
        if (lack !== undefined) counts.set(lack, (counts.get(lack) ?? 0) + 1)
        else if (!this.#asked && test.options.mode === "skip") {
          console.log(`skipped without a reason (test/Lacks.ts): ${test.fullName}`)
          process.exitCode = 1
        }
      }
    }
    for (const [lack, count] of counts)
      console.log(`skipped: ${count} of the tests, for which this machine lacks ${lack}`)
  }
}
