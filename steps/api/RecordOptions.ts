/** The options that give the fields of a person or panel to be written. Plain data, so that `--help` loads nothing else. */
import type { CommandOptions } from "../main/Step.ts"

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
