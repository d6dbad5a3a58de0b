/** `svc-fetch-annotations`: what it is called and how it is used; the program itself is loaded when it runs. */
import { analysisOperands } from "../main/Options.ts"
import type { ServiceStep } from "../main/Step.ts"
import { annotationOptions } from "./Options.ts"

export const fetchAnnotationsStep: ServiceStep = {
  name: "fetch-annotations",
  service: true,
  summary: "Fetch the SNV annotations of analyses as JSON Lines or as a table",
  operands: analysisOperands,
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
  load: () => import("../main/Programs.ts").then(({ fetchAnnotations }) => fetchAnnotations)
}
