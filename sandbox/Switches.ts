import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Layer from "effect/Layer"

/**
 * Everything about the service that nobody outside knows (docs/dev/service.md 17), one switch each, and the few things a
 * user of the sandbox wants to choose. `defaultSwitches` is the most likely service; every other setting is one it might be.
 */
export interface SwitchValues {
  /** Analysis, internal person, panel and gene ids as JSON strings or as JSON integers. */
  readonly ids: "text" | "numeric"
  /** Seed of every generated record and file. */
  readonly seed: number

  /** Name of the session cookie. */
  readonly cookieName: string
  /** Which address hands out the first cookie and token. */
  readonly initialSession: "base" | "authenticate" | "both"
  /** `HEAD` there is answered, or refused with this status; `GET` is answered in any case. */
  readonly initialHead: "answered" | "405" | "501"
  /** Body of the 200 that answers a rejected login; the token header is missing in each form. */
  readonly badLogin: "html" | "json" | "empty"
  /** A good login answers 302 to the base address instead of 200; cookie and token are the same. */
  readonly loginRedirect: boolean
  /** Every authenticated answer carries a new token and only the newest one is good. */
  readonly rotateToken: boolean
  /** Status and body of requests with a dead session, an unknown cookie or a wrong token. */
  readonly forbiddenStatus: number
  readonly forbiddenBody: "html" | "json" | "empty"
  /** Requests with `Sec-Fetch-Mode: cors`, as some HTTP libraries send it, are served. */
  readonly allowCors: boolean
  /** End all sessions of an account when more than `overlapLimit` of its requests are in flight. */
  readonly strict: boolean
  readonly overlapLimit: number

  /** The `size` of a file in the download links. */
  readonly sizes: "present" | "null" | "absent"
  /** The `downloadLink` of an archived file. */
  readonly archivedLink: "null" | "absent" | "dead"
  readonly linkLifetime: Duration.Duration
  /** Length in characters of the security token inside a link; real ones have about 1,000. */
  readonly linkTokenLength: number

  /** How long an archived file needs from the restore request until it can be read. */
  readonly restoreDelay: Duration.Duration
  /** A restored file goes back to the archive after this time; `null`: never. */
  readonly rearchiveAfter: Duration.Duration | null
  /** `restoreEstimation`: `real`, `null`, `absent`, or any text, which is then sent as it is. */
  readonly restoreEstimation: string
  /** Restore request for a file that is being restored already: the same time, a later time, or success false. */
  readonly restoreAgain: "same" | "later" | "refuse"
  /** Restore request for an analysis without archived files: the present time, null, or success false. */
  readonly restoreOnline: "now" | "null" | "refuse"
  /** Form field of `POST /archive/person/restore` that holds a LIMS id; `null`: the call does not exist. */
  readonly personRestoreField: string | null

  /** Case reports are served, or every one of them answers 500 (as a public test instance does). */
  readonly reports: "served" | "500"
  /** Rows of each annotations body. */
  readonly annotationRows: number
  /** Place of `header` relative to `data` in an annotations body. */
  readonly annotationHeader: "first" | "last"
}

export const defaultSwitches: SwitchValues = {
  ids: "text",
  seed: 1,
  cookieName: "SESSION",
  initialSession: "both",
  initialHead: "answered",
  badLogin: "html",
  loginRedirect: false,
  rotateToken: false,
  forbiddenStatus: 403,
  forbiddenBody: "html",
  allowCors: false,
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

export class Switches extends Context.Service<Switches, SwitchValues>()("svc-steps/sandbox/Switches") {
  static readonly layer = (values: Partial<SwitchValues>) =>
    Layer.succeed(Switches, Switches.of({ ...defaultSwitches, ...values }))
}
