/**
 * A row of the table of methods: how it is called, what it says about itself, and the call it makes.
 *
 * Types only and functions over them, so that `--help` loads nothing else.
 */
import type { Effect, Schema } from "effect"
import type { PanelChoice } from "../../core/src/client/PanelChoice.ts"
import type { ServiceMethods } from "../../core/src/client/ServiceClient.ts"
import type { ServiceStreams } from "../../core/src/client/ServiceStreams.ts"
import type { AnalysisId, LimsId, PanelId } from "../../core/src/contract/Ids.ts"
import type { ServiceError } from "../../core/src/Errors.ts"
import type { CommandOption, CommandOptions, Operands, ValuesOf } from "../main/Step.ts"
import type { Special } from "./Special.ts"

/** What a row needs to make its call. */
export interface Door {
  readonly api: ServiceMethods<"json">
  readonly streams: ServiceStreams["Service"]
  /** What `--virtual-panel-id` says. */
  readonly panel: PanelChoice
}

type Json = Effect.Effect<Schema.Json, ServiceError>
type Values = Readonly<Record<string, unknown>>

/**
 * - `each`: one call for each identifier; `stream`, if there, is the same for bodies too large for memory
 * - `list`: one call for all, its payload a list; `absent` names the operands that the payload does not answer
 * - `one`: one call for all, its payload one value
 * - `special`: more than a call
 */
export type Work =
  | {
      readonly kind: "each"
      readonly call: (door: Door, id: string, values: Values) => Json
      readonly stream?: (door: Door, id: string, values: Values) => ReturnType<Door["streams"]["getSnvAnnotations"]>
    }
  | {
      readonly kind: "list"
      readonly call: (door: Door, operands: ReadonlyArray<string>, values: Values) => Json
      readonly absent?: (payload: Schema.Json, operands: ReadonlyArray<string>) => ReadonlyArray<string>
    }
  | {
      readonly kind: "one"
      readonly call: (door: Door, operands: ReadonlyArray<string>, values: Values) => Json
      /** Sentences about what is wrong with the options. */
      readonly check?: (values: Values) => ReadonlyArray<string>
    }
  | { readonly kind: "special"; readonly load: () => Promise<Special> }

export interface ApiMethod {
  /** In kebab-case. */
  readonly method: string
  readonly group: string
  /** One sentence without a full stop. */
  readonly summary: string
  /** Method and path of the endpoint, for the documentation. */
  readonly endpoint: string
  readonly operands?: Operands
  readonly options: CommandOptions
  readonly example?: string
  readonly work: Work
}

/** What a row says besides its work. */
export interface About<O extends CommandOptions> extends Omit<ApiMethod, "options" | "work" | "operands"> {
  readonly options?: O
}

const output = {
  type: "path",
  short: "o",
  metavar: "FILE",
  help: "Write to this file instead of standard output; it appears only when it is complete"
} as const satisfies CommandOption

const errorBody = {
  type: "flag",
  help: "Say on stderr what the service sent with an error, without secrets"
} as const satisfies CommandOption

const format = {
  type: "choice",
  choices: ["json", "jsonl"],
  default: "json",
  help: "json: one document; jsonl: one line for each"
} as const satisfies CommandOption

const most = 100_000

const several = (metavar: string, help: string): Operands => ({ metavar, help, least: 1, most })

/** Identifiers are what the service knows; any text may be one, so their types are but names here. */
const eachOf =
  <Id extends string>(operands: Operands) =>
  <const O extends CommandOptions = Record<never, never>>(
    about: About<O>,
    call: (door: Door, id: Id, values: ValuesOf<O>) => Json,
    stream?: (door: Door, id: Id, values: ValuesOf<O>) => ReturnType<Door["streams"]["getSnvAnnotations"]>
  ): ApiMethod => ({
    ...about,
    operands,
    options: { ...about.options, format, "include-error-body": errorBody, output },
    work: {
      kind: "each",
      call: (door, id, values) => call(door, id as Id, values as ValuesOf<O>),
      ...(stream === undefined ? {} : { stream: (door, id, values) => stream(door, id as Id, values as ValuesOf<O>) })
    }
  })

export const eachPerson = eachOf<LimsId>(several("LIMS-ID", "A person, as the laboratory system names it"))
export const eachAnalysis = eachOf<AnalysisId>(several("ANALYSIS-ID", "An analysis"))
export const eachPanel = eachOf<PanelId>(several("PANEL-ID", "A virtual panel"))

/** A method with one list for an answer. */
export const list = (
  about: About<Record<never, never>> & { readonly operands?: Operands },
  call: (door: Door, operands: ReadonlyArray<string>) => Json,
  absent?: (payload: Schema.Json, operands: ReadonlyArray<string>) => ReadonlyArray<string>
): ApiMethod => ({
  ...about,
  options: { format, "include-error-body": errorBody, output },
  work: { kind: "list", call, ...(absent === undefined ? {} : { absent }) }
})

/** A method with one value for an answer. */
export const one = <const O extends CommandOptions>(
  about: About<O> & { readonly operands: Operands },
  call: (door: Door, operands: ReadonlyArray<string>, values: ValuesOf<O>) => Json,
  check?: (values: ValuesOf<O>) => ReadonlyArray<string>
): ApiMethod => ({
  ...about,
  options: { ...about.options, "include-error-body": errorBody, output },
  work: {
    kind: "one",
    call: (door, operands, values) => call(door, operands, values as ValuesOf<O>),
    ...(check === undefined ? {} : { check: (values) => check(values as ValuesOf<O>) })
  }
})

/** A method with a program of its own. */
export const special = (
  about: About<CommandOptions> & { readonly operands?: Operands },
  load: () => Promise<Special>
): ApiMethod => ({
  ...about,
  options: { ...about.options, ...(about.method === "request" ? {} : { "include-error-body": errorBody }), output },
  work: { kind: "special", load }
})
