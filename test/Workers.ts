/** How many test files run at once: one for each processor that this process may use, and no more than the memory holds. */
import { availableParallelism, totalmem } from "node:os"

/** What a worker and the processes that it starts take at most, in bytes. */
const memoryOfOne = 1.5 * 1024 ** 3

/** On two processors three: the tests that start processes wait for them a third of their time. */
const fewest = 3

const memory = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)

export const workers = Math.max(1, Math.min(Math.max(availableParallelism(), fewest), Math.floor(memory / memoryOfOne)))
