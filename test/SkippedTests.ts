/** Says at the end of a run how many tests were skipped, and what they needed: a skipped test must not look like a green one. */
import type { Reporter, TestModule } from "vitest/node"

export default class SkippedTests implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>): void {
    const counts = new Map<string, number>()
    for (const module of modules) {
      for (const test of module.children.allTests("skipped")) {
        const { lack } = test.meta()
        if (lack !== undefined) counts.set(lack, (counts.get(lack) ?? 0) + 1)
      }
    }
    for (const [lack, count] of counts) console.log(`${count} tests were skipped: this machine lacks ${lack}`)
  }
}
