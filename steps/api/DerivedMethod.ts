/** Derives the command of an endpoint from its note: operands from the arguments, options from the choices, and the call. */
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import {
  type Argument,
  type ArgumentKind,
  type Choice,
  type EndpointName,
  type EndpointNote,
  endpointNotes
} from "../../core/src/contract/EndpointNotes.ts"
import type { ChangeError, ServiceError } from "../../core/src/Errors.ts"
import type { CommandOptions, Operands } from "../main/Step.ts"
import {
  type ApiMethod,
  errorBody,
  format,
  output,
  type ServiceCalls,
  type Values,
  type Work,
  whichPanel
} from "./ApiMethod.ts"

/** How the usage line names an argument, and how the help describes it. */
const words: Readonly<Record<ArgumentKind, { readonly metavar: string; readonly help: string }>> = {
  lims: { metavar: "LIMS-ID", help: "A person, as the laboratory system names it" },
  internal: { metavar: "PERSON-ID", help: "A person, by internal identifier" },
  analysis: { metavar: "ANALYSIS-ID", help: "An analysis" },
  analyses: { metavar: "ANALYSIS-ID", help: "An analysis" },
  panel: { metavar: "PANEL-ID", help: "A virtual panel" },
  texts: { metavar: "PART", help: "A text" },
  record: { metavar: "JSON", help: "A record" }
}

const isList = ({ kind }: Argument) => kind === "analyses" || kind === "texts"
const most = { each: 100_000, analyses: 100_000, texts: 100, several: 1000 } as const

/** The operands of a command: the arguments in their order. The last one may be repeated. */
const operandsOf = (takes: ReadonlyArray<Argument>): Operands | undefined => {
  const [first, ...others] = takes
  if (first === undefined) return undefined
  const { help = words[first.kind].help } = first
  const { metavar } = words[first.kind]
  if (others.length > 0) {
    return {
      metavar: takes.map(({ kind }) => words[kind].metavar).join(" "),
      help: "The person, then the analyses",
      least: takes.length,
      most: most.several
    }
  }
  if (first.optional === true)
    return { metavar, help: `${help}; all of them when none is given`, least: 0, most: most.analyses }
  return { metavar, help, least: 1, most: first.kind === "texts" ? most.texts : most.each }
}

const optionsOf = (choices: ReadonlyArray<Choice>): CommandOptions =>
  Object.assign(
    {},
    ...choices.map((choice) =>
      choice.kind === "virtualPanel" ? whichPanel : { [choice.name]: { type: "flag", help: choice.help } }
    )
  )

/** The last argument of the call: the panel of `--virtual-panel-id`, and the flags. */
const choicesOf = (choices: ReadonlyArray<Choice>, service: ServiceCalls, values: Values) =>
  Object.assign(
    {},
    ...choices.map((choice) =>
      choice.kind === "virtualPanel" ? service.panel : { [choice.name]: values[choice.name] === true }
    )
  )

type Answer = Effect.Effect<Schema.Json, ChangeError>
type Bytes = Stream.Stream<Uint8Array, ServiceError>

/** Calls the client method; its arguments follow the note. */
const call = ({ api }: ServiceCalls, name: EndpointName, given: ReadonlyArray<unknown>) =>
  (api.json as (name: EndpointName, ...given: ReadonlyArray<unknown>) => Answer)(name, ...given)

const workOf = (name: EndpointName, { choices = [], large, takes }: EndpointNote): Work => {
  const [first, ...others] = takes
  if (others.length > 0) {
    return {
      kind: "one",
      call: (service, [one, ...rest], values) => call(service, name, [one, rest, choicesOf(choices, service, values)])
    }
  }
  if (first === undefined || isList(first)) {
    const { itemField, optional } = first ?? {}
    return {
      kind: "list",
      call: (service, operands) =>
        call(service, name, first === undefined || (optional === true && operands.length === 0) ? [] : [operands]),
      ...(itemField === undefined ? {} : { absent: absentIn(itemField) })
    }
  }
  return {
    kind: "each",
    call: (service, id, values) => call(service, name, [id, choicesOf(choices, service, values)]),
    ...(large === true
      ? {
          stream: (service, id, values) =>
            (service.api.bytes as (name: EndpointName, ...given: ReadonlyArray<unknown>) => Bytes)(
              name,
              id,
              choicesOf(choices, service, values)
            )
        }
      : {})
  }
}

/** The identifiers asked for that no item of the answer names. */
const absentIn = (field: string) => (payload: Schema.Json, asked: ReadonlyArray<string>) => {
  const items: ReadonlyArray<unknown> = Array.isArray(payload) ? payload : []
  const found = new Set(items.map((item) => String((item as Readonly<Record<string, unknown>> | null)?.[field])))
  return asked.filter((id) => !found.has(id))
}

const kebab = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** The commands of all endpoints that have one, in the order of the notes. */
export const derivedMethods: ReadonlyArray<ApiMethod> = (
  Object.keys(endpointNotes) as ReadonlyArray<EndpointName>
).flatMap((name) => {
  const note: EndpointNote = endpointNotes[name]
  const { choices = [], command = {}, group, summary, takes } = note
  if (command === null) return []
  const { example, name: method = kebab(name) } = command
  const operands = operandsOf(takes)
  const work = workOf(name, note)
  return [
    {
      name: "api",
      service: true,
      method,
      group,
      summary,
      calls: name,
      ...(operands === undefined ? {} : { operands }),
      options: {
        ...optionsOf(choices),
        ...(work.kind === "one" ? {} : { format }),
        "include-error-body": errorBody,
        output
      },
      examples: example === undefined ? [] : [{ command: example, says: summary }],
      work
    }
  ]
})
