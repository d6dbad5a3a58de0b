/** What is asked of a ticket: the parameters of a GET or the body of a POST (GA4GH htsget 1.3.0), checked. Pure. */
import * as Data from "effect/Data"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { bam, vcf } from "../genome/formats/FileNames.ts"
import type { RegionText } from "../genome/regions/RegionText.ts"

/** The kinds of the protocol that we send, with their statuses. */
export const errorStatus = {
  InvalidAuthentication: 401,
  NotFound: 404,
  PayloadTooLarge: 413,
  UnsupportedFormat: 400,
  InvalidInput: 400,
  InvalidRange: 400
} as const

/** An htsget error, sent instead of a ticket (GA4GH htsget 1.3.0, "Error responses"). */
export class HtsgetError extends Data.TaggedError("HtsgetError")<{
  readonly kind: keyof typeof errorStatus
  readonly message: string
}> {}

/** Reads come from BAM files, variants from VCF files. */
export type Datatype = "reads" | "variants"

/** The suffix of the files that each endpoint has. */
export const typeOf = { reads: bam.suffix, variants: vcf.suffix } as const satisfies Record<Datatype, string>

/** The one format of each, as the protocol calls it. */
export const formatOf = { reads: bam.name, variants: vcf.name } as const satisfies Record<Datatype, string>

export interface TicketRequest {
  /** Only the header. */
  readonly header: boolean
  /** Null for everything; empty when only the unplaced reads are wanted. */
  readonly regions: ReadonlyArray<RegionText> | null
  /** The unplaced reads, `referenceName=*`. */
  readonly unplaced: boolean
}

/** Positions are 32-bit numbers without a sign. */
const mostPosition = 2 ** 32 - 1

type Parsed<A> = Result.Result<A, HtsgetError>

const fail = (kind: HtsgetError["kind"], message: string) => Result.fail(new HtsgetError({ kind, message }))

/** One region as it came, before its rules are looked at. */
interface RawRegion {
  readonly referenceName: string
  readonly start: number | null
  readonly end: number | null
}

const regionOf = ({ end, referenceName, start }: RawRegion): RegionText => ({
  text: `${referenceName}:${(start ?? 0) + 1}-${end ?? ""}`,
  readings: [{ name: referenceName, starts: [start ?? 0], ends: [end ?? Number.POSITIVE_INFINITY] }]
})

const checkRegion = (asked: RawRegion): Parsed<RawRegion> => {
  const { end, referenceName, start } = asked
  if (referenceName === "*" && (start !== null || end !== null)) {
    return fail("InvalidInput", "start and end mean nothing with referenceName=*")
  }
  if (start !== null && end !== null && start >= end) {
    return fail("InvalidRange", `start ${start} is not before end ${end}`)
  }
  return Result.succeed(asked)
}

const requestOf = (
  datatype: Datatype,
  header: boolean,
  asked: ReadonlyArray<RawRegion> | null
): Parsed<TicketRequest> => {
  if (asked === null) return Result.succeed({ header, regions: null, unplaced: false })
  if (header) return fail("InvalidInput", "class=header and a region contradict each other")
  return Result.flatMap(Result.all(asked.map(checkRegion)), (regions) => {
    const unplaced = regions.some(({ referenceName }) => referenceName === "*")
    if (unplaced && datatype === "variants") return fail("NotFound", "variants have no reference *")
    const placed = regions.filter(({ referenceName }) => referenceName !== "*")
    return Result.succeed({ header, regions: placed.map(regionOf), unplaced })
  })
}

const checkFormat = (datatype: Datatype, format: string | undefined): Parsed<void> =>
  format === undefined || format.toUpperCase() === formatOf[datatype]
    ? Result.void
    : fail("UnsupportedFormat", `${datatype} are served as ${formatOf[datatype]}, not as ${format.slice(0, 40)}`)

/** Fields and tags may be asked for; all of them are always served, which the protocol permits. */
const checkTags = (tags: ReadonlyArray<string>, without: ReadonlyArray<string>): Parsed<void> =>
  tags.some((tag) => without.includes(tag)) ? fail("InvalidInput", "a tag stands in both tags and notags") : Result.void

/** A header has all its fields and tags: asking for some of them contradicts it. */
const checkHeader = (header: boolean, narrowed: boolean): Parsed<void> =>
  header && narrowed
    ? fail("InvalidInput", "class=header and fields, tags or notags contradict each other")
    : Result.void

const checkClass = (text: string | undefined): Parsed<boolean> =>
  text === undefined || text === "header"
    ? Result.succeed(text === "header")
    : fail("InvalidInput", "class is header, or is left out")

const parameters = new Set(["format", "class", "referenceName", "start", "end", "fields", "tags", "notags"])

/** Reads the query of a GET. Unknown parameters are ignored, since the protocol lets clients send those of later versions. */
export const fromQuery = (datatype: Datatype, query: URLSearchParams): Parsed<TicketRequest> => {
  const repeated = [...query.keys()].find((name) => parameters.has(name) && query.getAll(name).length > 1)
  if (repeated !== undefined) return fail("InvalidInput", `${repeated} is given more than once`)
  const text = (name: string) => query.get(name) ?? undefined
  const list = (name: string) =>
    text(name)
      ?.split(",")
      .filter((tag) => tag !== "") ?? []
  return Result.gen(function* () {
    yield* checkFormat(datatype, text("format"))
    yield* checkTags(list("tags"), list("notags"))
    const header = yield* checkClass(text("class"))
    yield* checkHeader(
      header,
      ["fields", "tags", "notags"].some((name) => query.has(name))
    )
    const start = yield* position("start", text("start"))
    const end = yield* position("end", text("end"))
    const referenceName = text("referenceName")
    if (referenceName === undefined && (start !== null || end !== null)) {
      return yield* fail("InvalidInput", "start and end need a referenceName")
    }
    return yield* requestOf(datatype, header, referenceName === undefined ? null : [{ referenceName, start, end }])
  })
}

const position = (name: string, text: string | undefined): Parsed<number | null> => {
  if (text === undefined) return Result.succeed(null)
  return /^\d{1,16}$/.test(text) && Number(text) <= mostPosition
    ? Result.succeed(Number(text))
    : fail("InvalidInput", `${name} is a whole number that counts from 0 and has at most 32 bits`)
}

const Position = Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: mostPosition })))

/** The body of a POST. */
const Body = Schema.Struct({
  referenceName: Schema.optionalKey(Schema.Unknown),
  start: Schema.optionalKey(Schema.Unknown),
  end: Schema.optionalKey(Schema.Unknown),
  format: Schema.optionalKey(Schema.String),
  class: Schema.optionalKey(Schema.String),
  fields: Schema.optionalKey(Schema.Union([Schema.String, Schema.Array(Schema.String)])),
  tags: Schema.optionalKey(Schema.Array(Schema.String)),
  notags: Schema.optionalKey(Schema.Array(Schema.String)),
  regions: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        referenceName: Schema.String,
        start: Schema.optionalKey(Position),
        end: Schema.optionalKey(Position)
      })
    )
  )
})

/** Keys of a region, not of the body. */
const inRegions = ["referenceName", "start", "end"] as const

const decodeBody = Schema.decodeUnknownResult(Schema.fromJsonString(Body))

/** Reads the body of a POST, whose address has no query. */
export const fromBody = (datatype: Datatype, query: URLSearchParams, text: string): Parsed<TicketRequest> => {
  if ([...query.keys()].length > 0) return fail("InvalidInput", "a POST has its parameters in its body alone")
  const decoded = decodeBody(text)
  if (Result.isFailure(decoded)) {
    return fail("InvalidInput", "the body is not a JSON object with format, class, fields, tags, notags or regions")
  }
  const { fields, format, notags, regions, tags, ...body } = decoded.success
  return Result.gen(function* () {
    // Left out of sight, it would be the whole file in place of a region.
    if (inRegions.some((name) => Object.hasOwn(body, name))) {
      return yield* fail("InvalidInput", "referenceName, start and end of a POST stand in its regions")
    }
    yield* checkFormat(datatype, format)
    yield* checkTags(tags ?? [], notags ?? [])
    const header = yield* checkClass(body.class)
    yield* checkHeader(
      header,
      [fields, tags, notags].some((some) => some !== undefined)
    )
    if (regions?.length === 0)
      return yield* fail("InvalidInput", "regions is empty: leave it out to ask for everything")
    const asked = regions?.map(({ end = null, referenceName, start = null }) => ({ referenceName, start, end })) ?? null
    return yield* requestOf(datatype, header, asked)
  })
}
