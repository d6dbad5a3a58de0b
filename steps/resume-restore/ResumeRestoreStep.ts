/** `svc-resume-restore`: what it is called and how it is used; it is the other half of a download (steps/download/Program.ts). */
import type { Step } from "../main/Step.ts"

/** The download of what has been restored, as a step of its own for schedules and pipelines. */
export const resumeRestoreStep: Step = {
  name: "resume-restore",
  service: true,
  summary: "Download what has been restored, or wait until it is",
  examples: [
    {
      command: "-t https://lab.example.org",
      says: "download what is back now; exit code 75 while something is pending"
    },
    { command: "-t https://lab.example.org --wait 12h --poll 5m", says: "the same, waiting for up to half a day" },
    { command: "-t https://lab.example.org --list", says: "where the stored requests stand; nothing is downloaded" }
  ]
}
