/** What to do about a failure, where its own sentence does not say it: each error class names one of these, or none. */

/** `again`: the same run may succeed. `afterMending`: it may, once what the sentence names is mended. */
export const Advice = {
  again: "Run the same command again",
  afterMending: "When that is mended, run the same command again",
  mendEntry: "Mend the entry of the restoration file, or take it out: see svc-steps restorations"
} as const

/** What an error class says of itself as its `advice`. */
export type AdviceName = keyof typeof Advice
