import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as CliConfig from "effect/cli/CliConfig"
import type * as CliError from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import type * as HelpDoc from "effect/cli/HelpDoc"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import type * as Option from "effect/Option"
import * as EffectRecord from "effect/Record"
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
import product from "../package.json" with { type: "json" }
import { DurationText } from "./Behaviour.ts"
import { start } from "./Sandbox.ts"

const text = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.optional, Flag.withDescription(description))
const number = (name: string, description: string) =>
  Flag.Int(name).pipe(Flag.withMetavar("N"), Flag.withDescription(description))
const port = (name: string, description: string) =>
  number(name, description).pipe(
    Flag.filter(
      (port) => port >= 0 && port <= 65_535,
      () => "a port from 0 to 65535"
    ),
    Flag.optional
  )
const time = (name: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withMetavar("TIME"),
    Flag.withSchema(DurationText),
    Flag.optional,
    Flag.withDescription(description)
  )

// One line per option; each names its default, because the help of effect/cli does not.
const serving = {
  port: port("port", "Port of the API (default 0: any free one)"),
  linkPort: port("linkPort", "Port of the host that serves the files (default 0: any free one)"),
  host: text("host", "TEXT", "Address to listen on (default 127.0.0.1)"),
  data: text("data", "DIR", "Serve the BAM and VCF files of this folder; *.archived.bam start archived"),
  world: text(
    "world",
    "FILE",
    "JSON file: behaviour of the service, and accounts, persons, analyses and files to add or change"
  ),
  faults: text("faults", "FILE", "JSON list of faults; POST /__sandbox/faults replaces them")
}

/** They go before what the world file says. */
const behaviour = {
  ids: Flag.Literals("ids", ["text", "numeric"]).pipe(
    Flag.withMetavar("WORD"),
    Flag.optional,
    Flag.withDescription("Ids A1, A2, ... or JSON integers (default text)")
  ),
  seed: number("seed", "Seed of all generated files and annotations (default 1)").pipe(Flag.optional),
  restoreDelay: time("restoreDelay", "How long an archived file takes to come back (default 3s)"),
  linkLifetime: time("linkLifetime", "How long a download link is good (default 1h)"),
  strict: Flag.Boolean("strict").pipe(
    Flag.optional,
    Flag.withDescription("End all sessions of an account when its requests overlap: 302 with HTML, then 403")
  )
}

type Given<Options> = { readonly [K in keyof Options]?: Options[K] extends Option.Option<infer A> ? A : never }

const givenOf = <Options extends Readonly<Record<string, Option.Option<unknown>>>>(options: Options) =>
  EffectRecord.getSomes(options) as Given<Options>

/** Starts the sandbox, prints where it is as one line of JSON on standard output, and serves until it is interrupted. */
export const sandboxCommand = (name: string) =>
  Command.make(name, { serving, behaviour }, ({ behaviour, serving }) =>
    Effect.gen(function* () {
      const sandbox = yield* start({
        ...givenOf(serving),
        behaviour: givenOf(behaviour)
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
      { command: "svc-sandbox", description: "small generated files and records" },
      {
        command: "svc-sandbox --data runs/ --port 8080 --linkPort 8081",
        description: "the BAM and VCF files of a folder"
      },
      { command: "svc-sandbox --strict --linkLifetime 2s --restoreDelay 10m", description: "a difficult service" }
    ])
  )

/** What the command line answers, in the words of whoever starts it. */
export interface Words {
  readonly help: (document: HelpDoc.HelpDoc) => string
  /** What is wrong with the arguments. */
  readonly wrong: (
    document: HelpDoc.HelpDoc,
    argv: ReadonlyArray<string>,
    errors: ReadonlyArray<CliError.NonShowHelpErrors>
  ) => string
}

const presenterWith = (argv: ReadonlyArray<string>, { help, wrong }: Words): CliOutput.Presenter => ({
  present: (event) =>
    event._tag === "Help"
      ? Console.log(help(event.helpDoc))
      : event._tag === "Version"
        ? Console.log(event.version)
        : Console.error(wrong(event.helpDoc, argv, event.errors))
})

const builtIns = [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions, GlobalFlag.LogLevel] as const

class Usage extends Schema.TaggedError<Usage>()("Usage", {}) {
  override readonly [Runtime.errorExitCode] = 64
}

/** Reads the arguments and runs. When it fails, standard error already says why. */
const runSandbox = (argv: ReadonlyArray<string>, words: Words) =>
  Command.runWith(sandboxCommand("svc-sandbox"), { version: product.version })(argv).pipe(
    Effect.catchTag("ShowHelp", (help) => (help.errors.length === 0 ? Effect.void : Effect.fail(new Usage()))),
    Effect.tapErrorTag(["SvcSandboxInputUnusable", "SvcSandboxInputMalformed", "SvcListenFailed"], (error) =>
      Console.error(`Error: ${error.message}`)
    ),
    Effect.provideService(CliOutput.Presenter, presenterWith(argv, words)),
    Effect.provideService(CliConfig.CliConfig, CliConfig.make({ builtIns }))
  )

const Edge = Layer.mergeAll(NodeServices.layer, Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)]))

/** The process of `svc-sandbox`. Exit codes: 0 when a signal ended it, 64 usage, 65 and 66 an input, 69 a port, 1 a defect. */
export const serve = (argv: ReadonlyArray<string>, words: Words): void =>
  runSandbox(argv, words).pipe(
    Effect.provide(Edge),
    NodeRuntime.runMain({
      disableErrorReporting: true,
      teardown: (exit, onExit) => {
        if (Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)) return onExit(0)
        // What fails has been said; a defect has not.
        if (Cause.hasDies(exit.cause)) process.stderr.write(`Error: Internal error (${Cause.squash(exit.cause)})\n`)
        onExit(Runtime.getErrorExitCode(Cause.squash(exit.cause)))
      }
    })
  )
