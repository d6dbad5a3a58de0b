/**
 * A row of the table of methods: how it is called, what it says about itself, and the call it makes.
 *
 * Types only and functions over them, so that `--help` loads nothing else.
 */
import type { Effect, Schema } from "effect"
import type { PanelChoice } from "../../core/src/client/PanelChoice.ts"
import type { ServiceMethods } from "../../core/src/client/ServiceMethods.ts"
import type { ServiceStreams } from "../../core/src/client/ServiceStreams.ts"
import type { EndpointName } from "../../core/src/contract/EndpointNotes.ts"
import type { ServiceError } from "../../core/src/Errors.ts"
import type { CommandOption, CommandOptions, Operands } from "../main/Step.ts"
import type { Special } from "./Special.ts"

/** What a row needs to make its call. */
export interface Door {
  readonly api: ServiceMethods<"json">
  readonly streams: ServiceStreams["Service"]
  /** What `--virtual-panel-id` says. */
  readonly panel: PanelChoice
}

type Json = Effect.Effect<Schema.Json, ServiceError>
export type Values = Readonly<Record<string, unknown>>

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
  /** The endpoint that it is about; null when it may be any. */
  readonly calls: EndpointName | null
  readonly operands?: Operands
  readonly options: CommandOptions
  readonly example?: string
  readonly work: Work
}

export const output = {
  type: "path",
  short: "o",
  metavar: "FILE",
  help: "Write to this file instead of standard output; it appears only when it is complete"
} as const satisfies CommandOption

export const errorBody = {
  type: "flag",
  help: "Say on stderr what the service sent with an error, without secrets"
} as const satisfies CommandOption

export const format = {
  type: "choice",
  choices: ["json", "jsonl"],
  default: "json",
  help: "json: one document; jsonl: one line for each"
} as const satisfies CommandOption

export const whichPanel = {
  "virtual-panel-id": {
    type: "text",
    metavar: "ID|none",
    default: "1",
    help: "Only this panel; 1 is all genes, none leaves the choice to the service, which takes the one last used"
  }
} as const satisfies CommandOptions
