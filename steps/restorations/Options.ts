/** The options of `svc-steps restorations`, by method. */
import { fileTypes } from "../../core/src/genome/formats/FileNames.ts"
import type { CommandOptions } from "../main/Step.ts"

export const listOptions = {
  format: { type: "choice", choices: ["text", "json"], default: "text", help: "text: for people; json: one document" }
} as const satisfies CommandOptions

export const pruneOptions = {
  analysisIds: { type: "list", short: "a", metavar: "ID,...", help: "Only requests of these analyses" },
  before: {
    type: "text",
    metavar: "TIME",
    help: "Only requests made before this time, such as 2026-11-21 or 2026-11-21T12:00:00Z"
  },
  unusable: { type: "flag", help: "Also the entries that cannot be used" }
} as const satisfies CommandOptions

export const addOptions = {
  target: { type: "text", metavar: "URL", required: true, help: "Required. The API instance, as a full http(s) URL" },
  destination: { type: "path", metavar: "DIR", default: ".", help: "Folder to download into; it must exist" },
  filetypes: {
    type: "list",
    metavar: "TYPE,...",
    choices: fileTypes,
    default: "bam,bam.bai",
    invalid: "Unsupported file type: ",
    help: `File types: ${fileTypes.join(", ")}`
  },
  overwrite: { type: "flag", help: "Replace an existing file" },
  layout: {
    type: "choice",
    choices: ["flat", "analysis"],
    default: "flat",
    help: "flat: into the folder itself; analysis: into a folder with the id of the analysis"
  },
  check: {
    type: "choice",
    choices: ["structure", "full"],
    default: "structure",
    help: "How whole files are checked. structure: head, end and index; full: every block and record as well"
  },
  checksums: {
    type: "choice",
    choices: ["md5", "sha256"],
    help: "Put a checksum beside the file: FILE.md5 for md5sum -c, or FILE.sha256 for sha256sum -c"
  },
  range: { type: "text", metavar: "'CHR:START-END ...'", help: "Only these regions, 1-based and inclusive" },
  bed: { type: "path", metavar: "FILE", help: "Only the regions of this BED file" },
  unmapped: {
    type: "flag",
    help: "Only the unplaced reads, which stand at the end of a BAM; with --range, these and the regions"
  }
} as const satisfies CommandOptions
