/**
 * Every setting of every step, declared once: options, environment variables, configuration keys, help texts, decoding
 * and docs/settings.md are all made of this table (docs/dev/service.md 2.4 and 4.2; rows marked `beyond` go beyond them).
 */
import { archiveKeys } from "./ArchiveKeys.ts"
import { fileKeys } from "./FileKeys.ts"
import { fileSteps, type Key, loggingSteps, type StepName } from "./Key.ts"
import { networkKeys } from "./NetworkKeys.ts"
import { regionKeys, selectionKeys } from "./SelectionKeys.ts"
import { serviceKeys } from "./ServiceKeys.ts"

/** What a run says of itself. */
const logKeys = {
  loglevel: {
    type: "choice",
    group: "Log and report",
    steps: loggingSteps,
    env: "SVC_LOG_LEVEL",
    choices: ["error", "warn", "info", "debug"],
    default: "info",
    invalid: "Invalid log level: ",
    otherSpellings: ["ll"],
    metavar: "LEVEL",
    help: "error, warn, info or debug"
  },
  logfile: {
    type: "path",
    file: { what: "the log file", use: "written" },
    group: "Log and report",
    steps: loggingSteps,
    env: "SVC_LOG_FILE",
    metavar: "FILE",
    otherSpellings: ["lf"],
    help: "Append the log to this file as well"
  },
  logFormat: {
    type: "choice",
    group: "Log and report",
    steps: loggingSteps,
    choices: ["text", "json"],
    default: "text",
    beyond: true,
    help: "Form of the log; json is one object a line"
  },
  reportfile: {
    type: "path",
    file: { what: "the report file", use: "written" },
    group: "Log and report",
    steps: fileSteps,
    metavar: "FILE",
    otherSpellings: ["r"],
    help: "Write a report of the run: JSON; a page when the name ends in .html, a section for MultiQC when it ends in _mqc.json"
  }
} as const satisfies Record<string, Key>

export const keys = {
  ...serviceKeys,
  ...selectionKeys,
  ...fileKeys,
  ...regionKeys,
  ...archiveKeys,
  ...networkKeys,
  ...logKeys
} as const satisfies Record<string, Key>

export type KeyName = keyof typeof keys

/** All rows with the wide type, for code that treats them alike. */
export const table: Readonly<Record<KeyName, Key>> = keys

/** All keys, in the order of the table. */
export const keyNames = Object.keys(keys) as ReadonlyArray<KeyName>

/** The keys a step takes, in the order of the table. */
export const keysOf = (step: StepName): ReadonlyArray<KeyName> =>
  keyNames.filter((name) => table[name].steps.includes(step))
