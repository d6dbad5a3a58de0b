/**
 * Every setting of every step, declared once: options, environment variables, configuration keys, help texts, decoding
 * and docs/settings.md are all made of this table (docs/service.md 2.4 and 4.2; rows marked `beyond` go beyond them).
 *
 * Long on purpose: it is one table. Plain data that loads nothing, so that `--help` costs next to nothing.
 */
import { fileTypes } from "../genome/formats/FileNames.ts"
import type { Option } from "./Option.ts"

/** The steps, by the name `svc-steps` knows them under. */
export const stepNames = [
  "download",
  "fetch-annotations",
  "request-restore",
  "resume-restore",
  "restorations",
  "api",
  "verify",
  "doctor",
  "gateway",
  "sandbox"
] as const
export type StepName = (typeof stepNames)[number]

/** The headings of the help, in order. */
export const groups = ["Service", "Selection", "Files", "Regions", "Archive", "Network", "Log and report"] as const
export type Group = (typeof groups)[number]

/** An option that can also be set by a variable or in the configuration file. */
export interface Key extends Option {
  readonly group: Group
  readonly steps: ReadonlyArray<StepName>
  readonly env?: string
  /** A second name in the configuration file. */
  readonly configAlias?: string
  /** Only an option: neither a configuration key nor a variable. */
  readonly optionOnly?: true
  /** Not specified in docs/service.md 2.4. */
  readonly beyond?: true
}

const service = [
  "download",
  "fetch-annotations",
  "request-restore",
  "resume-restore",
  "api",
  "doctor",
  "gateway"
] as const satisfies ReadonlyArray<StepName>
const selection = ["download", "request-restore"] as const satisfies ReadonlyArray<StepName>
const files = ["download", "request-restore", "resume-restore"] as const satisfies ReadonlyArray<StepName>
const resuming = ["download", "resume-restore"] as const satisfies ReadonlyArray<StepName>
const download = ["download"] as const satisfies ReadonlyArray<StepName>
const logging = [...service, "verify", "restorations"] as const satisfies ReadonlyArray<StepName>

export const keys = {
  target: {
    type: "text",
    group: "Service",
    steps: service,
    short: "t",
    env: "SVC_TARGET",
    metavar: "NAME|URL",
    help: "Required. The API instance: a full http(s) URL, or a name that is put into --baseUrl"
  },
  baseUrl: {
    type: "text",
    group: "Service",
    steps: service,
    env: "SVC_BASE_URL",
    metavar: "TEMPLATE",
    beyond: true,
    help: "Where targets given by name live, such as https://{target}.example.org"
  },
  username: {
    type: "text",
    group: "Service",
    steps: service,
    short: "u",
    env: "SVC_USER",
    metavar: "NAME",
    help: "User of the API"
  },
  password: {
    type: "secret",
    group: "Service",
    steps: service,
    short: "p",
    env: "SVC_PASSWORD",
    metavar: "TEXT",
    help: "Password of the API. Other users can see options: better the variable, a private file, or the prompt"
  },
  passwordFile: {
    type: "path",
    group: "Service",
    steps: service,
    env: "SVC_PASSWORD_FILE",
    metavar: "FILE",
    beyond: true,
    help: "File whose first line is the password of the API, such as a mounted secret"
  },
  config: {
    type: "path",
    group: "Service",
    steps: logging,
    metavar: "FILE",
    optionOnly: true,
    otherSpellings: ["c"],
    help: "JSON file with settings; its keys are the long option names"
  },

  analysisIds: {
    type: "list",
    group: "Selection",
    steps: selection,
    short: "a",
    metavar: "ID,...",
    fromFile: true,
    otherSpellings: ["id", "ids", "analysis", "analyses"],
    help: "Analyses to take; @FILE takes the lines of a file, @- of standard input"
  },
  sampleIds: {
    type: "list",
    group: "Selection",
    steps: selection,
    short: "s",
    metavar: "ID,...",
    fromFile: true,
    otherSpellings: ["sample", "samples"],
    help: "Only analyses of these samples; @FILE as above"
  },
  limsIds: {
    type: "list",
    group: "Selection",
    steps: selection,
    short: "l",
    metavar: "ID,...",
    fromFile: true,
    help: "Only analyses of these persons, by LIMS ID; @FILE as above"
  },
  filters: {
    type: "lines",
    group: "Selection",
    steps: selection,
    short: "F",
    metavar: "'FIELD OP VALUE'",
    configAlias: "filter",
    otherSpellings: ["filter"],
    help: "Only analyses for which this holds; OP is one of = != > < >= <= ~= (contains) ^= (starts with). Repeatable"
  },
  latest: {
    type: "flag",
    group: "Selection",
    steps: selection,
    beyond: true,
    help: "Only the newest analysis of each person that has files of the wanted types"
  },
  filetypes: {
    type: "list",
    group: "Selection",
    steps: selection,
    short: "f",
    env: "SVC_FILETYPES",
    metavar: "TYPE,...",
    otherSpellings: ["type", "types"],
    choices: fileTypes,
    default: "bam,bam.bai",
    invalid: "Unsupported file type: ",
    help: `File types: ${fileTypes.join(", ")}`
  },

  destination: {
    type: "path",
    group: "Files",
    steps: [...files, "doctor"],
    short: "d",
    env: "SVC_DESTINATION",
    metavar: "DIR",
    default: ".",
    otherSpellings: ["output-dir", "outdir", "out-dir", "output", "out", "dir"],
    help: "Folder to download into; it must exist"
  },
  overwrite: {
    type: "flag",
    group: "Files",
    steps: files,
    env: "SVC_OVERWRITE",
    otherSpellings: ["o", "force", "clobber"],
    help: "Replace existing files; without it they are kept and reported as skipped"
  },
  layout: {
    type: "choice",
    group: "Files",
    steps: files,
    choices: ["flat", "analysis"],
    default: "flat",
    beyond: true,
    help: "flat: all files in one folder; analysis: one folder per analysis"
  },
  check: {
    type: "choice",
    group: "Files",
    steps: files,
    choices: ["structure", "full"],
    default: "structure",
    beyond: true,
    help: "What a whole file must pass: structure: head, end, index; full: every block and record too, while it comes"
  },
  checksums: {
    type: "choice",
    group: "Files",
    steps: files,
    choices: ["md5", "sha256"],
    beyond: true,
    help: "Put a checksum beside each file: FILE.md5 for md5sum -c, or FILE.sha256 for sha256sum -c"
  },
  list: {
    type: "flag",
    group: "Files",
    steps: resuming,
    otherSpellings: ["L"],
    help: "List files and sizes, download nothing"
  },
  plan: {
    type: "flag",
    group: "Files",
    steps: selection,
    beyond: true,
    otherSpellings: ["dry-run", "dryrun", "simulate"],
    help: "Say what would happen (paths, sizes, disk need, collisions, restorations), touch nothing"
  },
  links: {
    type: "flag",
    group: "Files",
    steps: download,
    beyond: true,
    otherSpellings: ["list-urls", "U"],
    help: "Write the download links instead of the files. They are as good as a password while they last"
  },
  linksFile: {
    type: "path",
    group: "Files",
    steps: download,
    metavar: "FILE",
    beyond: true,
    help: "With --links: write them into this private file, as JSON. Without: download by the links in it, with no login"
  },
  format: {
    type: "choice",
    group: "Files",
    steps: resuming,
    choices: ["text", "json"],
    default: "text",
    beyond: true,
    help: "Form of --list, --plan and --links"
  },

  range: {
    type: "text",
    group: "Regions",
    steps: selection,
    short: "g",
    metavar: "'CHR:START-END ...'",
    otherSpellings: ["region", "regions"],
    help: "Only these regions, 1-based and inclusive, separated by spaces; writes <sample>.ranged.bam"
  },
  bed: {
    type: "path",
    group: "Regions",
    steps: selection,
    short: "b",
    metavar: "FILE",
    help: "Only the regions of this BED file"
  },
  unmapped: {
    type: "flag",
    group: "Regions",
    steps: selection,
    beyond: true,
    otherSpellings: ["um"],
    help: "Only the unplaced unmapped reads; with --range in addition to its regions"
  },

  restoreArchived: {
    type: "choice",
    group: "Archive",
    steps: resuming,
    env: "SVC_RESTORE_ARCHIVED",
    choices: ["ask", "all", "force", "no"],
    default: "ask",
    otherSpellings: ["ra"],
    help: "Restore archived files: ask for each, ask once for all, force without asking, or no"
  },
  maxRestores: {
    type: "int",
    group: "Archive",
    steps: files,
    metavar: "N",
    beyond: true,
    help: "Ask for the restoration of at most so many analyses in this run; it may cost money"
  },
  restorationFile: {
    type: "path",
    group: "Archive",
    steps: [...files, "restorations"],
    env: "SVC_RESTORATION_FILE",
    metavar: "FILE",
    default: "awaiting-restoration.json",
    otherSpellings: ["rf"],
    help: "File that remembers pending restorations"
  },
  resumeArchivedDownloads: {
    type: "flag",
    group: "Archive",
    steps: download,
    otherSpellings: ["rad", "resume"],
    help: "Download what has been restored since, with the options stored in the restoration file"
  },
  wait: {
    type: "duration",
    group: "Archive",
    steps: resuming,
    metavar: "TIME",
    beyond: true,
    help: "Wait up to this long for restorations, such as 12h"
  },
  poll: {
    type: "duration",
    group: "Archive",
    steps: resuming,
    metavar: "TIME",
    default: "1m",
    beyond: true,
    help: "How often to look while waiting"
  },
  pendingOk: {
    type: "flag",
    group: "Archive",
    steps: files,
    beyond: true,
    help: "Exit with 0 instead of 75 when only restorations are pending"
  },

  connections: {
    type: "int",
    group: "Network",
    steps: resuming,
    metavar: "N",
    default: "4",
    least: 1,
    most: 64,
    beyond: true,
    otherSpellings: ["threads", "jobs", "parallel"],
    help: "Files or parts to transfer at the same time"
  },
  idleTimeout: {
    type: "duration",
    group: "Network",
    steps: resuming,
    metavar: "TIME",
    default: "60s",
    beyond: true,
    help: "Give up a connection after so long without a byte; the transfer then continues on a new one"
  },
  limitRate: {
    type: "rate",
    group: "Network",
    steps: files,
    env: "SVC_LIMIT_RATE",
    metavar: "RATE",
    default: "0",
    beyond: true,
    otherSpellings: ["bwlimit", "maxRate", "rateLimit"],
    help: "Bytes per second over all connections and files together, such as 800k, 50M or 1G (M: 10^6); 0: no limit"
  },
  proxy: {
    type: "text",
    group: "Network",
    steps: service,
    env: "SVC_PROXY",
    metavar: "URL",
    otherSpellings: ["x"],
    help: "HTTP or HTTPS proxy for everything except the hosts in NO_PROXY; HTTPS_PROXY is not read"
  },
  proxyUsername: {
    type: "text",
    group: "Network",
    steps: service,
    env: "SVC_PROXY_USER",
    metavar: "NAME",
    otherSpellings: ["pxu"],
    help: "User of the proxy"
  },
  proxyPassword: {
    type: "secret",
    group: "Network",
    steps: service,
    env: "SVC_PROXY_PASS",
    metavar: "TEXT",
    otherSpellings: ["pxp"],
    help: "Password of the proxy"
  },
  caFile: {
    type: "path",
    group: "Network",
    steps: service,
    env: "SVC_CA_FILE",
    metavar: "FILE",
    beyond: true,
    help: "PEM file with further certificate authorities to trust"
  },
  lockDir: {
    type: "path",
    group: "Network",
    steps: service,
    env: "SVC_LOCK_DIR",
    metavar: "DIR",
    beyond: true,
    help: "Folder where steps of one account take turns; the default is the user's runtime folder"
  },

  loglevel: {
    type: "choice",
    group: "Log and report",
    steps: logging,
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
    group: "Log and report",
    steps: logging,
    env: "SVC_LOG_FILE",
    metavar: "FILE",
    otherSpellings: ["lf"],
    help: "Append the log to this file as well"
  },
  logFormat: {
    type: "choice",
    group: "Log and report",
    steps: logging,
    choices: ["text", "json"],
    default: "text",
    beyond: true,
    help: "Form of the log; json is one object a line"
  },
  reportfile: {
    type: "path",
    group: "Log and report",
    steps: files,
    metavar: "FILE",
    otherSpellings: ["r"],
    help: "Write a report of the run: JSON, or a page when the name ends in .html"
  }
} as const satisfies Record<string, Key>

export type KeyName = keyof typeof keys

/** All rows with the wide type, for code that treats them alike. */
export const table: Readonly<Record<KeyName, Key>> = keys

/** All keys, in the order of the table. */
export const keyNames = Object.keys(keys) as ReadonlyArray<KeyName>

/** The keys a step takes, in the order of the table. */
export const keysOf = (step: StepName): ReadonlyArray<KeyName> =>
  keyNames.filter((name) => table[name].steps.includes(step))
