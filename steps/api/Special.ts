/** A method that makes more than one call. */
import type * as Effect from "effect/Effect"
import type { ServiceClient, ServiceJson } from "../../core/src/client/ServiceClient.ts"
import { printableJsonLine } from "../../core/src/text/Printable.ts"
import type { Own, StepFailure } from "../main/Step.ts"

export interface Special {
  /** What is wrong with the command line, one sentence each without `Error: `; checked before any request. */
  readonly check: (operands: ReadonlyArray<string>, own: Own) => ReadonlyArray<string>
  /** Reads local inputs before the login, and gives the effect that asks the service and returns the bytes to print. */
  readonly prepare: (operands: ReadonlyArray<string>, own: Own) => Effect.Effect<Ask, StepFailure>
}

export type Ask = Effect.Effect<Uint8Array, StepFailure, ServiceClient | ServiceJson>

/** One value as a line of JSON. */
export const jsonLine = (value: unknown): Uint8Array => new TextEncoder().encode(`${printableJsonLine(value)}\n`)
