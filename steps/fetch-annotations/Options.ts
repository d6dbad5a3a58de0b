/** The options that only `svc-fetch-annotations` has. */
import type { CommandOptions } from "../main/Step.ts"

export const annotationOptions = {
  output: {
    type: "path",
    file: { what: "the output file", use: "written" },
    short: "o",
    metavar: "FILE",
    default: "-",
    help: "Where to write; - is standard output. A file appears when it is complete and replaces an older one"
  },
  format: {
    type: "choice",
    choices: ["jsonl", "tsv", "json"],
    default: "jsonl",
    help: "jsonl: one object per variant; tsv: a table with a line of names; json: the answer byte for byte"
  },
  columns: {
    type: "list",
    metavar: "NAME,...",
    help: "Only these columns, by id or title, in this order"
  },
  gene: {
    type: "list",
    metavar: "SYMBOL,...",
    otherSpellings: ["genes"],
    help: "Only variants of these genes"
  },
  range: {
    type: "text",
    short: "g",
    metavar: "'CHR:START-END ...'",
    help: "Only variants in these regions, 1-based and inclusive, separated by spaces"
  },
  bed: {
    type: "path",
    file: { what: "the BED file", use: "read" },
    short: "b",
    metavar: "FILE",
    help: "Only variants in the regions of this BED file, plain, gzip or BGZF; - is standard input"
  }
} as const satisfies CommandOptions
