/**
 * Every setting of every step, declared once: options, environment variables, configuration keys, help texts, decoding
 * and docs/settings.md are all made of this table (docs/dev/service.md 2.4 and 4.2; rows marked `beyond` go beyond them).
 */
import { archiveKeys, fileKeys, regionKeys, selectionKeys } from "./FileKeys.ts"
import {
  fetchingSteps,
  fileSteps,
  inGroup,
  type Key,
  loggingSteps,
  readerSteps,
  type StepName,
  serviceSteps
} from "./Key.ts"

/** The way to the service and to link hosts. */
const networkKeys = inGroup("Network", serviceSteps, {
  connections: {
    type: "int",
    steps: fetchingSteps,
    metavar: "N",
    default: "8",
    least: 1,
    most: 64,
    beyond: true,
    otherSpellings: ["threads", "jobs", "parallel", "transfers"],
    help: "Connections to link hosts at the same time, 16 for slices if none is given; a large file takes several, and up to 4 files (N/2 with more than 8) share them"
  },
  idleTimeout: {
    type: "duration",
    steps: fetchingSteps,
    metavar: "TIME",
    default: "60s",
    beyond: true,
    help: "Give up a connection on which no byte came for this long; the transfer continues on a new one"
  },
  apiTimeout: {
    type: "duration",
    env: "SVC_API_TIMEOUT",
    metavar: "TIME",
    default: "15m",
    beyond: true,
    otherSpellings: ["timeout"],
    help: "How long the service may take to begin an answer; after that nothing is asked for as long again, at most 5 minutes, in which it can end its work"
  },
  limitRate: {
    type: "rate",
    steps: fetchingSteps,
    env: "SVC_LIMIT_RATE",
    metavar: "RATE",
    default: "0",
    beyond: true,
    otherSpellings: ["bwlimit", "max-rate", "rate-limit"],
    help: "Bytes per second over all connections and files together, such as 800k, 50M or 1G (M: 10^6; progress shows MiB, 2^20); 0: no limit"
  },
  proxy: {
    type: "text",
    env: "SVC_PROXY",
    metavar: "URL",
    otherSpellings: ["x"],
    help: "HTTP or HTTPS proxy for everything except the hosts in NO_PROXY; HTTPS_PROXY is not read"
  },
  proxyUsername: {
    type: "text",
    env: "SVC_PROXY_USER",
    metavar: "NAME",
    otherSpellings: ["pxu"],
    help: "User of the proxy"
  },
  proxyPassword: {
    type: "secret",
    env: "SVC_PROXY_PASS",
    metavar: "TEXT",
    otherSpellings: ["pxp"],
    help: "Password of the proxy"
  },
  caFile: {
    type: "path",
    file: { what: "the CA file", use: "read" },
    env: "SVC_CA_FILE",
    metavar: "FILE",
    beyond: true,
    help: "PEM file with further certificate authorities to trust"
  },
  lockDir: {
    type: "path",
    env: "SVC_LOCK_DIR",
    metavar: "DIR",
    beyond: true,
    help: "Folder of the locks by which processes of one account take turns; the default is .svc-steps/locks in the home folder of the user, whatever the environment says"
  }
})

/** The service and the account. */
const serviceKeys = inGroup("Service", serviceSteps, {
  target: {
    type: "text",
    common: true,
    short: "t",
    env: "SVC_TARGET",
    metavar: "NAME|URL",
    otherSpellings: ["url", "host", "server", "endpoint", "endpoint-url"],
    help: "The API instance (required): a full http(s) URL, or a name that is put into --baseUrl"
  },
  baseUrl: {
    type: "text",
    env: "SVC_BASE_URL",
    metavar: "TEMPLATE",
    beyond: true,
    help: "Address of targets given by name, such as https://{target}.example.org"
  },
  username: {
    type: "text",
    common: true,
    short: "u",
    env: "SVC_USER",
    metavar: "NAME",
    otherSpellings: ["user", "login"],
    help: "User of the API, whose password is asked for, or comes from SVC_PASSWORD or --passwordFile"
  },
  password: {
    type: "secret",
    short: "p",
    env: "SVC_PASSWORD",
    metavar: "TEXT",
    help: "Password of the API. Other users of the machine can read options: rather use the variable, a private file, or the prompt"
  },
  passwordFile: {
    type: "path",
    file: { what: "the password file", use: "read" },
    env: "SVC_PASSWORD_FILE",
    metavar: "FILE",
    beyond: true,
    help: "File whose first line is the password of the API, such as a mounted secret"
  },
  token: {
    type: "secret",
    steps: readerSteps,
    env: "SVC_TOKEN",
    metavar: "TEXT",
    beyond: true,
    help: "Token of a gateway, whose address is then the target: no user, no password, no login. Rather use the variable or a private file"
  },
  tokenFile: {
    type: "path",
    file: { what: "the token file", use: "read" },
    steps: readerSteps,
    env: "SVC_TOKEN_FILE",
    metavar: "FILE",
    beyond: true,
    help: "File whose first line is the token of a gateway"
  },
  service: {
    type: "text",
    steps: fileSteps,
    env: "SVC_SERVICE",
    metavar: "URL",
    beyond: true,
    help: "The service behind a gateway: unfinished files and restorations are those of this address, wherever the gateway is"
  },
  config: {
    type: "path",
    file: { what: "the configuration file", use: "read" },
    steps: loggingSteps,
    env: "SVC_CONFIG",
    metavar: "FILE",
    notInFile: true,
    common: true,
    otherSpellings: ["c"],
    help: "JSON file with settings (default ~/.config/svc-steps/config.json); its keys are the long option names, and XDG_CONFIG_HOME stands for ~/.config where it is set"
  }
})

/** What a run says of itself. */
const logKeys = inGroup("Log and report", loggingSteps, {
  loglevel: {
    type: "choice",
    env: "SVC_LOG_LEVEL",
    choices: ["error", "warn", "info", "debug"],
    default: "info",
    invalid: "Invalid log level: ",
    otherSpellings: ["ll", "debug", "log-level"],
    metavar: "LEVEL",
    help: "error, warn, info or debug"
  },
  logfile: {
    type: "path",
    file: { what: "the log file", use: "written" },
    env: "SVC_LOG_FILE",
    metavar: "FILE",
    otherSpellings: ["lf"],
    help: "Append the log to this file as well"
  },
  logFormat: {
    type: "choice",
    choices: ["text", "json"],
    default: "text",
    beyond: true,
    help: "Form of the log; json is one object a line"
  },
  reportfile: {
    type: "path",
    file: { what: "the report file", use: "written" },
    steps: fileSteps,
    common: true,
    metavar: "FILE",
    otherSpellings: ["r"],
    help: "Write a report of the run: JSON; a page when the name ends in .html, a section for MultiQC when it ends in _mqc.json"
  },
  samplesheet: {
    type: "path",
    file: { what: "the samplesheet", use: "written" },
    steps: fetchingSteps,
    metavar: "FILE",
    beyond: true,
    otherSpellings: ["sample-sheet", "sheet"],
    help: "Write a samplesheet for the next pipeline (.csv or .tsv): a row for each analysis, with the files that are there"
  },
  samplesheetColumns: {
    type: "text",
    steps: fetchingSteps,
    metavar: "NAME=FIELD,...",
    beyond: true,
    help: 'Its columns, such as patient=person,sample=sample,bam=bam,bai=bai; FIELD is one of analysis, sample, person, bam, bai, vcf, tbi, or a "TEXT" for all rows'
  },
  samplesheetPartial: {
    type: "flag",
    steps: fetchingSteps,
    beyond: true,
    help: "Keep rows that lack a wanted file, with an empty cell; without it they are left out"
  }
})

export const keys = {
  ...serviceKeys,
  ...selectionKeys,
  ...fileKeys,
  ...regionKeys,
  ...archiveKeys,
  ...networkKeys,
  ...logKeys
} satisfies Record<string, Key>

export type KeyName = keyof typeof keys

/** All rows with the wide type, for code that treats them alike. */
export const table: Readonly<Record<KeyName, Key>> = keys

/** All keys, in the order of the table. */
export const keyNames = Object.keys(keys) as ReadonlyArray<KeyName>

/** Those whose value nobody else may see. */
export const secretKeys: ReadonlyArray<KeyName> = keyNames.filter((name) => table[name].type === "secret")

/** The keys a step takes, in the order of the table. */
export const keysOf = (step: StepName): ReadonlyArray<KeyName> =>
  keyNames.filter((name) => table[name].steps.includes(step))
