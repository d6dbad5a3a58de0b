import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import * as Struct from "effect/Struct"

const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** `500ms`, `3s`, `1h`: a number and a unit. */
export const DurationText = Schema.String.pipe(
  Schema.check(Schema.isPattern(/^\d+(\.\d+)?(ms|s|m|h|d)$/, { message: "a duration like 500ms, 3s, 10m or 1h" })),
  Schema.decodeTo(Schema.Duration, {
    decode: SchemaGetter.transform((text: string) => {
      const unit = text.replace(/^[\d.]+/, "") as keyof typeof units
      return Duration.millis(Number.parseFloat(text) * units[unit])
    }),
    encode: SchemaGetter.transform((duration: Duration.Duration) => `${Duration.toMillis(duration)}ms`)
  })
)

const Count = Schema.Int.pipe(Schema.check(Schema.isGreaterThanOrEqualTo(0)))

/** A field with its most likely value. */
const usually = <S extends Schema.Top & Schema.WithoutConstructorDefault>(field: S, value: S["~type.make.in"]) =>
  field.pipe(Schema.withConstructorDefault(Effect.succeed(value)))

/**
 * Everything about the service that nobody outside knows (docs/dev/service.md 17), one key each, and the few things a
 * user of the sandbox wants to choose. `likely` is the most likely service; every other value is one it might have.
 */
const fields = {
  /** Analysis, internal person, panel and gene ids as JSON strings or as JSON integers. */
  ids: usually(Schema.Literals(["text", "numeric"]), "text"),
  /** Seed of every generated file and annotation. */
  seed: usually(Schema.Int, 1),
  /** How long an idle connection is kept. */
  keepAlive: usually(DurationText, Duration.seconds(5)),

  /** Name of the session cookie. */
  cookieName: usually(Schema.String, "SESSION"),
  /** Which address hands out the first cookie and token. */
  initialSession: usually(Schema.Literals(["base", "authenticate", "both"]), "both"),
  /** `HEAD` there is answered, or refused with this status; `GET` is answered in any case. */
  initialHead: usually(Schema.Literals(["answered", "405", "501"]), "answered"),
  /** Body of the 200 that answers a rejected login; the token header is missing in each form. */
  badLogin: usually(Schema.Literals(["html", "json", "empty"]), "html"),
  /** A good login answers 302 to the base address instead of 200; cookie and token are the same. */
  loginRedirect: usually(Schema.Boolean, false),
  /** Every authenticated answer carries a new token and only the newest one is good. */
  rotateToken: usually(Schema.Boolean, false),
  /** Status and body of requests with a dead session, an unknown cookie or a wrong token. */
  forbiddenStatus: usually(Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 200, maximum: 599 }))), 403),
  forbiddenBody: usually(Schema.Literals(["html", "json", "empty"]), "html"),
  /** Requests with `Sec-Fetch-Mode: cors`, as some HTTP libraries send it, are served. */
  allowCors: usually(Schema.Boolean, false),
  /** End all sessions of an account when more than `overlapLimit` of its requests are in flight. */
  strict: usually(Schema.Boolean, false),
  overlapLimit: usually(Count, 1),

  /** The `size` of a file in the download links. */
  sizes: usually(Schema.Literals(["present", "null", "absent"]), "present"),
  /** The `downloadLink` of an archived file. */
  archivedLink: usually(Schema.Literals(["null", "absent", "dead"]), "null"),
  linkLifetime: usually(DurationText, Duration.hours(1)),
  /** Length in characters of the security token inside a link; real ones have about 1,000. */
  linkTokenLength: usually(Count, 64),

  /** How long an archived file needs from the restore request until it can be read. */
  restoreDelay: usually(DurationText, Duration.seconds(3)),
  /** A restored file goes back to the archive after this time; `null`: never. */
  rearchiveAfter: usually(Schema.NullOr(DurationText), null),
  /** `restoreEstimation`: `real`, `null`, `absent`, or any text, which is then sent as it is. */
  restoreEstimation: usually(Schema.String, "real"),
  /** Restore request for a file that is being restored already: the same time, a later time, or success false. */
  restoreAgain: usually(Schema.Literals(["same", "later", "refuse"]), "same"),
  /** Restore request for an analysis without archived files: the present time, null, or success false. */
  restoreOnline: usually(Schema.Literals(["now", "null", "refuse"]), "now"),
  /** Form field of `POST /archive/person/restore` that holds a LIMS id; `null`: the call does not exist. */
  personRestoreField: usually(Schema.NullOr(Schema.String), null),

  /** Case reports are served, or every one of them answers 500 (as a public test instance does). */
  reports: usually(Schema.Literals(["served", "500"]), "served"),
  /** Rows of each annotations body. */
  annotationRows: usually(Count, 200),
  /** Place of `header` relative to `data` in an annotations body. */
  annotationHeader: usually(Schema.Literals(["first", "last"]), "last")
}

const All = Schema.Struct(fields)
export type BehaviourValues = typeof All.Type

/**
 * What a world file or a program says of it; the rest is `likely`.
 *
 * @category options
 * @since 0.1.0
 */
export const BehaviourChoice = All.mapFields(Struct.map(Schema.optionalKey))
export type BehaviourChoice = typeof BehaviourChoice.Type

export const likely: BehaviourValues = All.make({})

export class Behaviour extends Context.Service<Behaviour, BehaviourValues>()("svc-steps/sandbox/Behaviour") {
  static readonly layer = (values: BehaviourValues) => Layer.succeed(Behaviour, values)
}
