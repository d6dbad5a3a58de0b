/** `svc-steps restorations`: reads and repairs a restoration file, without a network and without a text editor. */
import { fileTypes } from "../../core/src/genome/formats/FileNames.ts"
import type { CommandOptions, LocalStep, Method, StepFamily } from "../main/Step.ts"

export const listOptions = {
  format: { type: "choice", choices: ["text", "json"], default: "text", help: "text: for people; json: one document" }
} as const satisfies CommandOptions

export const pruneOptions = {
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
  range: { type: "text", metavar: "'CHR:START-END ...'", help: "Only these regions, 1-based and inclusive" },
  bed: { type: "path", metavar: "FILE", help: "Only the regions of this BED file" },
  unmapped: { type: "flag", help: "Only the unplaced unmapped reads; with --range in addition to its regions" }
} as const satisfies CommandOptions

const common = { name: "restorations", service: false, group: "Methods" } as const

const methods: ReadonlyArray<Method & LocalStep> = [
  {
    ...common,
    method: "list",
    summary: "What is waited for, of every target, and what cannot be used",
    options: listOptions,
    examples: [{ command: "--format json", says: "for programs" }],
    load: () => import("./List.ts").then(({ list }) => list)
  },
  {
    ...common,
    method: "prune",
    summary: "Take requests out of the file that nobody waits for any more",
    operands: { metavar: "ANALYSIS-ID", help: "Only requests of these analyses", least: 0, most: 100_000 },
    options: pruneOptions,
    examples: [
      { command: "A3 A4", says: "all requests of two analyses" },
      { command: "--before 2026-10-01 --unusable", says: "old requests, and entries that cannot be used" }
    ],
    load: () => import("./Prune.ts").then(({ prune }) => prune)
  },
  {
    ...common,
    method: "add",
    summary: "Put a request into the file whose restoration was asked for elsewhere",
    operands: { metavar: "ANALYSIS-ID FILE-NAME", help: "The archived file", least: 2, most: 2 },
    options: addOptions,
    examples: [
      { command: "A3 S3.bam --target https://lab.example.org --destination data", says: "wait for this file too" }
    ],
    load: () => import("./Add.ts").then(({ add }) => add)
  }
]

export const restorationsStep: StepFamily = {
  name: "restorations",
  summary: "List, prune and add to the requests in a restoration file",
  methods,
  examples: [
    { command: "list", says: "what awaiting-restoration.json in this folder holds" },
    { command: "prune A3", says: "take the requests of an analysis out of it" }
  ]
}
