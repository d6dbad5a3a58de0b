/** Time that does not depend on who else uses the machine. */

/** CPU time that this process takes for `work`, in ms. */
export const cpuMillis = (work: () => void): number => {
  const before = process.cpuUsage()
  work()
  const { system, user } = process.cpuUsage(before)
  return (system + user) / 1000
}
