/** JSON Schemas for tests: whoever reads a report or a listing holds it against its schema first. */
import { Ajv2020 } from "ajv/dist/2020.js"
import { schemas } from "../scripts/schemas.ts"

// Keywords for editors and for nf-schema are none of ajv's.
let serial = 0
const ajv = new Ajv2020({ allErrors: true, strict: false, validateFormats: false })

/** @param schema - a name of `schemas`, or a schema */
export const validator = (schema: string | object) =>
  ajv.compile(typeof schema === "string" ? { ...schemas()[schema], $id: `${schema}-${serial++}` } : schema)

const compiled = { report: validator("report"), list: validator("list") }

/** The document itself, if it fits. */
export const fits = <A>(name: keyof typeof compiled, document: A): A => {
  const check = compiled[name]
  if (!check(document)) throw new Error(`not a ${name} by its schema: ${ajv.errorsText(check.errors)}`)
  return document
}
