/**
 * Which test files begin first: those that start processes or threads, as one of them may take as long as fifty others. Vitest
 * orders by size in a fresh clone, and a small file that takes ten seconds would begin when all others have ended.
 */
import { BaseSequencer, type TestSpecification } from "vitest/node"

const longFiles = /\/test\/(?:processes\/|executables\/|[^/]+\/)?[^/]+\.test\.ts$/

/** A minute and more each, however short the file; in front of those, since a few run at a time to the end. */
const longest =
  /\/test\/e2e\/(?:nextflow\/|engines\/Snakemake|gateway\/Load|(?:Binary|Package|Library|Image|Documentation|Durability)\.)|tracking\/simulation/

const mayTakeLong = ({ moduleId }: TestSpecification) => longFiles.test(moduleId)

export class Order extends BaseSequencer {
  override async sort(files: Array<TestSpecification>) {
    const sorted = await super.sort(files)
    const rank = (file: TestSpecification) => (longest.test(file.moduleId) ? 0 : mayTakeLong(file) ? 1 : 2)
    return sorted.toSorted((a, b) => rank(a) - rank(b))
  }
}
