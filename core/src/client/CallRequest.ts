/**
 * Turns the arguments of a client method into the parts of a request, and into the words that a message uses for what was asked.
 * Both follow the note on the endpoint.
 */
import type { Choice, EndpointNote } from "../contract/EndpointNotes.ts"
import { type PanelChoice, panelQuery } from "./PanelChoice.ts"

/** Path parameters, query and body. */
export interface CallRequest {
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, unknown>>
  readonly payload?: unknown
}

/**
 * @param path - with `:name` for each path parameter
 * @param given - the arguments that the note names, then the choice
 */
export const requestOf = (
  path: string,
  { choices = [], takes }: EndpointNote,
  given: ReadonlyArray<unknown>
): CallRequest => {
  const named = takes.flatMap(({ name }, i) => (given[i] === undefined ? [] : [[name, given[i]] as const]))
  const inPath = (name: string) => path.split("/").includes(`:${name}`)
  const payload = named.find(([name]) => name === "payload")
  return {
    params: Object.fromEntries(
      named.flatMap(([name, value]) => (inPath(name) ? [[name, String(value)] as const] : []))
    ),
    query: {
      ...Object.fromEntries(named.filter(([name]) => name !== "payload" && !inPath(name))),
      ...choiceQuery(choices, given[takes.length] ?? {})
    },
    ...(payload === undefined ? {} : { payload: payload[1] })
  }
}

const choiceQuery = (choices: ReadonlyArray<Choice>, chosen: object): Readonly<Record<string, unknown>> =>
  Object.assign(
    {},
    ...choices.map((choice) =>
      choice.kind === "virtualPanel"
        ? panelQuery(chosen as PanelChoice)
        : isSet(chosen, choice.name)
          ? { [choice.name]: "true" }
          : {}
    )
  )

const isSet = (chosen: object, name: string): boolean => (chosen as Readonly<Record<string, unknown>>)[name] === true

/**
 * What a "not found" is about: the subject of the note with the arguments filled in. A flag that is set appears as its name, a
 * list as `analysis A1` or `analyses A1, A2`. Null when the note has no subject, or when an argument that it names was not given.
 */
export const subjectOf = (
  { choices = [], subject, takes }: EndpointNote,
  given: ReadonlyArray<unknown>
): string | null => {
  if (subject === undefined) return null
  const named: Readonly<Record<string, unknown>> = Object.fromEntries(takes.map(({ name }, i) => [name, given[i]]))
  const chosen = given[takes.length] ?? {}
  let complete = true
  const text = subject.replaceAll(/\{(\w+)(?:\.(\w+))?\}/g, (_, name: string, field?: string) => {
    if (choices.some((choice) => choice.name === name)) return isSet(chosen, name) ? `${name} ` : ""
    const value = field === undefined ? named[name] : (named[name] as Readonly<Record<string, unknown>>)[field]
    if (value === undefined || value === null) complete = false
    return Array.isArray(value) ? analysesText(value) : String(value)
  })
  return complete ? text : null
}

/** `analysis A1`, or `analyses A1, A2`. */
export const analysesText = (ids: ReadonlyArray<unknown>): string =>
  `${ids.length === 1 ? "analysis" : "analyses"} ${ids.join(", ")}`
