/** `svc-verify`: what it is called and how it is used; the program itself is loaded when it runs. */
import type { LocalStep } from "../main/Step.ts"
import { options } from "./VerifyOptions.ts"

export const verifyStep: LocalStep = {
  name: "verify",
  service: false,
  offline: true,
  summary: "Check files to their last byte, without any network",
  operands: {
    metavar: "PATH",
    help: "File, or folder to search; BAM, VCF.gz, BCF, their indexes and checksums (NAME.md5, NAME.sha256) are checked",
    least: 0,
    most: Number.POSITIVE_INFINITY
  },
  options,
  examples: [
    { command: "data", says: "every block, header, record and index in a folder" },
    { command: "--against report.json", says: "the files of a download: also their sizes and SHA-256" },
    { command: "S1.bam S1.bam.bai --format json", says: "for programs" }
  ],
  load: () => import("../main/Programs.ts").then(({ verify }) => verify)
}
