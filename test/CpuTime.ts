/** Time that does not depend on who else uses the machine. */
import { assert } from "@effect/vitest"

/** CPU time that this process takes for `work`, in ms. */
const cpuMillis = (work: () => void): number => {
  const before = process.cpuUsage()
  work()
  const { system, user } = process.cpuUsage(before)
  return (system + user) / 1000
}

/**
 * `work` of eight times the size takes some eight times the CPU time, and not 64 times: so it grows no faster than its input. How
 * fast the machine is does not matter, nor whether somebody counts which lines run.
 */
export const growsEvenly = (size: number, work: (size: number) => void): void => {
  const small = cpuMillis(() => work(size / 8))
  // Below some milliseconds it is the compiler and the collector that are measured.
  assert.isBelow(
    cpuMillis(() => work(size)),
    24 * Math.max(small, 5)
  )
}
