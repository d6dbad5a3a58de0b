/** What is wrong in a value that does not fit its schema, in words. */
import type * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"

/** Where and why `error` found the payload wrong, without the value itself: `[3].size: expected an integer`. */
export const placeOfIssue = (error: Schema.SchemaError): string => {
  const [first] = formatIssues(error.issue).issues
  if (first === undefined) return "not as agreed"
  const path = (first.path ?? []).map((segment) => placeName(typeof segment === "object" ? segment.key : segment))
  const where = path.join("").replace(/^\./, "")
  return where === "" ? first.message : `${where}: ${first.message}`
}

const placeName = (key: PropertyKey): string =>
  typeof key === "number" ? `[${key}]` : /^[\w:]{1,64}$/.test(String(key)) ? `.${String(key)}` : "[...]"

const formatIssues = SchemaIssue.makeFormatterStandardSchemaV1()
