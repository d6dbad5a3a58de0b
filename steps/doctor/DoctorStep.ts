/** `svc-doctor`: what it is called and how it is used. */
import { analysisOperands } from "../main/Options.ts"
import type { CommandOptions, Step } from "../main/Step.ts"

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

/** Local, since it must also work, and say why, when target or credentials are missing. */
export const doctorStep: Step = {
  name: "doctor",
  service: false,
  summary: "Tell what is wrong with settings, network, login, clock, lock folder and disk",
  operands: analysisOperands,
  options,
  examples: [
    { command: "-t https://lab.example.org", says: "everything from the settings to a login and one harmless request" },
    { command: "-t https://lab.example.org -a A1", says: "also whether files can be fetched in parts" },
    { command: "--config svc.json --format json", says: "for a monitoring system: 0 when nothing fails" }
  ]
}
