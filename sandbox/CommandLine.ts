import * as Console from "effect/Console"
import * as CliConfig from "effect/cli/CliConfig"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import product from "../package.json" with { type: "json" }
import { start } from "./Sandbox.ts"
import { defaultSwitches, type SwitchValues } from "./Switches.ts"

const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** `500ms`, `3s`, `1h`: a number and a unit. */
const DurationText = Schema.String.pipe(
  Schema.check(Schema.isPattern(/^\d+(\.\d+)?(ms|s|m|h|d)$/, { message: "a duration like 500ms, 3s, 10m or 1h" })),
  Schema.decodeTo(Schema.Duration, {
    decode: SchemaGetter.transform((text: string) => {
      const unit = text.replace(/^[\d.]+/, "") as keyof typeof units
      return Duration.millis(Number.parseFloat(text) * units[unit])
    }),
    encode: SchemaGetter.transform((duration: Duration.Duration) => `${Duration.toMillis(duration)}ms`)
  })
)

// One line per option; each names its default, because the help of effect/cli does not.
const described =
  (text: string, standard: string) =>
  <A>(flag: Flag.Flag<A>) =>
    Flag.withDescription(flag, `${text} [${standard}]`)
const number = (name: string, standard: number, text: string) =>
  Flag.Int(name).pipe(Flag.withMetavar("N"), Flag.withDefault(standard), described(text, `${standard}`))
const port = (name: string, text: string) =>
  number(name, 0, text).pipe(
    Flag.filter(
      (port) => port >= 0 && port <= 65_535,
      () => "a port from 0 to 65535"
    )
  )
const toggle = (name: string, text: string) =>
  Flag.Boolean(name).pipe(Flag.withDefault(false), Flag.withDescription(text))
const word = (name: string, standard: string, text: string) =>
  Flag.String(name).pipe(Flag.withMetavar("TEXT"), Flag.withDefault(standard), described(text, standard))
const path = (name: string, metavar: string, text: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.optional, Flag.withDescription(text))
const choice = <const Words extends ReadonlyArray<string>>(
  name: string,
  words: Words,
  standard: NoInfer<Words[number]>,
  text: string
) => Flag.Literals(name, words).pipe(Flag.withMetavar("WORD"), Flag.withDefault(standard), described(text, standard))
const time = (name: string, standard: string, text: string) =>
  Flag.String(name).pipe(
    Flag.withMetavar("TIME"),
    Flag.withDefault(standard),
    Flag.withSchema(DurationText),
    described(text, standard)
  )

const serving = {
  port: port("port", "port of the API, 0 for any free one"),
  linkPort: port("linkPort", "port of the host that serves the files, 0 for any free one"),
  host: word("host", "127.0.0.1", "address to listen on"),
  keepAlive: time("keepAlive", "5s", "how long an idle connection is kept"),
  data: path("data", "DIR", "serve the BAM and VCF files of this folder; *.archived.bam start archived"),
  world: path("world", "FILE", "JSON file with accounts, persons, analyses and files to add or change"),
  faults: path("faults", "FILE", "JSON list of faults; POST /__sandbox/faults replaces them")
}

const standard = defaultSwitches

const switches = {
  ids: choice("ids", ["text", "numeric"], standard.ids, "ids A1, A2, ... or JSON integers"),
  seed: number("seed", standard.seed, "seed of all generated files and records"),
  restoreDelay: time("restoreDelay", "3s", "how long an archived file takes to come back"),
  rearchiveAfter: Flag.String("rearchiveAfter").pipe(
    Flag.withMetavar("TIME"),
    Flag.withSchema(DurationText),
    Flag.map((value): Duration.Duration | null => value),
    Flag.withDefault(null),
    described("a restored file goes back to the archive after this time", "never")
  ),
  linkLifetime: time("linkLifetime", "1h", "how long a download link is good"),
  annotationRows: number(
    "annotationRows",
    standard.annotationRows,
    "rows of each annotations body, made while it is read"
  ),
  allowCors: toggle("allowCors", "serve requests with Sec-Fetch-Mode: cors, which the service refuses"),
  strict: toggle("strict", "end all sessions of an account when its requests overlap: 302 with HTML, then 403"),
  overlapLimit: number(
    "overlapLimit",
    standard.overlapLimit,
    "with --strict: how many requests of an account may be in flight at once"
  ),
  cookieName: word("cookieName", standard.cookieName, "name of the session cookie"),
  initialSession: choice(
    "initialSession",
    ["both", "base", "authenticate"],
    standard.initialSession,
    "where the first cookie and token come from: /, /authenticate, or both"
  ),
  initialHead: choice(
    "initialHead",
    ["answered", "405", "501"],
    standard.initialHead,
    "HEAD for the first cookie and token is answered, or refused with this status"
  ),
  badLogin: choice("badLogin", ["html", "json", "empty"], standard.badLogin, "body of the 200 that rejects a login"),
  loginRedirect: toggle("loginRedirect", "a good login answers 302 instead of 200"),
  rotateToken: toggle("rotateToken", "each answer carries a new token, and only the newest is good"),
  forbiddenStatus: number("forbiddenStatus", standard.forbiddenStatus, "status for a dead session or a wrong token"),
  forbiddenBody: choice(
    "forbiddenBody",
    ["html", "json", "empty"],
    standard.forbiddenBody,
    "body for a dead session or a wrong token"
  ),
  sizes: choice("sizes", ["present", "null", "absent"], standard.sizes, "the size of a listed file"),
  archivedLink: choice(
    "archivedLink",
    ["null", "absent", "dead"],
    standard.archivedLink,
    "the download link of an archived file"
  ),
  linkTokenLength: number("linkTokenLength", standard.linkTokenLength, "characters of the security token in a link"),
  restoreEstimation: word(
    "restoreEstimation",
    standard.restoreEstimation,
    "real, null, absent, or a text to send as it is"
  ),
  restoreAgain: choice(
    "restoreAgain",
    ["same", "later", "refuse"],
    standard.restoreAgain,
    "answer to a second restore request: same time, later time, or no"
  ),
  restoreOnline: choice(
    "restoreOnline",
    ["now", "null", "refuse"],
    standard.restoreOnline,
    "answer to a restore request for files that are not archived"
  ),
  personRestoreField: Flag.String("personRestoreField").pipe(
    Flag.withMetavar("NAME"),
    Flag.map((value): string | null => value),
    Flag.withDefault(null),
    described("form field with the LIMS id in POST /archive/person/restore", "no such call")
  ),
  reports: choice("reports", ["served", "500"], standard.reports, "case reports, or status 500 for each of them"),
  annotationHeader: choice(
    "annotationHeader",
    ["last", "first"],
    standard.annotationHeader,
    "place of the header in an annotations body"
  )
} satisfies { readonly [K in keyof SwitchValues]: Flag.Flag<SwitchValues[K]> }

/** Starts the sandbox, prints where it is as one line of JSON on standard output, and serves until it is interrupted. */
export const sandboxCommand = (name: string) =>
  Command.make(name, { serving, switches }, ({ serving: { data, faults, keepAlive, world, ...listening }, switches }) =>
    Effect.gen(function* () {
      const sandbox = yield* start({
        ...listening,
        keepAlive: Duration.toMillis(keepAlive),
        ...Option.match(data, { onNone: () => ({}), onSome: (data) => ({ data }) }),
        ...Option.match(world, { onNone: () => ({}), onSome: (world) => ({ world }) }),
        ...Option.match(faults, { onNone: () => ({}), onSome: (faults) => ({ faults }) }),
        switches
      })
      const { linkHost, password, url, user } = sandbox
      yield* Console.log(JSON.stringify({ url, user, password, linkHost }))
      return yield* Effect.never
    }).pipe(Effect.scoped)
  ).pipe(
    Command.withDescription(
      "The service in a box, to develop and test against without an account or patient data. Prints one line of JSON when it is ready: url, user, password, linkHost. GET /__sandbox/stats shows its counters."
    ),
    Command.withExamples([
      { command: "svc-sandbox", description: "Serve small generated files and records" },
      {
        command: "svc-sandbox --data runs/ --port 8080 --linkPort 8081",
        description: "Serve the BAM and VCF files of a folder"
      },
      { command: "svc-sandbox --strict --linkLifetime 2s --restoreDelay 10m", description: "A difficult service" }
    ])
  )

const presenter: CliOutput.Presenter = {
  present: (event) =>
    event._tag === "Help"
      ? CliOutput.defaultPresenter.present(event)
      : event._tag === "Version"
        ? Console.log(event.version)
        : Console.error(`svc-sandbox: ${event.errors.map((error) => error.message).join("\n")}\nSee svc-sandbox --help`)
}

const builtIns = [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions, GlobalFlag.LogLevel] as const

class Usage extends Schema.TaggedError<Usage>()("Usage", {}) {
  override readonly [Runtime.errorExitCode] = 64
}

/** Reads the arguments and runs. When it fails, standard error already says why. */
export const runSandbox = (argv: ReadonlyArray<string>) =>
  Command.runWith(sandboxCommand("svc-sandbox"), { version: product.version })(argv).pipe(
    Effect.catchTag("ShowHelp", (help) => (help.errors.length === 0 ? Effect.void : Effect.fail(new Usage()))),
    Effect.tapErrorTag(["SvcSandboxInputUnusable", "SvcSandboxInputMalformed", "SvcListenFailed"], (error) =>
      Console.error(`svc-sandbox: ${error.message}`)
    ),
    Effect.provideService(CliOutput.Presenter, presenter),
    Effect.provideService(CliConfig.CliConfig, CliConfig.make({ builtIns }))
  )
