/** `svc-download`: what it is called and how it is used. */
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
