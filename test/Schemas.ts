/** JSON Schemas for tests: whoever reads a report or a listing holds it against its schema first. */
import { Ajv2020 } from "ajv/dist/2020.js"
import { schemas } from "../scripts/schemas.ts"

// Keywords for editors and for nf-schema are none of ajv's.
let serial = 0
const ajv = new Ajv2020({ allErrors: true, strict: false, validateFormats: false })

/** @param schema - a name of `schemas`, or a schema */
export const validator = (schema: string | object) =>
  ajv.compile(typeof schema === "string" ? { ...schemas()[schema], $id: `${schema}-${serial++}` } : schema)

const compiled = new Map<string, ReturnType<typeof validator>>()

/** The document itself, if it fits the schema of that name. */
export const fits = <A>(name: "report" | "list" | "plan" | "verify" | "doctor", document: A): A => {
  const check = compiled.get(name) ?? validator(name)
  compiled.set(name, check)
  if (!check(document)) throw new Error(`not a ${name} by its schema: ${ajv.errorsText(check.errors)}`)
  return document
}
