import type { ExactNumber } from "../core/src/contract/ExactNumber.ts"

/**
 * An id as it stands in a JSON body; one beyond 2^53 by its digits.
 *
 * @category models
 * @since 0.1.0
 */
export type WireId = string | number | ExactNumber

/**
 * The sandbox keeps its records in the form they have on the wire.
 *
 * @category models
 * @since 0.1.0
 */
export type Json = WireId | boolean | null | ReadonlyArray<Json> | JsonObject
/**
 * An object of the wire, with all its digits.
 *
 * @category models
 * @since 0.1.0
 */
export type JsonObject = { readonly [key: string]: Json }

/** The ids of the n-th record (from 1) of each kind; the panel "all genes" has id 1 in both forms. */
export interface WireIds {
  readonly analysis: (n: number) => WireId
  readonly person: (n: number) => WireId
  readonly panel: (n: number) => WireId
  readonly gene: (n: number) => WireId
}

const text: WireIds = {
  analysis: (n) => `A${n}`,
  person: (n) => `P${n}`,
  panel: (n) => (n === 1 ? "1" : `V${n}`),
  gene: (n) => `G${n}`
}

const numeric: WireIds = {
  analysis: (n) => n,
  person: (n) => 1000 + n,
  panel: (n) => n,
  gene: (n) => 10_000 + n
}

export const wireIds = (form: "text" | "numeric"): WireIds => (form === "text" ? text : numeric)
