/** The own options of `svc-doctor`. */
import type { CommandOptions } from "../main/Step.ts"

export const options = {
  analysisIds: {
    type: "list",
    short: "a",
    metavar: "ID,...",
    help: "Look at the link host as well, with one byte of a file of this analysis"
  },
  format: {
    type: "choice",
    choices: ["text", "json"],
    default: "text",
    help: "text: a line per check and what to do; json: one document"
  }
} as const satisfies CommandOptions
