/** One thing that the doctor has looked at, and how it is shown. */
import { codeOf, type ExitCode, ExitCodes, mostSevere } from "../Errors.ts"
import { printable } from "../text/Printable.ts"

/** `skipped`: it depends on a check that failed, or on something that was not given. */
export type Status = "ok" | "warn" | "fail" | "skipped"

/** An error class of Errors.ts: its exit code counts. */
export interface CheckFailure {
  readonly _tag: string
  readonly message: string
}

export interface Check {
  readonly name: string
  readonly status: Status
  /** What was found, in one line. */
  readonly says: string
  /** What to do about it. */
  readonly advice: string | null
  /** Lines below it, such as one per setting. */
  readonly details: ReadonlyArray<string>
  readonly error: CheckFailure | null
}

const check = (name: string, status: Status, says: string, rest: Partial<Check> = {}): Check => ({
  name,
  status,
  says,
  advice: null,
  details: [],
  error: null,
  ...rest
})

export const ok = (name: string, says: string, details: ReadonlyArray<string> = []): Check =>
  check(name, "ok", says, { details })

export const warn = (name: string, says: string, advice: string): Check => check(name, "warn", says, { advice })

export const fail = (name: string, error: CheckFailure, advice: string): Check =>
  check(name, "fail", error.message, { advice, error })

export const skipped = (name: string, why: string): Check => check(name, "skipped", why)

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
