/** `svc-steps restorations`: reads and repairs a restoration file, without a network and without a text editor. */
import { analysisOperands } from "../main/Options.ts"
import type { LocalStep, Method, StepFamily } from "../main/Step.ts"
import { addOptions, listOptions, pruneOptions } from "./Options.ts"

const common = { name: "restorations", service: false, group: "Methods" } as const

const methods: ReadonlyArray<Method & LocalStep> = [
  {
    ...common,
    method: "list",
    summary: "The requests in the file, of every target, and the entries that cannot be used",
    options: listOptions,
    examples: [{ command: "--format json", says: "for programs" }],
    load: () => import("../main/Programs.ts").then(({ listRestorations }) => listRestorations)
  },
  {
    ...common,
    method: "prune",
    summary: "Remove requests that nobody waits for any more",
    operands: analysisOperands,
    options: pruneOptions,
    examples: [
      { command: "A3 A4", says: "all requests of two analyses" },
      { command: "--before 2026-10-01 --unusable", says: "old requests, and entries that cannot be used" }
    ],
    load: () => import("../main/Programs.ts").then(({ pruneRestorations }) => pruneRestorations)
  },
  {
    ...common,
    method: "add",
    summary: "Add a request for a file whose restoration was asked for elsewhere",
    operands: { metavar: "ANALYSIS-ID FILE-NAME", help: "The archived file", least: 2, most: 2 },
    options: addOptions,
    examples: [
      { command: "A3 S3.bam --target https://lab.example.org --destination data", says: "wait for this file too" }
    ],
    load: () => import("../main/Programs.ts").then(({ addRestoration }) => addRestoration)
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
