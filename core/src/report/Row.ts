/** The row that a report has of each result: one shape for all of them, which programs and pages read. */
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
import { type RunResult, skipReasonOf, skipReasons } from "../download/FileResult.ts"
import { type Advising, RunError } from "../Errors.ts"

const Bytes = Schema.Int

/** Keys and their order are the contract of `svc.report/1`. */
export const Row = Schema.Struct({
  analysisId: Schema.NullOr(Schema.String),
  fileName: Schema.NullOr(Schema.String),
  /** Final path; null when the file has none. */
  path: Schema.NullOr(Schema.String),
  action: Schema.Literals(["downloaded", "skipped", "failed"]),
  reason: Schema.NullOr(Schema.Literals([...skipReasons, "differs", "missing"])),
  /** Size under the final name, or as listed when nothing is there; null when unknown. */
  bytes: Schema.NullOr(Bytes),
  /** Size of the whole file as the service lists it; null when it lists none, and for a slice. */
  listedBytes: Schema.NullOr(Bytes),
  resumedFrom: Bytes,
  sha256: Schema.NullOr(Schema.String),
  compared: Schema.Array(Schema.String),
  regions: Schema.NullOr(Schema.Array(Schema.String)),
  records: Schema.NullOr(Schema.Int),
  index: Schema.NullOr(Schema.Struct({ path: Schema.String, bytes: Bytes, sha256: Schema.NullOr(Schema.String) })),
  fetched: Schema.NullOr(Bytes),
  warnings: Schema.Array(Schema.String),
  attempts: Schema.Int,
  renewals: Schema.Int,
  seconds: Schema.Finite,
  startedAt: Schema.NullOr(Schema.DateFromString),
  finishedAt: Schema.NullOr(Schema.DateFromString),
  restoration: Schema.NullOr(
    Schema.Struct({ requestedAt: Schema.NullOr(Schema.String), estimate: Schema.NullOr(Schema.String) })
  ),
  error: Schema.NullOr(RunError)
})
export interface Row extends Schema.Schema.Type<typeof Row> {}

/** What a row says where its result says nothing. */
const silent = {
  reason: null,
  listedBytes: null,
  resumedFrom: 0,
  sha256: null,
  compared: [],
  regions: null,
  records: null,
  index: null,
  fetched: null,
  warnings: [],
  attempts: 0,
  renewals: 0,
  seconds: 0,
  startedAt: null,
  finishedAt: null,
  error: null
} satisfies Partial<Row>

/** The row of a result. */
export const rowOf = (result: RunResult): Row => {
  const { _tag, ...known } = result
  const came = _tag === "Downloaded" || _tag === "Sliced" || _tag === "Streamed"
  const action = _tag === "Failed" ? "failed" : came ? "downloaded" : "skipped"
  const { transfer, ...cells } = { transfer: null, ...known }
  return { ...silent, ...cells, ...transfer, action, reason: _tag === "Failed" ? result.reason : skipReasonOf(result) }
}

const encode = Schema.encodeSync(Row)

/** The row as JSON; an error with its exit code, and with what to do about it. */
export const rowJson = (result: RunResult, adviceOf: Advising) => {
  const row = rowOf(result)
  const json = encode(row)
  const error =
    row.error === null || json.error === null
      ? null
      : Object.assign({}, json.error, { advice: adviceOf(row.error), exit: Runtime.getErrorExitCode(row.error) })
  return { ...json, seconds: Math.round(1000 * row.seconds) / 1000, error }
}
