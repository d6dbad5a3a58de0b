/** A method of `svc-api`: a step, with the call that it makes. Only types and options, so that `--help` loads nothing else. */
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import type { ServiceClient } from "../../core/src/client/ServiceClient.ts"
import type { PanelChoice } from "../../core/src/client/ServiceMethods.ts"
import type { EndpointName } from "../../core/src/contract/EndpointNotes.ts"
import type { ChangeError, ServiceError } from "../../core/src/Errors.ts"
import type { Own, StepFailure } from "../main/Program.ts"
import type { CommandOption, CommandOptions, Method } from "../main/Step.ts"

/** What a method needs to make its call. */
export interface ServiceCalls {
  readonly api: ServiceClient["Service"]
  /** The panel that `--virtual-panel-id` names. */
  readonly panel: PanelChoice
}

type Json = Effect.Effect<Schema.Json, ChangeError>
export type Values = Readonly<Record<string, unknown>>

/**
 * - `each`: one call for each identifier; `stream`, where present, makes the same call for a body too large for memory
 * - `list`: one call for all operands, which gives a list; `absent` names the operands that the list has no item for
 * - `one`: one call for all operands, which gives one value
 * - `special`: no single call, but a {@link Special}
 */
export type Work =
  | {
      readonly kind: "each"
      readonly call: (service: ServiceCalls, id: string, values: Values) => Json
      readonly stream?: (service: ServiceCalls, id: string, values: Values) => Stream.Stream<Uint8Array, ServiceError>
    }
  | {
      readonly kind: "list"
      readonly call: (service: ServiceCalls, operands: ReadonlyArray<string>, values: Values) => Json
      readonly absent?: (payload: Schema.Json, operands: ReadonlyArray<string>) => ReadonlyArray<string>
    }
  | {
      readonly kind: "one"
      readonly call: (service: ServiceCalls, operands: ReadonlyArray<string>, values: Values) => Json
      /** What is wrong with the options, one sentence each. */
      readonly check?: (values: Values) => ReadonlyArray<string>
    }
  | { readonly kind: "special"; readonly which: SpecialName }

export interface ApiMethod extends Method {
  /** The endpoint that it calls; null when it may call any. */
  readonly calls: EndpointName | null
  readonly options: CommandOptions
  readonly work: Work
}

export type SpecialName = "savePerson" | "createPanel" | "updatePanel" | "request"

/** A method that is no single call. */
export interface Special {
  /** What is wrong with the command line, one sentence each without `Error: `; checked before any request. */
  readonly check: (operands: ReadonlyArray<string>, own: Own) => ReadonlyArray<string>
  /** Reads local inputs before the login, and gives the effect that asks the service and returns the bytes to print. */
  readonly prepare: (operands: ReadonlyArray<string>, own: Own) => Effect.Effect<Ask, StepFailure>
}

export type Ask = Effect.Effect<Uint8Array, StepFailure, ServiceClient>

export const output = {
  type: "path",
  file: { what: "the output file", use: "written" },
  short: "o",
  metavar: "FILE",
  help: "Write to this file instead of standard output; it appears only when it is complete"
} as const satisfies CommandOption

export const errorBody = {
  type: "flag",
  help: "Print on stderr what the service sent with an error, without secrets"
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
