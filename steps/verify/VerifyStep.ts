/** `svc-verify`: what it is called and how it is used. */
import type { CommandOptions, Step } from "../main/Step.ts"

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

export const verifyStep: Step = {
  name: "verify",
  service: false,
  offline: true,
  summary: "Check files to their last byte, without any network",
  operands: {
    metavar: "PATH",
    help: "File, with the indexes and checksums beside it, or folder to search; BAM, VCF.gz, their indexes and checksums (NAME.md5, NAME.sha256) are checked",
    least: 0,
    most: Number.POSITIVE_INFINITY
  },
  options,
  examples: [
    { command: "data", says: "every block, header, record and index in a folder" },
    { command: "--against report.json", says: "the files of a download: also their sizes and SHA-256" },
    { command: "S1.bam S1.bam.bai --format json", says: "for programs" }
  ]
}
