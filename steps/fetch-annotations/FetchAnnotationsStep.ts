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
    help: "Only these columns, by their names, in this order"
  },
  filters: {
    type: "lines",
    short: "F",
    metavar: "'COLUMN op VALUE'",
    otherSpellings: ["filter"],
    help: "Only rows that pass, such as 'Pos >= 43044295'; op is = != > < >= <= ~= (contains) ^= (starts with); several must all hold"
  }
} as const satisfies CommandOptions

export const fetchAnnotationsStep: Step = {
  name: "fetch-annotations",
  service: true,
  summary: "Fetch the SNV annotations of analyses as JSON Lines or as a table",
  operands: analysisOperands,
  options,
  combinations: [{ options: ["format=json"], without: ["columns", "filters"], why: "json is the answer as it is" }],
  examples: [
    { command: "-t https://lab.example.org A1 > A1.jsonl", says: "one JSON object per variant" },
    {
      command: "-t https://lab.example.org A1 A2 --format tsv --columns Chr,Pos,Ref,Alt,Gene -o variants.tsv",
      says: "a table of two analyses with five columns"
    },
    {
      command: "-t https://lab.example.org A1 -F 'Gene = BRCA1' -F 'AF < 0.01'",
      says: "the rare variants of a gene, where its columns are called so"
    }
  ]
}
