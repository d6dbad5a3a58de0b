/** `svc-doctor`: what it is called and how it is used. */
import type { CommandOptions, Step } from "../main/Step.ts"

export const options = {
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
  summary: "Tell what is wrong with the settings, this computer, the way to the service, or the login",
  options,
  examples: [
    { command: "-t https://lab.example.org", says: "everything from the settings to a login and one harmless request" },
    { command: "--config svc.json --format json", says: "for a monitoring system: 0 when nothing fails" }
  ]
}
