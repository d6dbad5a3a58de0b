/** `svc-request-restore`: what it is called and how it is used; it is one half of a download (steps/download/Program.ts). */
import { analysisOperands } from "../main/Options.ts"
import type { Step } from "../main/Step.ts"

/** Asks for archived files and writes down what to wait for. */
export const requestRestoreStep: Step = {
  name: "request-restore",
  service: true,
  summary: "Ask for the restoration of archived files and remember it; safe to repeat",
  operands: analysisOperands,
  examples: [
    { command: "A3 -t https://lab.example.org -d data", says: "ask for the archived BAM files of an analysis" },
    {
      command: "A3 A4 -t https://lab.example.org --restorationFile pending.json --maxRestores 10",
      says: "remember the requests in this file, and ask for at most ten restorations"
    },
    { command: "A3 -t https://lab.example.org --plan", says: "show what would be asked for, and change nothing" }
  ]
}
