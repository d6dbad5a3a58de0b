/** What the doctor has looked at: how it is shown, and the pure rules that say what the found values mean. */
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import { type Advised, codeOf, type ExitCode, ExitCodes, mostSevere, sentenceOf } from "../../core/src/Errors.ts"
import type { StepName } from "../../core/src/settings/Key.ts"
import { keysOf, table } from "../../core/src/settings/Keys.ts"
import { type LocalSettings, nameAt } from "../../core/src/settings/Settings.ts"
import { printable } from "../../core/src/text/Printable.ts"
import { counted, durationText, humanSize } from "../../core/src/text/Quantity.ts"
import type { TriedFolder } from "../../platform/files/FolderProbe.ts"
import type { Contact } from "../../platform/http/HostProbe.ts"
import { adviceOf } from "../main/Advice.ts"

/** Every check, in the order in which they are said: a new one is named here. */
export const checkNames = ["settings", "disk", "lock folder", "address", "tls", "clock", "login", "gateway"] as const

export type CheckName = (typeof checkNames)[number]

/** `skipped`: it depends on a check that failed, or on something that was not given. */
export type Status = "ok" | "warn" | "fail" | "skipped"

/** An error class of Errors.ts: its exit code counts. */
export interface CheckFailure extends Advised {
  readonly _tag: string
  readonly message: string
}

type Lines = ReadonlyArray<string>

export interface Check {
  readonly name: CheckName
  readonly status: Status
  /** What was found, in one line. */
  readonly says: string
  /** What to do about it. */
  readonly advice: string | null
  /** Lines below it, such as one per setting. */
  readonly details: Lines
  readonly error: CheckFailure | null
}

const check = (name: CheckName, status: Status, says: string, rest: Partial<Check> = {}): Check => ({
  name,
  status,
  says,
  advice: null,
  details: [],
  error: null,
  ...rest
})

export const ok = (name: CheckName, says: string, details: Lines = []): Check => check(name, "ok", says, { details })

export const warn = (name: CheckName, says: string, advice: string, details: Lines = []): Check =>
  check(name, "warn", says, { advice, details })

export const fail = (name: CheckName, error: CheckFailure, advice: string | null, details: Lines = []): Check =>
  check(name, "fail", sentenceOf(adviceOf)(error), { advice, details, error })

export const skipped = (name: CheckName, why: string): Check => check(name, "skipped", why)

/** `names` cannot be looked at before `name` holds. */
export const skippedFor = (name: CheckName, names: ReadonlyArray<CheckName>): ReadonlyArray<Check> =>
  names.map((later) => skipped(later, `needs ${name}`))

const words: Readonly<Record<Status, string>> = { ok: "ok", warn: "warn", fail: "FAIL", skipped: "skipped" }
/** Columns before what is found: the status, and the longest name. */
const indent = 8 + Math.max(...checkNames.map(({ length }) => length)) + 3

/** The check as lines of text, safe on a terminal. */
export const checkText = ({ advice, details, name, says, status }: Check): string => {
  const below = [...details, ...(advice === null ? [] : [`-> ${advice}`])]
  const head = `${words[status].padEnd(8)}${name.padEnd(indent - 8)}${says}`
  return [head, ...below.map((line) => " ".repeat(indent) + line)].map(printable).join("\n")
}

/** 0 when nothing failed, else the code of the most severe failure. */
export const exitCodeOf = (checks: ReadonlyArray<Check>): ExitCode =>
  mostSevere(checks.flatMap(({ error }) => error ?? []))

/** The document of `--format json`, schema `svc.doctor/1`; its keys are the contract. */
export const checksJson = (version: string, checks: ReadonlyArray<Check>) => {
  const exitCode = exitCodeOf(checks)
  return {
    schema: "svc.doctor/1",
    version,
    exitCode,
    exitMeaning: ExitCodes[exitCode],
    checks: checks.map(({ error, ...rest }) => ({ ...rest, error: error === null ? null : codeOf(error) }))
  }
}

/** `3 ok, 1 failed`. */
export const summary = (checks: ReadonlyArray<Check>): string =>
  (["ok", "warn", "fail", "skipped"] as const)
    .map((status) => [checks.filter((check) => check.status === status).length, status] as const)
    .filter(([count]) => count > 0)
    .map(([count, status]) => `${count} ${status === "fail" ? "failed" : words[status]}`)
    .join(", ")

/** Beyond this a clock is wrong, not only read at another moment, in ms. */
const mostSkew = 60_000

/**
 * @param date - the `Date` field of a reply, null without one
 * @param before - when the request was sent and its reply had come, in ms
 */
export const judgeClock = (date: string | null, before: number, after: number): Check => {
  const theirs = date === null ? null : Option.getOrNull(DateTime.make(date))
  if (theirs === null) return warn("clock", "the service does not tell its time", "Nothing to do: it was not compared")
  const millis = DateTime.toEpochMillis(theirs)
  // The field has whole seconds: the true time is up to one second later.
  const skew = before > millis + 1000 ? before - millis - 1000 : after < millis ? after - millis : 0
  const apart = durationText(Math.abs(skew))
  if (Math.abs(skew) <= mostSkew) return ok("clock", `agrees with the service (within ${apart})`)
  return warn(
    "clock",
    `this computer is ${apart} ${skew > 0 ? "ahead of" : "behind"} the service`,
    "Set its clock (NTP): certificates, links and estimates of restorations are judged by it"
  )
}

const day = 86_400_000

/** For a certificate that was accepted. */
export const judgeCertificate = ({ issuer, protocol, validTo }: NonNullable<Contact["tls"]>, now: number): Check => {
  const until = `until ${DateTime.formatIso(DateTime.makeUnsafe(validTo)).slice(0, 10)}`
  const says = `${protocol}, certificate by ${issuer}, ${until}`
  const left = Math.floor((validTo - now) / day)
  return left >= 14
    ? ok("tls", says)
    : warn("tls", `${says} (${counted(left, "day")} left)`, "Tell whoever runs the service to renew the certificate")
}

export const judgeDisk = (folder: string, { free, syncs }: TriedFolder): Check => {
  const name = "disk"
  const says = `${folder} can be written to`
  if (!syncs) {
    return warn(
      name,
      `${says}, but its file system cannot tell when data is on the disk (no fsync)`,
      "Downloads work; after a power cut or a crash of the file server check the files with svc-verify"
    )
  }
  if (free === null) return ok(name, `${says}; its file system does not tell its free space`)
  const room = `${says}, ${humanSize(free)} free`
  return free >= 10 * 1024 ** 3
    ? ok(name, room)
    : warn(name, room, "A genome takes 50 to 150 GiB: see svc-download --plan for what you need")
}

/** `target = https://lab.example.org (SVC_TARGET in the environment)`, one for each key that is set. */
const settingLines = (step: StepName, settings: LocalSettings): Lines =>
  keysOf(step).flatMap((key) => {
    const source = settings.source(key)
    if (source === "default") return []
    const place = source === "environment" ? `${nameAt(key, source)} in the environment` : source
    // Of what could be credentials in an address neither user nor password is shown.
    const shown = String(settings[key]).replace(/\/\/[^/?#]*@/g, "//***@")
    return [`${key} = ${table[key].type === "secret" ? "****" : shown} (${place})`]
  })

/** @param found - why they are of no use, or what others could do with the files that hold secrets of theirs */
export const judgeSettings = (settings: LocalSettings, found: CheckFailure | Lines): Check => {
  const name = "settings"
  const lines = settingLines("doctor", settings)
  if ("_tag" in found) {
    const isTarget = found._tag === "SvcUsageError"
    return fail(name, found, isTarget ? "Set --target (SVC_TARGET) to the address of the service" : null, lines)
  }
  const says = "in force, and where they come from:"
  return found.length === 0 ? ok(name, says, lines) : warn(name, says, found.join("; "), lines)
}
