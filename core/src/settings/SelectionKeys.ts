/** Which analyses and which of their files. */
import { fileTypes } from "../genome/formats/FileNames.ts"
import { type Key, selectionSteps } from "./Key.ts"

export const selectionKeys = {
  analysisIds: {
    type: "list",
    group: "Selection",
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
    group: "Selection",
    steps: selectionSteps,
    common: true,
    short: "s",
    metavar: "ID,...",
    fromFile: true,
    otherSpellings: ["sample", "samples"],
    help: "Only analyses of these samples; @FILE as above"
  },
  limsIds: {
    type: "list",
    group: "Selection",
    steps: selectionSteps,
    common: true,
    short: "l",
    metavar: "ID,...",
    fromFile: true,
    help: "Only analyses of these persons, by LIMS ID; @FILE as above"
  },
  filters: {
    type: "lines",
    group: "Selection",
    steps: selectionSteps,
    common: true,
    short: "F",
    metavar: "'FIELD OP VALUE'",
    configAlias: "filter",
    otherSpellings: ["filter"],
    help: "Only analyses for which this holds; OP is one of = != > < >= <= ~= (contains) ^= (starts with). Repeatable"
  },
  latest: {
    type: "flag",
    group: "Selection",
    steps: selectionSteps,
    common: true,
    beyond: true,
    help: "Only the newest analysis of each person: the newest one that has files of the wanted types"
  },
  filetypes: {
    type: "list",
    group: "Selection",
    steps: selectionSteps,
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
} as const satisfies Record<string, Key>

/** Which parts of files. */
export const regionKeys = {
  range: {
    type: "text",
    group: "Regions",
    steps: selectionSteps,
    common: true,
    short: "g",
    metavar: "'CHR:START-END ...'",
    otherSpellings: ["r", "region", "regions"],
    help: "Only these regions, 1-based and inclusive; separated by spaces, writes <file>.ranged.bam or <file>.ranged.vcf.gz"
  },
  bed: {
    type: "path",
    file: { what: "the BED file", use: "read" },
    group: "Regions",
    steps: selectionSteps,
    common: true,
    short: "b",
    metavar: "FILE",
    help: "Only the regions of this BED file"
  },
  unmapped: {
    type: "flag",
    group: "Regions",
    steps: selectionSteps,
    common: true,
    beyond: true,
    otherSpellings: ["um"],
    help: "Only the unplaced reads, which stand at the end of a BAM; with --range, these and the regions"
  }
} as const satisfies Record<string, Key>
