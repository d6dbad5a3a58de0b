/** `svc-api`: each method as a step, whose program is loaded only when it runs. */
import { downloadFiles } from "../main/DownloadFiles.ts"
import type { Method, StepFamily } from "../main/Step.ts"
import { type ApiMethod, output } from "./ApiMethod.ts"
import { methodTable } from "./MethodTable.ts"

const methodOf = (row: ApiMethod): Method => ({
  name: "api",
  service: true,
  method: row.method,
  group: row.group,
  summary: row.summary,
  ...(row.operands === undefined ? {} : { operands: row.operands }),
  options: row.options,
  examples: row.example === undefined ? [] : [{ command: withoutMethod(row.example), says: row.summary }],
  load: () => import("../main/Programs.ts").then(({ apiMethod }) => apiMethod(row))
})

const withoutMethod = (example: string) => example.replace(/^\S+ /, "")

const openApi: Method = {
  name: "api",
  service: false,
  method: "openapi",
  group: "Anything else",
  summary: "The API as an OpenAPI 3.1 document; for clients in other languages, no login",
  options: { output },
  examples: [{ command: "--output openapi.json", says: "The document in a file" }],
  load: () => import("../main/Programs.ts").then(({ openApi }) => openApi)
}

export const apiStep: StepFamily = {
  name: "api",
  summary: "Every method of the API: prints what the service answers as JSON, with its own names and all fields",
  methods: [
    ...methodTable.filter(({ method }) => method !== "request").map(methodOf),
    downloadFiles,
    ...methodTable.filter(({ method }) => method === "request").map(methodOf),
    openApi
  ],
  examples: [
    { command: "get-person LIMS-0001", says: "a person, as one JSON document" },
    { command: "get-person-analyses LIMS-0001 LIMS-0002", says: "two persons: an object with a member for each" },
    {
      command: "get-qc-case-metrics LIMS-0001 LIMS-0002 --format jsonl -o qc.jsonl",
      says: 'a line {"id":...,"result":...} for each, in a file'
    },
    { command: "create-or-update-person --input - < person.json", says: "write a person" },
    { command: "request GET '/search/griddata?gene=FBN1'", says: "what no method covers" }
  ]
}
