/**
 * The identifiers of docs/dev/service.md 2.1: branded text everywhere but in records of the service, which have their wire forms.
 *
 * Analyses, internal persons, panels and genes are JSON integers on the wire of some services and text on others;
 * LIMS and sample identifiers are always text. Where the wire may have integers, an identifier
 * that reads as an integer is sent as one: `7` is sent as a number, `A7` and `007` as text. The only thing lost is the
 * difference between `7` and `"7"`, which no known service makes.
 *
 * Integers beyond 2^53 keep their digits as an `ExactNumber`. A plain `number` of that size is refused: it has been rounded, and
 * may be the identifier of something else.
 */
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import { ExactNumber } from "./ExactNumber.ts"
import { numeric, WideInteger } from "./Record.ts"

/**
 * An analysis.
 *
 * **Example** (Of a program, and of JSON)
 *
 * ```ts
 * import { Schema } from "effect"
 * import { Ids } from "svc-steps"
 *
 * const own = Ids.AnalysisId.make("A1")
 * const read = Schema.decodeUnknownEffect(Ids.AnalysisId)("A1")
 * ```
 *
 * @category schemas
 * @since 0.1.0
 */
export const AnalysisId = Schema.String.pipe(Schema.brand("AnalysisId"))
export type AnalysisId = typeof AnalysisId.Type

/**
 * The service's own identifier of a person, obtained from the LIMS identifier.
 *
 * @category schemas
 * @since 0.1.0
 */
export const PersonId = Schema.String.pipe(Schema.brand("PersonId"))
export type PersonId = typeof PersonId.Type

/**
 * A virtual panel; `1` is "all genes".
 *
 * @category schemas
 * @since 0.1.0
 */
export const PanelId = Schema.String.pipe(Schema.brand("PanelId"))
export type PanelId = typeof PanelId.Type

/**
 * A gene of the service's gene list.
 *
 * @category schemas
 * @since 0.1.0
 */
export const GeneId = Schema.String.pipe(Schema.brand("GeneId"))
export type GeneId = typeof GeneId.Type

/**
 * A person, as the laboratory system names it.
 *
 * @category schemas
 * @since 0.1.0
 */
export const LimsId = Schema.String.pipe(Schema.brand("LimsId"))
export type LimsId = typeof LimsId.Type

/**
 * A sample.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SampleId = Schema.String.pipe(Schema.brand("SampleId"))
export type SampleId = typeof SampleId.Type

const canonicalInteger = /^(0|-?[1-9][0-9]*)$/

type OnWire = string | number | ExactNumber

const asSent = (id: string): OnWire => {
  if (!canonicalInteger.test(id)) return id
  const number = Number(id)
  return Number.isSafeInteger(number) ? number : new ExactNumber(id)
}

const fromWire = SchemaGetter.transform((id: OnWire) => String(id))

/** An identifier in a record, as it came. */
const AnyId = Schema.Union([Schema.String, Schema.Int, WideInteger.annotate({ expected: "string | number" })])

/** Sent as an integer when the text reads as one. */
const integerOnWire = { decode: fromWire, encode: SchemaGetter.transform(asSent) }

/** Always sent as text. */
const textOnWire = { decode: fromWire, encode: SchemaGetter.transform((id: string): OnWire => id) }

// The forms in records.
export const WireAnalysisId = AnyId.pipe(Schema.decodeTo(AnalysisId, integerOnWire))
export const WirePersonId = AnyId.pipe(Schema.decodeTo(PersonId, integerOnWire))
export const WirePanelId = AnyId.pipe(Schema.decodeTo(PanelId, integerOnWire))
export const WireGeneId = AnyId.pipe(Schema.decodeTo(GeneId, integerOnWire))
export const WireLimsId = AnyId.pipe(Schema.decodeTo(LimsId, textOnWire))
export const WireSampleId = AnyId.pipe(Schema.decodeTo(SampleId, textOnWire))

/** The number of a thing that this API cannot be asked for: a kit, a batch, a user. Kept as text or number, as it came. */
export const Reference = AnyId.annotate(numeric)
export type Reference = typeof Reference.Type

/** A list in one query parameter, joined by commas. */
export const CommaJoined = <S extends Schema.Codec<string, string>>(item: S) =>
  Schema.String.pipe(
    Schema.decodeTo(Schema.Array(item), {
      decode: SchemaGetter.transform((text: string) => (text === "" ? [] : text.split(","))),
      encode: SchemaGetter.transform((items: ReadonlyArray<string>) => items.join(","))
    })
  )
