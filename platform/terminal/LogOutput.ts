/**
 * Where log lines go: standard error, and the log file as well when there is one. Standard output is left to data.
 *
 * Text: `2026-11-21T02:00:00.000Z [info]: message`; json: one object a line with `time`, `level`, `message` and what the
 * program annotated. In the file, to which several runs may write, the number of the process comes after the time. Both are scrubbed of secrets and safe on a terminal (docs/dev/service.md 2.4).
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Formatter from "effect/Formatter"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import type { CannotCreate } from "../../core/src/Errors.ts"
import { printable } from "../../core/src/text/Printable.ts"
import type { Scrubber } from "../../core/src/text/Scrubber.ts"
import { openLogFile } from "./LogFile.ts"
import type { Screen } from "./Screen.ts"

export interface LogSettings {
  readonly level: "error" | "warn" | "info" | "debug"
  readonly format: "text" | "json"
  /** Standard error belongs to a command, and the file has the rest. */
  readonly failuresOnly?: boolean
}

const minimum = { error: "Error", warn: "Warn", info: "Info", debug: "Debug" } as const
const levels: Readonly<Record<string, LogSettings["level"]>> = {
  Fatal: "error",
  Error: "error",
  Warn: "warn",
  Info: "info"
}

/** One part of a log message as text: strings as they are, errors by their message. */
const textOf = (part: unknown): string =>
  typeof part === "string" ? part : part instanceof Error ? part.message : Formatter.format(part)

export interface LogLine {
  readonly time: Date
  readonly level: LogSettings["level"]
  readonly message: string
  readonly annotations?: Readonly<Record<string, unknown>>
}

/** What became of a file: the annotation `outcome` of the line about its end, and the SGR code of its colour. */
const outcomeColors: ReadonlyMap<unknown, number> = new Map([
  ["downloaded", 32],
  ["skipped", 33],
  ["failed", 31]
])

/** Ids and names that the program says itself; a password that looks like one must not take them away. */
const identities: ReadonlySet<string> = new Set(["analysis", "file", "code", "outcome"])

/** Fields for programs only; for a person the message says it all. */
const inJsonOnly: ReadonlySet<string> = new Set([...identities, "exit"])

/** Fields that no annotation replaces. */
const ownFields: ReadonlyArray<string> = ["time", "pid", "level", "message"]

const scrubAnnotation = (scrubber: Scrubber, key: string, text: string): string =>
  identities.has(key) ? text : scrubber.named(key, text)

/** What lines of the log need of standard error. */
export type LogScreen = Pick<Screen["Service"], "line" | "colors">

/**
 * One line without its line feed: whatever the message holds, it cannot begin a second line, steer a terminal or show a
 * secret.
 *
 * @param options - `colors` paints the message by what became of the file; `pid` goes into the line
 */
const formatLine = (
  format: LogSettings["format"],
  line: LogLine,
  scrubber: Scrubber,
  { colors = false, pid }: { readonly colors?: boolean; readonly pid?: number } = {}
): string => {
  const time = line.time.toISOString()
  const message = scrubber.prose(line.message)
  const annotations = Object.entries(line.annotations ?? {})
  if (format === "json") {
    const more = Object.fromEntries(annotations.filter(([key]) => !ownFields.includes(key)))
    const clean = (key: string, value: unknown) =>
      typeof value === "string" ? scrubAnnotation(scrubber, key, value) : value
    const head = JSON.stringify({ time, pid, level: line.level, message })
    const tail = annotations.length === 0 ? "{}" : JSON.stringify(more, clean)
    // JSON has escaped quotes and C0 already; what printable still replaces gets the same form, so it stays JSON.
    return printable(tail === "{}" ? head : `${head.slice(0, -1)},${tail.slice(1)}`)
  }
  const more = annotations
    .filter(([key]) => !inJsonOnly.has(key))
    .map(([key, value]) => ` ${key}=${scrubAnnotation(scrubber, key, textOf(value))}`)
    .join("")
  const color = colors ? outcomeColors.get(line.annotations?.["outcome"]) : undefined
  const text = printable(message)
  const painted = color === undefined ? text : `\u001b[${color}m${text}\u001b[39m`
  return `${time}${pid === undefined ? "" : ` ${pid}`} [${line.level}]: ${painted}${printable(more)}`
}

const bareMark = "svc-steps/bare"
const levelMark = "svc-steps/level"
const fileMark = "svc-steps/file"
/** Seen at every log level, whatever level the line is written with. */
const logSeen = (message: string, marks: Readonly<Record<string, string>>) =>
  Effect.annotateLogs(
    Effect.forEach(message.split("\n"), (line) => Effect.logError(line), { discard: true }),
    marks
  )

const logBare = (message: string, prefix: string, level: LogSettings["level"]) =>
  logSeen(message, { [bareMark]: prefix, [levelMark]: level })

/**
 * Says why a run failed: as text it is `Error: <message>`, one line for each line of the message.
 *
 * @param about - for programs: the tag of the error, and the exit code
 */
export const failure = (
  message: string,
  about: { readonly code?: string; readonly exit?: number } = {}
): Effect.Effect<void> => Effect.annotateLogs(logBare(message, "Error: ", "error"), about)

/** What to do next, after a failure; as text a line without time and level. */
export const hint = (message: string): Effect.Effect<void> => logBare(message, "", "info")

/** The last line of a run, seen at every log level. */
export const conclusion = (message: string): Effect.Effect<void> => logSeen(message, { [levelMark]: "info" })

/** A line for the log file alone, where there is one: on a terminal it would say what stands there already. */
export const inFileOnly = (message: string): Effect.Effect<void> =>
  Effect.annotateLogs(Effect.logInfo(message), { [fileMark]: true })

const causeText = (cause: Cause.Cause<unknown>, level: LogSettings["level"]): ReadonlyArray<string> =>
  cause.reasons.length === 0
    ? []
    : level === "debug"
      ? [Cause.pretty(cause)]
      : Cause.prettyErrors(cause).map((error) => error.message)

const makeLogger = (
  settings: LogSettings,
  scrubber: Scrubber,
  screen: LogScreen,
  append: ((lines: string) => void) | null
) =>
  Logger.make<unknown, void>(({ cause, date, fiber, logLevel, message }) => {
    const parts = [...(Array.isArray(message) ? message : [message]).map(textOf), ...causeText(cause, settings.level)]
    const {
      [bareMark]: prefix,
      [fileMark]: fileOnly,
      [levelMark]: said,
      ...annotations
    } = fiber.getRef(References.CurrentLogAnnotations)
    const text = parts.join(" ")
    const level = said === "info" ? said : (levels[logLevel] ?? "debug")
    const line = { time: date, level, message: text, annotations }
    const isBare = typeof prefix === "string" && settings.format === "text"
    if (fileOnly !== true && (settings.failuresOnly !== true || typeof prefix === "string")) {
      const shown = formatLine(settings.format, line, scrubber, { colors: screen.colors })
      screen.line(isBare ? printable(`${prefix}${scrubber.prose(text)}`) : shown)
    }
    append?.(`${formatLine(settings.format, line, scrubber, { pid: process.pid })}\n`)
  })

/**
 * Replaces all loggers by one for standard error.
 */
export const layerStderr = (settings: LogSettings, scrubber: Scrubber, screen: LogScreen): Layer.Layer<never> =>
  Layer.mergeAll(
    Logger.layer([makeLogger(settings, scrubber, screen, null)]),
    Layer.succeed(References.MinimumLogLevel, minimum[settings.level])
  )

/**
 * The same, and every line goes to the file too. Fails when it cannot be opened at the start; a
 * failure later is said once on standard error and does not stop the run.
 */
export const layerFile = (
  file: string,
  settings: LogSettings,
  scrubber: Scrubber,
  screen: LogScreen
): Layer.Layer<never, CannotCreate> => {
  const logger = Effect.gen(function* () {
    const warn = (message: string) =>
      screen.line(formatLine(settings.format, { time: new Date(), level: "warn", message }, scrubber))
    const { append } = yield* openLogFile(file, warn)
    return makeLogger(settings, scrubber, screen, append)
  })
  return Layer.mergeAll(Logger.layer([logger]), Layer.succeed(References.MinimumLogLevel, minimum[settings.level]))
}
