/** The options of `svc-steps restorations`, by method. */
import { fileKeys, regionKeys, selectionKeys } from "../../core/src/settings/FileKeys.ts"
import type { CommandOptions } from "../main/Step.ts"

export const listOptions = {
  format: { type: "choice", choices: ["text", "json"], default: "text", help: "text: for people; json: one document" }
} as const satisfies CommandOptions

export const pruneOptions = {
  analysisIds: { type: "list", short: "a", metavar: "ID,...", help: "Only requests of these analyses" },
  before: {
    type: "text",
    metavar: "TIME",
    help: "Only requests made before this time, such as 2026-11-21 or 2026-11-21T12:00:00Z"
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
  range: regionKeys.range,
  bed: regionKeys.bed,
  unmapped: regionKeys.unmapped
} as const satisfies CommandOptions
