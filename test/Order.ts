/**
 * Which test files begin first: those that start processes or threads, as one of them may take as long as fifty others. Vitest
 * orders by size in a fresh clone, and a small file that takes ten seconds would begin when all others have ended.
 */
import { BaseSequencer, type TestSpecification } from "vitest/node"

const longFiles = /\/(?:test\/(?:processes\/|executables\/|[^/]+\/)?[^/]+|platform\/threads\/[^/]+)\.test\.ts$/

const mayTakeLong = ({ moduleId }: TestSpecification) => longFiles.test(moduleId)

export class Order extends BaseSequencer {
  override async sort(files: Array<TestSpecification>) {
    const sorted = await super.sort(files)
    return [...sorted.filter(mayTakeLong), ...sorted.filter((file) => !mayTakeLong(file))]
  }
}
