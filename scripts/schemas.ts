/**
 * JSON Schemas for editors and other people's programs: of the configuration file, made of the table of settings, and of the documents that a run
 * writes. In `dist/` of the package and on each release.
 */
import { readFileSync } from "node:fs"
import { ExitCodes } from "../core/src/Errors.ts"
import type { listingJson } from "../core/src/report/Listing.ts"
import type { planJson } from "../core/src/report/PlanView.ts"
import type { failureJson, ReportDocument, ReportedFile } from "../core/src/report/Report.ts"
import type { Key } from "../core/src/settings/Key.ts"
import { keyNames, table } from "../core/src/settings/Keys.ts"
import type { SliceEstimate } from "../core/src/transfer/SliceRequest.ts"
import { Proof } from "../core/src/transfer/TransferRequest.ts"
import type { verdictsJson } from "../core/src/verify/Verdict.ts"
import type { checksJson } from "../steps/doctor/Check.ts"

type Json = Readonly<Record<string, unknown>>

const { repository } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"))
const dialect = "https://json-schema.org/draft/2020-12/schema"

/** Where the newest one can be had; what `$schema` of a configuration file names. */
export const addressOf = (name: string): string =>
  `${repository.url.replace(/^git\+|\.git$/g, "")}/releases/latest/download/${name}.schema.json`

/** A pattern for these words in any case, and for nothing at all, which counts as not set. */
const anyCase = (words: ReadonlyArray<string>) => {
  const letters = (word: string) => word.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`)
  return `^\\s*(${words.map(letters).join("|")})?\\s*$`
}

/** What JSON may stand for the value of a key (core/src/settings/ConfigLayer.ts). */
const formOf = (key: Key): Json => {
  switch (key.type) {
    case "text":
    case "path":
      return { type: ["string", "null"] }
    case "secret":
      return { type: ["string", "null"], writeOnly: true }
    case "choice":
      return { enum: [...(key.choices ?? []), "", null] }
    case "duration":
      return { type: ["string", "null"], pattern: "^\\s*([0-9]{1,9}(\\.[0-9]{1,3})? ?(ms|s|m|h|d)\\s*)?$" }
    case "rate":
      return {
        anyOf: [
          { type: "integer", minimum: 1000 },
          { enum: [0, null] },
          { type: "string", pattern: "^\\s*([0-9]{1,12}(\\.[0-9]{1,3})? ?[kKmMgG]?)?\\s*$" }
        ]
      }
    case "flag":
      return {
        anyOf: [
          { type: ["boolean", "null"] },
          { type: "string", pattern: anyCase(["true", "false", "1", "0", "yes", "no", "on", "off"]) }
        ]
      }
    case "int":
      return {
        anyOf: [
          { type: "integer", minimum: key.least ?? 0, ...(key.most === undefined ? {} : { maximum: key.most }) },
          { type: "null" },
          { type: "string", pattern: "^\\s*[0-9]{0,15}\\s*$" }
        ]
      }
    case "list": {
      const [item, one]: readonly [Json, ReadonlyArray<string>] =
        key.choices === undefined
          ? [{ type: ["string", "integer"] }, ["string", "integer", "null"]]
          : [{ enum: key.choices }, ["string", "null"]]
      return { anyOf: [{ type: "array", items: item }, { type: one }] }
    }
    case "lines":
      return { anyOf: [{ type: "array", items: { type: "string" } }, { type: ["string", "null"] }] }
  }
}

const configuration = (): Json => ({
  $schema: dialect,
  $id: addressOf("config"),
  title: "Configuration file of svc-steps",
  description: "The file of --config: its keys are the long option names. docs/settings.md explains them.",
  type: "object",
  properties: Object.fromEntries([
    ["$schema", { type: "string" }],
    ...keyNames
      .filter((name) => table[name].notInFile === undefined)
      .flatMap((name) => {
        const key = table[name]
        const value = { ...formOf(key), description: key.help }
        const described = key.default === undefined ? value : { ...value, default: key.default }
        const alias = key.configAlias === undefined ? [] : [[key.configAlias, { ...value, deprecated: true }]]
        return [[name, described], ...alias]
      })
  ]),
  additionalProperties: false
})

const text: Json = { type: "string" }
const flag: Json = { type: "boolean" }
const textOrNull: Json = { type: ["string", "null"] }
const count: Json = { type: "integer", minimum: 0 }
const countOrNull: Json = { type: ["integer", "null"], minimum: 0 }
const time: Json = { type: ["string", "null"], pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$" }
const sha256: Json = { type: ["string", "null"], pattern: "^[0-9a-f]{64}$" }

/** A schema for each key of what we write: the type checker finds a key that one of the two lacks. */
type Properties<A> = { readonly [K in keyof A]-?: Json }
type ItemOf<A extends ReadonlyArray<unknown>> = A[number]

/** An object that has each of these keys but the optional ones; later versions of the same schema may have more. */
const object = <A>(properties: Properties<A>, optional: ReadonlyArray<keyof A> = []): Json => ({
  type: "object",
  required: Object.keys(properties).filter((key) => !optional.some((name) => name === key)),
  properties
})
const listOf = (items: Json): Json => ({ type: "array", items })
const orNull = (schema: Json): Json => ({ anyOf: [{ type: "null" }, schema] })

type Failure = ReturnType<typeof failureJson>
const error = object<Failure["error"]>({ tag: text, message: text, advice: textOrNull })
const failures = listOf(object<Failure>({ analysisId: textOrNull, fileName: textOrNull, error }))

/** What cutting regions out would fetch. */
const ranged = object<SliceEstimate>({ bytes: count, requests: count, regions: text })
const outcome = {
  version: text,
  exitCode: { enum: [...Object.keys(ExitCodes).map(Number), null] },
  exitMeaning: text
}

const document = <A>(name: string, title: string, properties: Properties<Omit<A, "schema">>): Json => ({
  $schema: dialect,
  $id: addressOf(name),
  title,
  ...object({ schema: { const: `svc.${name}/1` }, ...properties })
})

const report = () =>
  document<ReportDocument>("report", "Report of a run (--reportfile)", {
    ...outcome,
    step: { enum: ["download", "request-restore", "resume-restore"] },
    host: text,
    command: text,
    machine: text,
    user: text,
    startedAt: time,
    finishedAt: time,
    seconds: { type: "number", minimum: 0 },
    totals: object<ReportDocument["totals"]>({ downloaded: count, skipped: count, failed: count, bytes: count }),
    advice: listOf(text),
    throughput: object<ReportDocument["throughput"]>({ intervalSeconds: { type: "number" }, bytes: listOf(count) }),
    files: listOf(
      object<ReportedFile>({
        analysisId: textOrNull,
        fileName: textOrNull,
        path: textOrNull,
        action: { enum: ["downloaded", "skipped", "failed"] },
        reason: { enum: ["exists", "differs", "archived", "missing", "no-reads", "pending", "withheld", null] },
        bytes: countOrNull,
        listedBytes: countOrNull,
        resumedFrom: count,
        sha256,
        provenBy: { enum: [...Proof.literals, null] },
        regions: { type: ["array", "null"], items: text },
        records: countOrNull,
        index: orNull(object<NonNullable<ReportedFile["index"]>>({ path: text, bytes: count, sha256 })),
        fetched: countOrNull,
        warnings: listOf(text),
        attempts: count,
        renewals: count,
        seconds: { type: "number", minimum: 0 },
        startedAt: time,
        finishedAt: time,
        restoration: orNull(
          object<NonNullable<ReportedFile["restoration"]>>({ requestedAt: textOrNull, estimate: textOrNull })
        ),
        error: orNull(error)
      })
    )
  })

type List = ReturnType<typeof listingJson>
type ListedFile = ItemOf<ItemOf<List["analyses"]>["files"]>

const list = () =>
  document<List>("list", "Files of the selected analyses (--list --format json)", {
    analyses: listOf(
      object<ItemOf<List["analyses"]>>({
        analysisId: text,
        sampleId: textOrNull,
        limsId: textOrNull,
        files: listOf(
          object<ListedFile>(
            {
              fileName: textOrNull,
              type: textOrNull,
              size: countOrNull,
              archived: flag,
              estimatedRestoreTime: textOrNull,
              ranged
            },
            ["ranged"]
          )
        )
      })
    ),
    failures
  })

type Plan = ReturnType<typeof planJson>
type PlannedFile = ItemOf<Plan["files"]>

const plan = () =>
  document<Plan>("plan", "What a download or a restoration request would do (--plan --format json)", {
    destination: text,
    disk: object<Plan["disk"]>({ neededBytes: count, filesOfUnknownSize: count, freeBytes: countOrNull }),
    files: listOf(
      object<PlannedFile>({
        analysisId: text,
        fileName: text,
        path: text,
        size: countOrNull,
        existingBytes: countOrNull,
        archived: flag,
        estimatedRestoreTime: textOrNull,
        action: { enum: ["fetch", "restore", "ask", "skip", "fail"] },
        reason: textOrNull,
        restoration: orNull(
          object<NonNullable<PlannedFile["restoration"]>>({ why: text, requestedAt: textOrNull, estimate: textOrNull })
        ),
        slice: orNull(ranged),
        makesIndex: flag,
        error: orNull(error)
      })
    ),
    failures,
    warnings: listOf(text)
  })

type Verdicts = ReturnType<typeof verdictsJson>
type Verdict = ItemOf<Verdicts["files"]>

const verify = () =>
  document<Verdicts>("verify", "Verdicts of svc-verify (--format json)", {
    ...outcome,
    totals: object<Verdicts["totals"]>({
      files: count,
      ok: count,
      failed: count,
      unfinished: count,
      unchecked: count,
      bytes: count
    }),
    files: listOf(
      object<Verdict>({
        path: text,
        kind: textOrNull,
        status: { enum: ["ok", "failed", "unfinished", "unchecked"] },
        bytes: countOrNull,
        sha256,
        notes: listOf(text),
        blocks: countOrNull,
        inflated: countOrNull,
        references: countOrNull,
        samples: countOrNull,
        records: countOrNull,
        comparedWith: textOrNull,
        error: orNull(
          object<NonNullable<Verdict["error"]>>(
            { tag: text, message: text, fault: text, block: countOrNull, offset: countOrNull },
            ["fault"]
          )
        )
      })
    )
  })

type Checks = ReturnType<typeof checksJson>

const doctor = () =>
  document<Checks>("doctor", "Checks of svc-doctor (--format json)", {
    ...outcome,
    checks: listOf(
      object<ItemOf<Checks["checks"]>>({
        name: text,
        status: { enum: ["ok", "warn", "fail", "skipped"] },
        says: text,
        advice: textOrNull,
        details: listOf(text),
        error: textOrNull
      })
    )
  })

/** By name: `dist/<name>.schema.json`. */
export const schemas = (): Readonly<Record<string, Json>> => ({
  config: configuration(),
  report: report(),
  list: list(),
  plan: plan(),
  verify: verify(),
  doctor: doctor()
})
