/**
 * JSON Schemas for editors and other people's programs: of the configuration file, made of the table of settings, and of the documents that a run
 * writes. In `dist/` of the package and on each release.
 */
import { readFileSync } from "node:fs"
import { ExitCodes } from "../core/src/Errors.ts"
import { fileTypes } from "../core/src/genome/formats/FileNames.ts"
import type { Key } from "../core/src/settings/Key.ts"
import { keyNames, table } from "../core/src/settings/Keys.ts"

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
      .filter((name) => table[name].optionOnly === undefined)
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

/** An object of which each of these keys is there; later versions of the same schema may have more. */
const object = (properties: Json): Json => ({ type: "object", required: Object.keys(properties), properties })
const listOf = (items: Json): Json => ({ type: "array", items })

const error = object({ tag: text, message: text })
const failures = listOf(object({ analysisId: textOrNull, fileName: textOrNull, error }))

/** What cutting regions out would fetch. */
const ranged = object({ bytes: count, requests: count, regions: text })
const outcome: Json = {
  version: text,
  exitCode: { enum: [...Object.keys(ExitCodes).map(Number), null] },
  exitMeaning: text
}

const document = (name: string, title: string, properties: Json): Json => ({
  $schema: dialect,
  $id: addressOf(name),
  title,
  ...object({ schema: { const: `svc.${name}/1` }, ...properties })
})

const report = () =>
  document("report", "Report of a run (--reportfile)", {
    ...outcome,
    step: { enum: ["download", "request-restore", "resume-restore"] },
    host: text,
    startedAt: time,
    finishedAt: time,
    seconds: { type: "number", minimum: 0 },
    totals: object({ downloaded: count, skipped: count, failed: count, bytes: count }),
    advice: listOf(text),
    throughput: object({ intervalSeconds: { type: "number" }, bytes: listOf(count) }),
    files: listOf(
      object({
        analysisId: textOrNull,
        fileName: textOrNull,
        path: textOrNull,
        action: { enum: ["downloaded", "skipped", "failed"] },
        reason: { enum: ["exists", "differs", "archived", "missing", "no-reads", "pending", null] },
        bytes: countOrNull,
        listedBytes: countOrNull,
        resumedFrom: count,
        sha256,
        compared: listOf(text),
        regions: { type: ["array", "null"], items: text },
        records: countOrNull,
        index: { anyOf: [{ type: "null" }, object({ path: text, bytes: count, sha256 })] },
        fetched: countOrNull,
        warnings: listOf(text),
        attempts: count,
        renewals: count,
        seconds: { type: "number", minimum: 0 },
        startedAt: time,
        finishedAt: time,
        restoration: { type: ["object", "null"] },
        error: { anyOf: [{ type: "null" }, error] }
      })
    )
  })

const list = () =>
  document("list", "Files of the selected analyses (--list --format json)", {
    analyses: listOf(
      object({
        analysisId: text,
        sampleId: textOrNull,
        limsId: textOrNull,
        files: listOf({
          ...object({
            fileName: textOrNull,
            type: textOrNull,
            size: countOrNull,
            archived: flag,
            estimatedRestoreTime: textOrNull
          }),
          properties: { ranged }
        })
      })
    ),
    failures
  })

const plan = () =>
  document("plan", "What a download or a restoration request would do (--plan --format json)", {
    destination: text,
    disk: object({ neededBytes: count, filesOfUnknownSize: count, freeBytes: countOrNull }),
    files: listOf(
      object({
        analysisId: text,
        fileName: text,
        path: text,
        size: countOrNull,
        existingBytes: countOrNull,
        archived: flag,
        estimatedRestoreTime: textOrNull,
        action: { enum: ["fetch", "restore", "ask", "skip", "fail"] },
        reason: textOrNull,
        restoration: {
          anyOf: [{ type: "null" }, object({ why: text, requestedAt: textOrNull, estimate: textOrNull })]
        },
        slice: { anyOf: [{ type: "null" }, ranged] },
        error: { anyOf: [{ type: "null" }, error] }
      })
    ),
    failures,
    warnings: listOf(text)
  })

const links = () =>
  document("links", "Links of files (--links --format json, --writeLinks)", {
    target: text,
    filetypes: { ...listOf({ enum: fileTypes }), minItems: 1 },
    files: listOf(
      object({
        analysisId: text,
        fileName: text,
        size: countOrNull,
        archived: flag,
        estimatedRestoreTime: textOrNull,
        link: textOrNull,
        expiresAt: time
      })
    )
  })

const verify = () =>
  document("verify", "Verdicts of svc-verify (--format json)", {
    ...outcome,
    totals: object({ files: count, ok: count, failed: count, unfinished: count, unchecked: count, bytes: count }),
    files: listOf(
      object({
        path: text,
        status: { enum: ["ok", "failed", "unfinished", "unchecked"] },
        bytes: countOrNull,
        error: {
          anyOf: [{ type: "null" }, object({ tag: text, message: text, block: countOrNull, offset: countOrNull })]
        }
      })
    )
  })

const doctor = () =>
  document("doctor", "Checks of svc-doctor (--format json)", {
    ...outcome,
    checks: listOf(
      object({
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
  links: links(),
  verify: verify(),
  doctor: doctor()
})
