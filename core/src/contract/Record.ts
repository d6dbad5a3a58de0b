/**
 * The building blocks of all records: known fields are checked, unknown ones are kept.
 *
 * A service gains fields and enum values between releases of this package. Neither may fail a list or vanish from an output.
 */
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaGetter from "effect/SchemaGetter"
import { ExactNumber } from "./ExactNumber.ts"

/** A JSON object with known `fields`; unknown keys are decoded, kept and encoded as they came. */
export const openStruct = <const Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Schema.StructWithRest(Schema.Struct(fields), [Schema.Record(Schema.String, Schema.Unknown)])

/** An {@link openStruct} with a name, under which the OpenAPI document lists it once as a component. */
export const record = <const Fields extends Schema.Struct.Fields>(identifier: string, fields: Fields) =>
  openStruct(fields).annotate({ identifier })

/** A case of a union as a class, whose name the compiler says in place of its fields. */
export const named =
  <Self>() =>
  <S extends Schema.Top>(schema: S): Schema.Opaque<Self, S, unknown> =>
    Schema.Opaque<Self>()(schema)

/** A key that may be absent or null. */
export const maybe = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

/** How the values of a field compare. */
export type FieldType =
  | { readonly _tag: "Text" | "Number" | "Time" }
  | { readonly _tag: "Enumeration"; readonly words: ReadonlyArray<string> }

const fieldType = (type: FieldType) => ({ fieldType: type })
const typeIn = SchemaAST.resolveAt<FieldType>("fieldType")

/** The type that a field declares, also where it may be absent or null; text when it declares none. */
export const fieldTypeOf = ({ ast }: Schema.Top): FieldType =>
  [ast, ...(SchemaAST.isUnion(ast) ? ast.types : [])].map(typeIn).find((type) => type !== undefined) ?? { _tag: "Text" }

/** Text, such that the compiler still knows the words beside it, and an editor offers them. */
const AnyWord: Schema.Codec<string & {}, string> = Schema.String

/** One of `words`, or any other text: a value that no release knows yet is kept as it is. */
export const openEnum = <const Words extends ReadonlyArray<string>>(words: Words) =>
  Schema.Union([Schema.Literals(words), AnyWord]).annotate(fieldType({ _tag: "Enumeration", words }))

/** The annotation of a field whose values are numbers, also where the wire has them as text. */
export const numeric = fieldType({ _tag: "Number" })

/** A time as the service writes it: ISO 8601, some with fractions of a second, some without an offset. */
export const Timestamp = Schema.String.annotate(fieldType({ _tag: "Time" }))

/** A JSON object used as a map. */
export const mapOf = <S extends Schema.Top>(value: S) => Schema.Record(Schema.String, value)

/** An integer with more digits than a `number` has. */
export const WideInteger = Schema.declare(
  (value): value is ExactNumber => value instanceof ExactNumber && /^-?[0-9]+$/.test(String(value)),
  {
    expected: "an integer",
    // In JSON of Effect's own codecs it is its digits as text; without a schema, since the service's documents show the wire.
    toCodecJson: () =>
      Schema.link<ExactNumber>()(Schema.Unknown, {
        decode: SchemaGetter.transform((digits) => new ExactNumber(String(digits))),
        encode: SchemaGetter.transform((number): unknown => String(number))
      })
  }
)

/** A measured or counted number; the nearest `number` when the wire has more digits than a `number` holds. */
export const Figure = Schema.Union([
  Schema.Finite,
  WideInteger.pipe(
    Schema.decodeTo(Schema.Finite, {
      decode: SchemaGetter.transform(Number),
      encode: SchemaGetter.transform((value: number) => new ExactNumber(String(value)))
    })
  )
])

const isByteCount = (value: unknown): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0

/**
 * A size in bytes, or null when the service gave nothing usable: text, a negative or fractional number, or one beyond
 * 2^53 that JSON has already rounded. Unknown is not zero.
 */
export const ByteCount = Schema.Unknown.pipe(
  Schema.decodeTo(Schema.NullOr(Schema.Int), {
    decode: SchemaGetter.transform((value) => (isByteCount(value) ? value : null)),
    encode: SchemaGetter.transform((value): unknown => value)
  })
)

/** Text that is only a hint: a value of another type becomes null instead of failing the record. */
export const Hint = Schema.Unknown.pipe(
  Schema.decodeTo(Schema.NullOr(Schema.String), {
    decode: SchemaGetter.transform((value) => (typeof value === "string" ? value : null)),
    encode: SchemaGetter.transform((value): unknown => value)
  })
)

/** From this on a number is a time in ms since 1970, below it in seconds: the one before 1973, the other after 5138. */
const leastMillis = 1e11

/** A time as text that is only a hint; a number is ms or seconds since 1970, and becomes ISO 8601. */
export const TimeHint = Schema.Unknown.pipe(
  Schema.decodeTo(Schema.NullOr(Schema.String), {
    decode: SchemaGetter.transform((value) => {
      if (typeof value !== "number") return typeof value === "string" ? value : null
      const moment = DateTime.make(value < leastMillis ? value * 1000 : value)
      return value > 0 ? Option.getOrNull(Option.map(moment, DateTime.formatIso)) : null
    }),
    encode: SchemaGetter.transform((value): unknown => value)
  })
)
