/** `svc-fetch-annotations`: what it is called and how it is used. */
import { analysisOperands } from "../main/Options.ts"
import type { CommandOptions, Step } from "../main/Step.ts"

export const options = {
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

export const fetchAnnotationsStep: Step = {
  name: "fetch-annotations",
  service: true,
  summary: "Fetch the SNV annotations of analyses as JSON Lines or as a table",
  operands: analysisOperands,
  options,
  examples: [
    { command: "-t https://lab.example.org A1 > A1.jsonl", says: "one JSON object per variant" },
    {
      command: "-t https://lab.example.org A1 A2 --format tsv --columns Chr,Pos,Ref,Alt,Gene -o variants.tsv",
      says: "a table of two analyses with five columns"
    },
    {
      command: "-t https://lab.example.org A1 --gene BRCA1,BRCA2 --range 'chr13 chr17:43000000-43200000'",
      says: "the variants of two genes in these regions"
    }
  ]
}
