/** What a failure says of itself besides its sentence: its code, what to do about it, and how far it reaches. */

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
 * What to do about a failure, where its own sentence does not say it: each error class names one of these, or none.
 *
 * `again`: the same run may succeed. `afterMending`: it may, once what the sentence names is mended.
 */
export const Advice = {
  again: "Run the same command again",
  afterMending: "When that is mended, run the same command again",
  mendEntry: "Mend the entry of the restoration file, or take it out: see svc-steps restorations"
} as const

/**
 * What an error class says of itself as its `advice`.
 *
 * @category errors
 * @since 0.1.0
 */
export type AdviceName = keyof typeof Advice

/** How far a failure reaches: the others of its kind may still succeed, or all would end the same way. */
export type FailureScope = "file" | "analysis" | "run"
