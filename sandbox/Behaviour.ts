import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import * as Struct from "effect/Struct"

const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** A time as programs give it. */
const Time = Schema.declare((time): time is Duration.Input => Option.isSome(Duration.fromInput(time as Duration.Input)))

/** `500ms`, `3s`, `1h`: a number and a unit. */
export const DurationText = Schema.String.pipe(
  Schema.check(Schema.isPattern(/^\d+(\.\d+)?(ms|s|m|h|d)$/, { message: "a duration like 500ms, 3s, 10m or 1h" })),
  Schema.decodeTo(Time, {
    decode: SchemaGetter.transform((text: string) => {
      const unit = text.replace(/^[\d.]+/, "") as keyof typeof units
      return Duration.millis(Number.parseFloat(text) * units[unit])
    }),
    encode: SchemaGetter.transform((time: Duration.Input) => `${Duration.toMillis(time)}ms`)
  })
)

const Count = Schema.Int.pipe(Schema.check(Schema.isGreaterThanOrEqualTo(0)))

/**
 * Everything about the service that nobody outside knows (docs/dev/service.md 17), one key each, and the few things a
 * user of the sandbox wants to choose. `likely` is the most likely service; every other value is one it might have.
 */
const fields = {
  /** Analysis, internal person, panel and gene ids as JSON strings or as JSON integers. */
  ids: Schema.Literals(["text", "numeric"]),
  /** Seed of every generated file and annotation. */
  seed: Schema.Int,
  /** How long an idle connection is kept. */
  keepAlive: DurationText,

  /** Name of the session cookie. */
  cookieName: Schema.String,
  /** Which address hands out the first cookie and token. */
  initialSession: Schema.Literals(["base", "authenticate", "both"]),
  /** `HEAD` there is answered, or refused with this status; `GET` is answered in any case. */
  initialHead: Schema.Literals(["answered", "405", "501"]),
  /** Body of the 200 that answers a rejected login; the token header is missing in each form. */
  badLogin: Schema.Literals(["html", "json", "empty"]),
  /** A good login answers 302 to the base address instead of 200; cookie and token are the same. */
  loginRedirect: Schema.Boolean,
  /** Every authenticated answer carries a new token and only the newest one is good. */
  rotateToken: Schema.Boolean,
  /** Status and body of requests with a dead session, an unknown cookie or a wrong token. */
  forbiddenStatus: Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 200, maximum: 599 }))),
  forbiddenBody: Schema.Literals(["html", "json", "empty"]),
  /** End all sessions of an account when more than `overlapLimit` of its requests are in flight. */
  strict: Schema.Boolean,
  overlapLimit: Count,

  /** The `size` of a file in the download links. */
  sizes: Schema.Literals(["present", "null", "absent"]),
  /** The `downloadLink` of an archived file. */
  archivedLink: Schema.Literals(["null", "absent", "dead"]),
  linkLifetime: DurationText,
  /** Length in characters of the security token inside a link; real ones have about 1,000. */
  linkTokenLength: Count,

  /** How long an archived file needs from the restore request until it can be read. */
  restoreDelay: DurationText,
  /** A restored file goes back to the archive after this time; `null`: never. */
  rearchiveAfter: Schema.NullOr(DurationText),
  /** `restoreEstimation`: `real`, `null`, `absent`, or any text, which is then sent as it is. */
  restoreEstimation: Schema.String,
  /** Restore request for a file that is being restored already: the same time, a later time, or success false. */
  restoreAgain: Schema.Literals(["same", "later", "refuse"]),
  /** Restore request for an analysis without archived files: the present time, null, or success false. */
  restoreOnline: Schema.Literals(["now", "null", "refuse"]),
  /** Form field of `POST /archive/person/restore` that holds a LIMS id; `null`: the call does not exist. */
  personRestoreField: Schema.NullOr(Schema.String),

  /** Case reports are served, or every one of them answers 500 (as a public test instance does). */
  reports: Schema.Literals(["served", "500"]),
  /** Rows of each annotations body. */
  annotationRows: Count,
  /** Place of `header` relative to `data` in an annotations body. */
  annotationHeader: Schema.Literals(["first", "last"])
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

export const likely: BehaviourValues = {
  ids: "text",
  seed: 1,
  keepAlive: Duration.seconds(5),
  cookieName: "SESSION",
  initialSession: "both",
  initialHead: "answered",
  badLogin: "html",
  loginRedirect: false,
  rotateToken: false,
  forbiddenStatus: 403,
  forbiddenBody: "html",
  strict: false,
  overlapLimit: 1,
  sizes: "present",
  archivedLink: "null",
  linkLifetime: Duration.hours(1),
  linkTokenLength: 64,
  restoreDelay: Duration.seconds(3),
  rearchiveAfter: null,
  restoreEstimation: "real",
  restoreAgain: "same",
  restoreOnline: "now",
  personRestoreField: null,
  reports: "served",
  annotationRows: 200,
  annotationHeader: "last"
}
