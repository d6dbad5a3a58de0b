/** What is called `svc-download`, `svc-request-restore` or `svc-resume-restore`, and how each is used. */
import { analysisOperands } from "../main/Options.ts"
import type { Step } from "../main/Step.ts"

export const downloadStep: Step = {
  name: "download",
  service: true,
  summary: "Download or list the files of analyses",
  operands: analysisOperands,
  examples: [
    {
      command: "A1 A2 -t https://lab.example.org -d data",
      says: "the BAM files of two analyses with their indexes"
    },
    { command: "-t https://lab.example.org -s S1 -f vcf.gz,vcf.gz.tbi -d data", says: "the variants of a sample" },
    { command: "-t https://lab.example.org -l L1 --latest --list", says: "what the newest analysis of a person has" },
    {
      command: "A1 -t https://lab.example.org -F 'status = DONE' --plan",
      says: "show what would happen, and change nothing"
    }
  ]
}

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
