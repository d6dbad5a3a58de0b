/** What a failure says of itself besides its sentence: its code, what to do about it, how far it reaches, and the exit code that it means. */
import * as Context from "effect/Context"
import * as Runtime from "effect/Runtime"

/** What stands before the tag of each error class, so that a program's own `NotFound` or `Busy` is another tag (ADR 0025). */
const prefix = "Svc"

/**
 * The code of a failure in reports, logs and JSON, such as `NotFound`: its tag without `Svc`.
 *
 * @category getters
 * @since 0.1.0
 */
export const codeOf = ({ _tag }: { readonly _tag: string }): string =>
  _tag.startsWith(prefix) ? _tag.slice(prefix.length) : _tag

/** The tag of the class with this code. */
export const tagOf = (code: string): string => `${prefix}${code}`

/**
 * What to do about a failure, as an error class says it of itself: its sentence says the fact only, and a program words
 * this by the names of its own options.
 *
 * @category errors
 * @since 0.1.0
 */
export type AdviceName =
  /** The same run may succeed. */
  | "again"
  /** It may, once what the sentence names is mended. */
  | "afterMending"
  /** Mend the entry of the restoration file, or take it out. */
  | "mendEntry"
  /** Regions: of one reference, of several, and one past the end of its reference. */
  | "correctRegion"
  | "correctRegions"
  | "dropRegion"
  /** Ask for other file types. */
  | "filetypes"
  /** Look for the id: by which analyses or persons there are. */
  | "findId"
  /** A token is for the address of a gateway that serves the interface of the service. */
  | "gatewayAddress"
  | "givePassword"
  | "giveToken"
  | "giveUser"
  /** A folder for each analysis; where its name would not tell them apart, one that the user names. */
  | "layout"
  | "ownDestinations"
  /** It is damaged at its source, when it comes so again. */
  | "damagedAtSource"
  /** The service gave a link that does not work, or whose host does not answer as it must. */
  | "linkOfService"
  /** List the files of the analysis. */
  | "listFiles"
  /** One lock folder for all that use the account. */
  | "lockDir"
  /** More restorations in one run. */
  | "maxRestores"
  /** Fetch it over what is there. */
  | "overwrite"
  | "proxyHelper"
  /** Ask for its restoration. */
  | "requestRestore"
  /** The same where nobody is there to agree to it. */
  | "restoreUnasked"
  /** Have it restored by those who run the service, which lists it as there. */
  | "restoreListed"
  /** By the reason of a `TlsRefused`. */
  | "tls"

/** What to do about what a whole run ended with, however many of its files did: said once, in this order. */
export const runAdvice = ["again", "afterMending", "mendEntry"] as const satisfies ReadonlyArray<AdviceName>

/** What may have an advice. */
export interface Advised {
  readonly advice?: AdviceName | null
}

/** The advice in words, or null: a program's own, as only a program knows its options. */
export type Advising = (advised: Advised) => string | null

/** How this program words advice; within a library that is left to its user. */
export const AdviceOf = Context.Reference<Advising>("svc-steps/core/errors/AdviceOf", {
  defaultValue: () => () => null
})

/** The sentence of a failure with what to do about it. */
export const sentenceOf =
  (adviceOf: Advising) =>
  (error: Advised & { readonly message: string }): string =>
    ending(error.message, adviceOf(error))

/** A sentence that ends with an advice, where there is one. */
export const ending = (sentence: string, advice: string | null): string =>
  advice === null ? sentence : `${sentence}; ${advice}`

/** How far a failure reaches: the others of its kind may still succeed, or all would end the same way. */
export type FailureScope = "file" | "analysis" | "run"

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
  75: "not yet: restorations are pending: run again later",
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
