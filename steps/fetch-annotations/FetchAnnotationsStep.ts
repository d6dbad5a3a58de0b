/** `svc-fetch-annotations`: what it is called and how it is used; the program itself is loaded when it runs. */
import type { CommandOptions, ServiceStep } from "../main/Step.ts"

export const annotationOptions = {
  output: {
    type: "path",
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
    short: "b",
    metavar: "FILE",
    help: "Only variants in the regions of this BED file, plain, gzip or BGZF; - is standard input"
  }
} as const satisfies CommandOptions

export const fetchAnnotationsStep: ServiceStep = {
  name: "fetch-annotations",
  service: true,
  summary: "Fetch the SNV annotations of analyses as JSON Lines or as a table",
  operands: { metavar: "ID", help: "An analysis; several are separated by spaces or commas", least: 1, most: 100_000 },
  options: annotationOptions,
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
  ],
  load: () => import("./Program.ts").then(({ program }) => program)
}
