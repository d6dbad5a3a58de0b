/**
 * `svc-api`: the table of its methods, from which parsing, `--help`, completions and docs/svc-api.md are made. Most are derived from
 * the notes on the endpoints; those that need more are written out here.
 */
import type { LimsId, PersonId } from "../../core/src/contract/Ids.ts"
import type { Combination } from "../../core/src/settings/Combinations.ts"
import { downloadFiles } from "../main/DownloadFiles.ts"
import type { CommandOptions, Method, StepFamily } from "../main/Step.ts"
import { type ApiMethod, errorBody, output, type SpecialName, type Values, whichPanel } from "./ApiMethod.ts"
import { derivedMethods } from "./DerivedMethod.ts"

const input = {
  type: "path",
  file: { what: "the file with the fields", use: "read" },
  metavar: "FILE|-",
  help: "JSON with the fields as the service names them, from a file or standard input, in place of the options"
} as const satisfies CommandOptions[string]

export const personOptions = {
  input,
  "lims-id": { type: "text", metavar: "LIMS-ID", help: "The person; created when unknown" },
  "family-id": { type: "text", metavar: "ID", help: "Family" },
  "first-name": { type: "text", metavar: "TEXT", help: "First name" },
  "last-name": { type: "text", metavar: "TEXT", help: "Last name" },
  comment: { type: "text", metavar: "TEXT", help: "Comment" },
  country: { type: "text", metavar: "TEXT", help: "Country" },
  sex: { type: "text", metavar: "WORD", help: "UNKNOWN, MALE, FEMALE, INTERSEX, or what else the service knows" },
  "birth-date": { type: "text", metavar: "YYYY-MM-DD", help: "Date of birth" },
  "hpo-term-ids": { type: "list", metavar: "HP:...,...", help: "Phenotype terms; they replace the stored ones" }
} as const satisfies CommandOptions

export const panelOptions = {
  input,
  name: { type: "text", metavar: "TEXT", help: "Name" },
  active: { type: "flag", help: "Offered to users; --no-active hides it" },
  "gene-ids": { type: "list", metavar: "ID,...", help: "Genes, by the identifiers of get-all-genes" },
  description: { type: "text", metavar: "TEXT", help: "Description" },
  "person-id": { type: "text", metavar: "ID", help: "Internal identifier of the person it is for" }
} as const satisfies CommandOptions

/** The fields come from an input or from options. */
const inputAlone = (options: CommandOptions): ReadonlyArray<Combination> => [
  {
    options: ["input"],
    without: Object.keys(options).filter((name) => name !== "input"),
    why: "write all into the input"
  }
]

/** A path of the service may answer with a data file. */
const rawOutput = { ...output, file: { ...output.file, mayBeData: true } } as const satisfies CommandOptions[string]

const special = (
  about: Pick<ApiMethod, "method" | "group" | "summary" | "calls" | "operands" | "options" | "combinations">,
  example: string,
  which: SpecialName
): ApiMethod => ({
  ...about,
  name: "api",
  service: true,
  options: {
    ...about.options,
    ...(about.calls === null ? { output: rawOutput } : { "include-error-body": errorBody, output })
  },
  examples: [{ command: example, says: about.summary }],
  work: { kind: "special", which }
})

/** The person that `get-pending-cnv-segments` is called for, given by one of two identifiers. */
const whichPerson = (values: Values) =>
  values as { readonly "lims-id": LimsId | null; readonly "internal-person-id": PersonId | null }

const pendingSummary = "Copy-number segments that await a decision"

const specialMethods: ReadonlyArray<ApiMethod> = [
  special(
    {
      method: "create-or-update-person",
      group: "Persons",
      calls: "createOrUpdatePerson",
      summary: "Create a person, or change the given fields; prints the internal identifier",
      options: personOptions,
      combinations: inputAlone(personOptions)
    },
    "--input person.json",
    "savePerson"
  ),
  {
    name: "api",
    service: true,
    method: "get-pending-cnv-segments",
    group: "Findings",
    calls: "getPendingCnvSegments",
    summary: pendingSummary,
    operands: { metavar: "ANALYSIS-ID", help: "An analysis of the person", least: 1, most: 1000 },
    options: {
      "lims-id": { type: "text", metavar: "LIMS-ID", help: "The person, as the laboratory system names it" },
      "internal-person-id": { type: "text", metavar: "ID", help: "The person, by internal identifier" },
      ...whichPanel,
      "include-error-body": errorBody,
      output
    },
    combinations: [{ options: ["lims-id"], without: ["internal-person-id"], why: "both name the person" }],
    examples: [{ command: "--lims-id LIMS-0001 A5", says: pendingSummary }],
    work: {
      kind: "one",
      call: ({ api, panel }, analyses, values) => {
        const { "internal-person-id": personId, "lims-id": lims } = whichPerson(values)
        const person = personId === null ? (lims as LimsId) : { personId }
        return api.json("getPendingCnvSegments", person, analyses as never, panel)
      },
      check: (values) => {
        const { "internal-person-id": personId, "lims-id": lims } = whichPerson(values)
        return personId === null && lims === null ? ["Give the person by --lims-id or by --internal-person-id"] : []
      }
    }
  },
  special(
    {
      method: "create-virtual-panel",
      group: "Virtual panels and genes",
      calls: "createOrUpdateVirtualPanel",
      summary: "Create a virtual panel; active unless --no-active is given; prints its identifier",
      options: panelOptions,
      combinations: inputAlone(panelOptions)
    },
    "--name Aorta --gene-ids 10001,10002",
    "createPanel"
  ),
  special(
    {
      method: "update-virtual-panel",
      group: "Virtual panels and genes",
      calls: "createOrUpdateVirtualPanel",
      summary: "Change the given fields of a virtual panel; keeps the others, and prints its identifier",
      operands: { metavar: "PANEL-ID", help: "The virtual panel", least: 1, most: 1 },
      options: panelOptions,
      combinations: inputAlone(panelOptions)
    },
    "7 --name 'Aorta, revised'",
    "updatePanel"
  ),
  special(
    {
      method: "request",
      group: "Anything else",
      calls: null,
      summary: "Send any request with the session; prints the body of the reply as it is",
      operands: {
        metavar: "METHOD PATH",
        help: "Such as GET '/person-list?a=b'; the path is relative to the base URL",
        least: 2,
        most: 2
      },
      options: {
        input: {
          type: "path",
          file: { what: "the body to send", use: "read" },
          metavar: "FILE|-",
          help: "Body to send, from a file or standard input"
        },
        "content-type": {
          type: "text",
          metavar: "TYPE",
          default: "application/json",
          help: "What the body is; JSON is checked before it is sent"
        }
      }
    },
    "GET /person-list",
    "request"
  )
]

const all = [...derivedMethods, ...specialMethods]

/** All rows, with those of the same group side by side. */
export const methodTable: ReadonlyArray<ApiMethod> = [...new Set(all.map(({ group }) => group))].flatMap((heading) =>
  all.filter(({ group }) => group === heading)
)

const openApi: Method = {
  name: "api",
  service: false,
  method: "openapi",
  group: "Anything else",
  summary: "The API as an OpenAPI 3.1 document; for clients in other languages, no login",
  options: { output },
  examples: [{ command: "--output openapi.json", says: "The document in a file" }]
}

export const apiStep: StepFamily = {
  name: "api",
  summary: "Every method of the API: prints what the service answers as JSON, with its own names and all fields",
  methods: [
    ...methodTable.filter(({ method }) => method !== "request"),
    downloadFiles,
    ...methodTable.filter(({ method }) => method === "request"),
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
