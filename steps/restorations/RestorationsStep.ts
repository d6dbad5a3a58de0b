/** `svc-steps restorations`: reads and repairs a restoration file, without a network and without a text editor. */
import { regionCombinations } from "../../core/src/settings/Combinations.ts"
import { fileKeys, regionKeys, selectionKeys } from "../../core/src/settings/FileKeys.ts"
import { analysisOperands } from "../main/Options.ts"
import type { CommandOptions, Method, StepFamily } from "../main/Step.ts"

export const listOptions = {
  format: { type: "choice", choices: ["text", "json"], default: "text", help: "text: for people; json: one document" }
} as const satisfies CommandOptions

export const pruneOptions = {
  analysisIds: { type: "list", short: "a", metavar: "ID,...", help: "Only requests of these analyses" },
  before: {
    type: "text",
    metavar: "TIME",
    help: "Only requests made before this time, such as 2026-11-21 or 2026-11-21T12:00:00Z; of one that does not say when, its estimate counts"
  },
  unusable: { type: "flag", help: "Also the entries that cannot be used" }
} as const satisfies CommandOptions

/** Target and, of the settings of svc-download, those that an entry stores. */
export const addOptions = {
  target: { type: "text", metavar: "URL", required: true, help: "Required. The API instance, as a full http(s) URL" },
  destination: fileKeys.destination,
  filetypes: selectionKeys.filetypes,
  overwrite: fileKeys.overwrite,
  layout: fileKeys.layout,
  check: fileKeys.check,
  checksums: fileKeys.checksums,
  makeIndex: fileKeys.makeIndex,
  range: regionKeys.range,
  bed: regionKeys.bed,
  unmapped: regionKeys.unmapped
} as const satisfies CommandOptions

const common = { name: "restorations", service: false, group: "Methods" } as const

const methods: ReadonlyArray<Method> = [
  {
    ...common,
    method: "list",
    otherNames: ["ls", "show", "status"],
    summary: "The requests in the file, of every target, and the entries that cannot be used",
    options: listOptions,
    examples: [{ command: "--format json", says: "for programs" }]
  },
  {
    ...common,
    method: "prune",
    otherNames: ["remove", "rm", "delete", "drop", "forget"],
    summary: "Remove requests that nobody waits for any more",
    operands: analysisOperands,
    options: pruneOptions,
    examples: [
      { command: "A3 A4", says: "all requests of two analyses" },
      { command: "--before 2026-10-01 --unusable", says: "old requests, and entries that cannot be used" }
    ]
  },
  {
    ...common,
    method: "add",
    summary: "Add a request for a file whose restoration was asked for elsewhere",
    operands: { metavar: "ANALYSIS-ID FILE-NAME", help: "The archived file", least: 2, most: 2 },
    options: addOptions,
    combinations: regionCombinations,
    examples: [
      { command: "A3 S3.bam --target https://lab.example.org --destination data", says: "wait for this file too" }
    ]
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
