/** What a run says of itself. */
import { fileSteps, type Key, loggingSteps } from "./Key.ts"

export const logKeys = {
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
