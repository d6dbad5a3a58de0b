/** What the doctor has looked at: how it is shown, and the pure rules that say what the found values mean. */
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import { type Advised, codeOf, type ExitCode, ExitCodes, mostSevere, sentenceOf } from "../../core/src/Errors.ts"
import type { StepName } from "../../core/src/settings/Key.ts"
import { type KeyName, keysOf, table } from "../../core/src/settings/Keys.ts"
import { type LocalSettings, nameAt } from "../../core/src/settings/Settings.ts"
import { printable } from "../../core/src/text/Printable.ts"
import { counted } from "../../core/src/text/Quantity.ts"
import { adviceOf } from "../main/Advice.ts"

/** The checks of the way to the service, each of which needs those before it. */
export const networkNames = ["dns", "tcp", "proxy", "tls", "service", "clock"] as const

/** The checks of the service itself, which need a login. */
export const serviceNames = ["login", "api", "links", "logout"] as const

/** Every check, in the order in which they are said: a new one is named here. */
export const checkNames = [
  "node",
  "settings",
  "config",
  "destination",
  "lock folder",
  "target",
  ...networkNames,
  "credentials",
  ...serviceNames
] as const

export type CheckName = (typeof checkNames)[number]

/** `skipped`: it depends on a check that failed, or on something that was not given. */
export type Status = "ok" | "warn" | "fail" | "skipped"

/** An error class of Errors.ts: its exit code counts. */
export interface CheckFailure extends Advised {
  readonly _tag: string
  readonly message: string
}

export interface Check {
  readonly name: CheckName
  readonly status: Status
  /** What was found, in one line. */
  readonly says: string
  /** What to do about it. */
  readonly advice: string | null
  /** Lines below it, such as one per setting. */
  readonly details: ReadonlyArray<string>
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

export const ok = (name: CheckName, says: string, details: ReadonlyArray<string> = []): Check =>
  check(name, "ok", says, { details })

export const warn = (name: CheckName, says: string, advice: string): Check => check(name, "warn", says, { advice })

export const fail = (name: CheckName, error: CheckFailure, advice: string | null): Check =>
  check(name, "fail", sentenceOf(adviceOf)(error), { advice, error })

export const skipped = (name: CheckName, why: string): Check => check(name, "skipped", why)

/** Those of `names` that come after `name` and need it. */
export const skippedAfter = (names: ReadonlyArray<CheckName>, name: CheckName): ReadonlyArray<Check> =>
  names.slice(names.indexOf(name) + 1).map((later) => skipped(later, `needs ${name}`))

/** Later checks that need this one may go on. */
export const holds = ({ status }: Check): boolean => status === "ok" || status === "warn"

const words: Readonly<Record<Status, string>> = { ok: "ok", warn: "warn", fail: "FAIL", skipped: "skipped" }
const indent = 22

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
    .map((status) => ({ status, count: checks.filter((check) => check.status === status).length }))
    .filter(({ count }) => count > 0)
    .map(({ count, status }) => `${count} ${status === "fail" ? "failed" : words[status]}`)
    .join(", ")

/** Beyond this many seconds a clock is wrong, not only read at another moment. */
const mostSkew = 60

const spanOf = (seconds: number): string =>
  seconds < 120
    ? `${Math.round(seconds)} s`
    : seconds < 7200
      ? `${Math.round(seconds / 60)} min`
      : seconds < 172_800
        ? `${Math.round(seconds / 3600)} h`
        : `${Math.round(seconds / 86_400)} days`

/**
 * @param date - the `Date` field of a reply, null without one
 * @param before - when the request was sent and its reply had come, in ms
 */
export const judgeClock = (date: string | null, before: number, after: number): Check => {
  const name = "clock"
  const theirs = date === null ? null : Option.getOrNull(DateTime.make(date))
  if (theirs === null) return warn(name, "the service does not tell its time", "Nothing to do: it was not compared")
  const millis = DateTime.toEpochMillis(theirs)
  // The field has whole seconds: the true time is up to one second later.
  const skew = (before > millis + 1000 ? before - millis - 1000 : after < millis ? after - millis : 0) / 1000
  if (Math.abs(skew) <= mostSkew)
    return ok(name, `agrees with the service (within ${spanOf(Math.ceil(Math.abs(skew)) + 1)})`)
  return warn(
    name,
    `this computer is ${spanOf(Math.abs(skew))} ${skew > 0 ? "ahead of" : "behind"} the service`,
    "Set its clock (NTP): certificates, links and estimates of restorations are judged by it"
  )
}

export interface Certificate {
  /** Name of the authority that issued it. */
  readonly issuer: string
  /** End of its validity, in ms since 1970. */
  readonly validTo: number
}

const day = 86_400_000

/** For a certificate that was accepted. */
export const judgeCertificate = ({ issuer, validTo }: Certificate, protocol: string, now: number): Check => {
  const until = `until ${DateTime.formatIso(DateTime.makeUnsafe(validTo)).slice(0, 10)}`
  const says = `${protocol}, certificate by ${issuer}, ${until}`
  const left = Math.floor((validTo - now) / day)
  return left >= 14
    ? ok("tls", says)
    : warn("tls", `${says} (${counted(left, "day")} left)`, "Tell whoever runs the service to renew the certificate")
}

const gib = 1024 ** 3

/** @param free - bytes for this user, null when the file system does not say */
export const judgeFolder = (
  folder: string,
  { free, syncs }: { readonly free: number | null; readonly syncs: boolean }
): Check => {
  if (!syncs) {
    return warn(
      "destination",
      `${folder} can be written to, but its file system cannot tell when data is on the disk (no fsync)`,
      "Downloads work; after a power cut or a crash of the file server check the files with svc-verify"
    )
  }
  if (free === null)
    return ok("destination", `${folder} can be written to; its file system does not tell its free space`)
  const says = `${folder} can be written to, ${(free / gib).toFixed(1)} GiB free`
  return free >= 10 * gib
    ? ok("destination", says)
    : warn("destination", says, "A genome takes 50 to 150 GiB: see svc-download --plan for what you need")
}

/** @param exposed - what others could do with the file that the secret is from */
export const judgeSecret = (name: CheckName, says: string, exposed: ReadonlyArray<string>): Check =>
  exposed.length === 0 ? ok(name, says) : warn(name, says, exposed.join("; "))

/** Where credentials could stand in an address: nothing of them is shown, neither user nor password. */
const withoutCredentials = (text: string): string => text.replace(/\/\/[^/?#]*@/g, "//***@")

const valueText = (key: KeyName, value: unknown): string => {
  if (table[key].type === "secret") return "****"
  return withoutCredentials(Array.isArray(value) ? value.join(",") : String(value))
}

/** Keys whose absence is worth a line. */
const important: ReadonlyArray<KeyName> = ["target", "username", "password"]

/** `target = https://lab.example.org (SVC_TARGET in the environment)`, one for each key that is set or matters. */
export const settingLines = (step: StepName, settings: LocalSettings): ReadonlyArray<string> =>
  keysOf(step).flatMap((key) => {
    const value: unknown = settings[key]
    const source = settings.source(key)
    if (source === "default") return important.includes(key) && value === null ? [`${key} is not set`] : []
    const place = source === "environment" ? `${nameAt(key, source)} in the environment` : source
    return [`${key} = ${valueText(key, value)} (${place})`]
  })
