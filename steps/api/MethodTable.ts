/**
 * The table of all methods of `svc-api`, from which parsing, `--help`, completions and docs/svc-api.md are made. Most rows are
 * derived from the notes on the endpoints; the commands that need more are written out here. `ApiStep.ts` adds `download-files`
 * and `openapi`, which need no row.
 */
import type { EndpointName } from "../../core/src/contract/EndpointNotes.ts"
import type { LimsId, PersonId } from "../../core/src/contract/Ids.ts"
import type { CommandOptions, Operands } from "../main/Step.ts"
import { type ApiMethod, errorBody, output, type Values, whichPanel } from "./ApiMethod.ts"
import { derivedMethods } from "./DerivedMethod.ts"
import { panelOptions, personOptions } from "./RecordOptions.ts"
import type { Special } from "./Special.ts"

interface About {
  readonly method: string
  readonly group: string
  readonly summary: string
  readonly calls: EndpointName | null
  readonly operands?: Operands
  readonly options: CommandOptions
  readonly example: string
}

const special = (about: About, load: () => Promise<Special>): ApiMethod => ({
  ...about,
  options: { ...about.options, ...(about.calls === null ? {} : { "include-error-body": errorBody }), output },
  work: { kind: "special", load }
})

/** The person that `get-pending-cnv-segments` is called for, given by one of two identifiers. */
const whichPerson = (values: Values) =>
  values as { readonly "lims-id": LimsId | null; readonly "internal-person-id": PersonId | null }

const specialMethods: ReadonlyArray<ApiMethod> = [
  special(
    {
      method: "create-or-update-person",
      group: "Persons",
      calls: "createOrUpdatePerson",
      summary: "Create a person, or change the given fields; prints the internal identifier",
      options: personOptions,
      example: "create-or-update-person --input person.json"
    },
    () => import("../main/Programs.ts").then(({ savePerson }) => savePerson)
  ),
  {
    method: "get-pending-cnv-segments",
    group: "Findings",
    calls: "getPendingCnvSegments",
    summary: "Copy-number segments that await a decision",
    operands: { metavar: "ANALYSIS-ID", help: "An analysis of the person", least: 1, most: 1000 },
    options: {
      "lims-id": { type: "text", metavar: "LIMS-ID", help: "The person, as the laboratory system names it" },
      "internal-person-id": { type: "text", metavar: "ID", help: "The person, by internal identifier" },
      ...whichPanel,
      "include-error-body": errorBody,
      output
    },
    example: "get-pending-cnv-segments --lims-id LIMS-0001 A5",
    work: {
      kind: "one",
      call: ({ api, panel }, analyses, values) => {
        const { "internal-person-id": personId, "lims-id": lims } = whichPerson(values)
        return api.getPendingCnvSegments(personId === null ? (lims as LimsId) : { personId }, analyses as never, panel)
      },
      check: (values) => {
        const { "internal-person-id": personId, "lims-id": lims } = whichPerson(values)
        return (personId === null) === (lims === null)
          ? ["Give the person by --lims-id or by --internal-person-id"]
          : []
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
      example: "create-virtual-panel --name Aorta --gene-ids 10001,10002"
    },
    () => import("../main/Programs.ts").then(({ createPanel }) => createPanel)
  ),
  special(
    {
      method: "update-virtual-panel",
      group: "Virtual panels and genes",
      calls: "createOrUpdateVirtualPanel",
      summary: "Change the given fields of a virtual panel; keeps the others, and prints its identifier",
      operands: { metavar: "PANEL-ID", help: "The virtual panel", least: 1, most: 1 },
      options: panelOptions,
      example: "update-virtual-panel 7 --name 'Aorta, revised'"
    },
    () => import("../main/Programs.ts").then(({ updatePanel }) => updatePanel)
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
      },
      example: "request GET /person-list"
    },
    () => import("../main/Programs.ts").then(({ genericRequest }) => genericRequest)
  )
]

const all = [...derivedMethods, ...specialMethods]

/** All rows, with those of the same group side by side. */
export const methodTable: ReadonlyArray<ApiMethod> = [...new Set(all.map(({ group }) => group))].flatMap((heading) =>
  all.filter(({ group }) => group === heading)
)
