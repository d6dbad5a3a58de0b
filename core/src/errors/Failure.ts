/** What a failure says of itself besides its sentence: its code, what to do about it, and how far it reaches. */
import * as Context from "effect/Context"

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
  | "findPerson"
  /** A token is for the address of a gateway that serves the interface of the service. */
  | "gatewayAddress"
  | "givePassword"
  | "giveToken"
  | "giveUser"
  /** A folder for each analysis. */
  | "layout"
  /** It is damaged at its source, when it comes so again. */
  | "damagedAtSource"
  /** The service gave a link that does not work. */
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
  /** Write the links anew. */
  | "writeLinks"

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
