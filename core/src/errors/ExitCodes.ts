/** The exit codes of all steps (sysexits), and which of them wins when several things failed. */
import * as Runtime from "effect/Runtime"

/**
 * The exit codes that users rely on (sysexits), in the words of the documentation.
 *
 * @category constants
 * @since 0.1.0
 */
export const ExitCodes = {
  0: "all done",
  1: "a defect in svc-steps",
  64: "wrong usage: an option, a value or a missing argument",
  65: "data is wrong: corrupt, truncated, an index of another file, an unreadable reply or restoration file",
  66: "not found: analysis, person, panel, a region in a file, an input file, or a file that had to come (requireAll)",
  69: "the service or the network is unavailable, after retries, or another run is writing the file",
  73: "output cannot be created: name collision, unsafe name, destination, or a file of another size in its place",
  74: "local input or output failed: disk full, permission",
  75: "not yet: restorations are pending, or links of a links file have ended: run again later",
  77: "login refused, or access forbidden",
  78: "credentials or configuration are missing or unusable",
  129: "stopped by SIGHUP, where standard error is a terminal",
  130: "stopped by SIGINT",
  138: "stopped by SIGUSR1, as schedulers warn of a limit",
  140: "stopped by SIGUSR2, as schedulers warn of a limit",
  141: "the reader of standard output closed it, as with `| head`",
  143: "stopped by SIGTERM"
} as const

/**
 * One of {@link ExitCodes}.
 *
 * @category errors
 * @since 0.1.0
 */
export type ExitCode = keyof typeof ExitCodes

/** With several failures the first of these that occurred is the exit code of the run. */
export const severityOrder = [1, 64, 78, 74, 77, 65, 73, 66, 69, 75] as const satisfies ReadonlyArray<ExitCode>

/**
 * The exit code of a run whose items failed with `errors`; 0 when there are none.
 *
 * @category getters
 * @since 0.1.0
 */
export const mostSevere = (errors: Iterable<unknown>): ExitCode => {
  const codes = new Set<number>()
  for (const error of errors) codes.add(Runtime.getErrorExitCode(error))
  if (codes.size === 0) return 0
  return severityOrder.find((code) => codes.has(code)) ?? 1
}
