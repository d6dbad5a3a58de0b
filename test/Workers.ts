/** How many test files run at once: some more than the processors that this process may use, and no more than the memory holds. */
import { availableParallelism, totalmem } from "node:os"

/** What a worker and the processes that it starts take at most, in bytes. */
const memoryOfOne = 1024 ** 3

/** Those for each processor: the tests that start processes wait for them a third of their time. */
const each = 1.5

const memory = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)

export const workers = Math.max(1, Math.min(Math.ceil(availableParallelism() * each), Math.floor(memory / memoryOfOne)))
