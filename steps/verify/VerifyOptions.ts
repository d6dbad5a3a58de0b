/** The own options of `svc-verify`. */
import type { CommandOptions } from "../main/Step.ts"

export const options = {
  against: {
    type: "path",
    file: { what: "the list of what files must be", use: "read" },
    metavar: "FILE",
    help: "What the files must be: the report of svc-download, or the output of sha256sum. Its files are checked as well"
  },
  format: {
    type: "choice",
    choices: ["text", "json"],
    default: "text",
    help: "text: a line per file; json: one document"
  }
} as const satisfies CommandOptions
