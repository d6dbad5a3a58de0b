/**
 * The settings about files: which are wanted, and which regions of them, where they go, what is checked of them, what is done in
 * place of a download, and what becomes of those in the archive.
 */
import { checks, fileTypes } from "../genome/formats/FileNames.ts"
import { downloadSteps, fetchingSteps, fileSteps, inGroup, selectionSteps } from "./Key.ts"

/** Which analyses and which of their files. */
export const selectionKeys = inGroup("Selection", selectionSteps, {
  analysisIds: {
    type: "list",
    steps: [...selectionSteps, "fetch-annotations"],
    common: true,
    short: "a",
    metavar: "ID,...",
    fromFile: true,
    otherSpellings: ["id", "ids", "analysis", "analyses"],
    help: "Analyses to take; @FILE reads them from a file, one a line, and @- from standard input (# begins a comment)"
  },
  sampleIds: {
    type: "list",
    common: true,
    short: "s",
    metavar: "ID,...",
    fromFile: true,
    otherSpellings: ["sample", "samples"],
    help: "Only analyses of these samples; @FILE as above"
  },
  limsIds: {
    type: "list",
    common: true,
    short: "l",
    metavar: "ID,...",
    fromFile: true,
    help: "Only analyses of these persons, by LIMS ID; @FILE as above"
  },
  filters: {
    type: "lines",
    common: true,
    short: "F",
    metavar: "'FIELD OP VALUE'",
    configAlias: "filter",
    otherSpellings: ["filter"],
    help: "Only analyses for which this holds; OP is one of = != > < >= <= ~= (contains) ^= (starts with). Repeatable"
  },
  latest: {
    type: "flag",
    common: true,
    beyond: true,
    help: "Only the newest analysis of each person: the newest one that has files of the wanted types"
  },
  filetypes: {
    type: "list",
    common: true,
    short: "f",
    env: "SVC_FILETYPES",
    metavar: "TYPE,...",
    otherSpellings: ["type", "types"],
    choices: fileTypes,
    default: "bam,bam.bai",
    invalid: "Unsupported file type: ",
    help: `Which of ${fileTypes.join(", ")}`
  }
})

/** Which parts of files. */
export const regionKeys = inGroup("Regions", selectionSteps, {
  range: {
    type: "text",
    common: true,
    short: "g",
    metavar: "'CHR:START-END ...'",
    otherSpellings: ["r", "region", "regions"],
    help: "Only these regions, 1-based and inclusive; separated by spaces, writes <file>.ranged.bam or <file>.ranged.vcf.gz"
  },
  bed: {
    type: "path",
    file: { what: "the BED file", use: "read" },
    common: true,
    short: "b",
    metavar: "FILE",
    help: "Only the regions of this BED file"
  },
  unmapped: {
    type: "flag",
    common: true,
    beyond: true,
    otherSpellings: ["um"],
    help: "Only the unplaced reads; they stand at the end of a BAM. With --range, these and the regions"
  }
})

/** Where files go, what is checked of them, and what is done in place of a download. */
export const fileKeys = inGroup("Files", fileSteps, {
  destination: {
    type: "path",
    steps: [...fileSteps, "doctor"],
    common: true,
    short: "d",
    env: "SVC_DESTINATION",
    metavar: "DIR",
    default: ".",
    otherSpellings: ["o", "output-dir", "out-dir", "output", "out", "dir", "dest", "directory"],
    help: "Folder to download into; it must exist"
  },
  overwrite: {
    type: "flag",
    common: true,
    env: "SVC_OVERWRITE",
    otherSpellings: ["o", "force", "clobber"],
    help: "Replace existing files; without it they are kept, and one of another size than listed is an error"
  },
  layout: {
    type: "choice",
    choices: ["flat", "analysis"],
    default: "flat",
    beyond: true,
    help: "flat: all files in one folder; analysis: one folder per analysis"
  },
  check: {
    type: "choice",
    choices: checks,
    default: "content",
    beyond: true,
    help: "How whole files are checked while they come. structure: head, end and index; content: every byte too, by a digest of the link host or the CRC of each block; full: every record too"
  },
  checksums: {
    type: "choice",
    choices: ["md5", "sha256"],
    beyond: true,
    help: "Put a checksum beside each file: FILE.md5 for md5sum -c, or FILE.sha256 for sha256sum -c"
  },
  makeIndex: {
    type: "flag",
    beyond: true,
    otherSpellings: ["index", "write-index"],
    help: "Make the index of each whole BAM and VCF file that comes without one: S1.bam.bai, S1.vcf.gz.tbi, or .csi for long references"
  },
  requireAll: {
    type: "flag",
    steps: fetchingSteps,
    beyond: true,
    otherSpellings: ["strict"],
    help: "Fail (66) when a file that was asked for does not come: archived and not restored, or a type that an analysis does not have"
  },
  list: {
    type: "flag",
    steps: fetchingSteps,
    common: true,
    otherSpellings: ["L", "ls"],
    help: "List files and sizes, download nothing"
  },
  plan: {
    type: "flag",
    steps: selectionSteps,
    common: true,
    beyond: true,
    otherSpellings: ["n", "dry-run", "simulate"],
    help: "Only show what would happen: paths, sizes, disk space, collisions, restorations"
  },
  stdout: {
    type: "flag",
    steps: downloadSteps,
    beyond: true,
    notInFile: true,
    otherSpellings: ["c", "pipe", "to-stdout"],
    help: "Write the one file that is wanted, whole or the slice of it, to standard output, every block and record of it checked before it goes"
  },
  format: {
    type: "choice",
    choices: ["text", "json"],
    default: "text",
    beyond: true,
    otherSpellings: ["json", "output-format"],
    help: "Form of what is printed in place of files: text for people, or one JSON document"
  }
})

/** Files in the archive: what is asked for, remembered and waited for. */
export const archiveKeys = inGroup("Archive", fetchingSteps, {
  restoreArchived: {
    type: "choice",
    common: true,
    env: "SVC_RESTORE_ARCHIVED",
    choices: ["ask", "all", "force", "no"],
    default: "ask",
    otherSpellings: ["ra"],
    help: "Restore archived files: ask for each, once for all, without asking (force), or no"
  },
  maxRestores: {
    type: "int",
    steps: fileSteps,
    metavar: "N",
    beyond: true,
    help: "Ask for the restoration of at most N analyses in this run; a restoration may cost money"
  },
  restorationFile: {
    type: "path",
    file: { what: "the restoration file", use: "written" },
    steps: [...fileSteps, "restorations"],
    env: "SVC_RESTORATION_FILE",
    metavar: "FILE",
    default: "awaiting-restoration.json",
    otherSpellings: ["rf"],
    help: "File that remembers pending restorations"
  },
  resumeArchivedDownloads: {
    type: "flag",
    steps: downloadSteps,
    otherSpellings: ["rad", "resume", "continue"],
    help: "Download what has come back from the archive; each file with the options stored in the restoration file"
  },
  wait: {
    type: "duration",
    common: true,
    metavar: "TIME",
    beyond: true,
    help: "Wait this long for restorations, such as 12h"
  },
  poll: {
    type: "duration",
    metavar: "TIME",
    default: "1m",
    beyond: true,
    help: "How often to look while waiting"
  },
  pendingOk: {
    type: "flag",
    beyond: true,
    help: "Exit with 0 instead of 75 when only restorations are pending"
  }
})
