/** Protects the process from leaking secrets, and from environment variables that would weaken TLS. */
import process from "node:process"

/**
 * - A password in the arguments disappears from the process list; before this moment, and in the shell, it was there.
 * - A diagnostic report of Node does not hold the environment, which may hold the password.
 * - `NODE_TLS_REJECT_UNAUTHORIZED=0` is taken back: patient data never goes to an unproven server.
 *
 * Returns sentences for the log.
 */
export const guardProcess = (title: string, secretInArguments: boolean): ReadonlyArray<string> => {
  if (secretInArguments) process.title = title
  if (process.report !== undefined) process.report.excludeEnv = true
  const { NODE_TLS_REJECT_UNAUTHORIZED } = process.env
  if (NODE_TLS_REJECT_UNAUTHORIZED !== "0") return []
  delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"]
  return ["NODE_TLS_REJECT_UNAUTHORIZED=0 is ignored, certificates are checked: for a private authority give --caFile"]
}
