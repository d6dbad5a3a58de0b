/**
 * What every executable does when it really runs: read the command line, gather and check the settings, start the log,
 * run the step, say why it failed, exit with its code.
 */
import { join, resolve } from "node:path"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as NodeStdio from "@effect/platform-node/NodeStdio"
import * as Cause from "effect/Cause"
import type * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Runtime from "effect/Runtime"
import * as EffectTerminal from "effect/Terminal"
import { AdviceOf, codeOf, ExitCodes, LocalIo, sentenceOf } from "../../core/src/Errors.ts"
import { type KeyName, table } from "../../core/src/settings/Keys.ts"
import { idListsOf, namedFile } from "../../core/src/settings/NamedFiles.ts"
import {
  decode,
  environmentLayer,
  environmentWarnings,
  type Layers,
  type LocalSettings,
  type Layer as SettingLayer
} from "../../core/src/settings/Settings.ts"
import { keepAccount } from "../../core/src/settings/Target.ts"
import { proxyOf, validate, warningsOf } from "../../core/src/settings/Validation.ts"
import { printable } from "../../core/src/text/Printable.ts"
import { makeScrubber, Scrubber } from "../../core/src/text/Scrubber.ts"
import { withIdFiles } from "../../platform/inputs/InputFile.ts"
import { findConfigFile, noConfigFile, readConfigFile } from "../../platform/inputs/PrivateFile.ts"
import * as LogOutput from "../../platform/terminal/LogOutput.ts"
import { makeScreen, Screen } from "../../platform/terminal/Screen.ts"
import * as Terminal from "../../platform/terminal/Terminal.ts"
import { adviceOf } from "./Advice.ts"
import { type CommandLine, readCommandLine, readDispatcher, textOf } from "./CommandLine.ts"
import { type Called, hintsFor } from "./Hints.ts"
import { userFolder } from "./NodeSetup.ts"
import { defectSentence, type ProcessRun, runProcess } from "./ProcessRun.ts"
import {
  CommandText,
  combinationsOf,
  decodeOwn,
  outputNamed,
  type Program,
  type StepFailure,
  Stopping,
  type Work
} from "./Program.ts"
import type { Method, Step, StepFamily } from "./Step.ts"
import { version } from "./Version.ts"

/** Effect's own way to start programs is nobody's; the one command that is started gets no secret of ours but a token (platform/ChildCommand.ts). */
const noChildren = Layer.succeed(
  ChildProcessSpawner.ChildProcessSpawner,
  ChildProcessSpawner.make(() => Effect.die("steps start no programs"))
)

const notAsked = Effect.die("the command line asks no questions: that is for the Operator")

/** The terminal of `@effect/platform-node` opens standard input and loads `node:readline`; here effect/cli never asks a question. */
const noQuestions = Layer.succeed(
  EffectTerminal.Terminal,
  EffectTerminal.make({
    columns: notAsked,
    rows: notAsked,
    size: notAsked,
    readInput: notAsked,
    readLine: notAsked,
    display: () => notAsked
  })
)

const node = Layer.mergeAll(NodeFileSystem.layer, NodePath.layer, NodeStdio.layer, noQuestions, noChildren)

/** The program of a step or of a method of a family. */
export type ProgramOf = (step: Step | Method) => Promise<Program>

/**
 * Runs a step to the end of this process, or answers what a family itself is asked.
 *
 * @param guardWarnings - sentences for the log
 */
export type Main = (
  step: Step | StepFamily,
  calledAs: string,
  argv: ReadonlyArray<string>,
  guardWarnings: ReadonlyArray<string>
) => void

export const mainOf =
  (programOf: ProgramOf): Main =>
  (step, calledAs, argv, guardWarnings) => {
    const read = Effect.gen(function* () {
      const commandLine = yield* readCommandLine(step, argv)
      if (commandLine === null) return null
      return { ...commandLine, program: yield* Effect.promise(() => programOf(commandLine.step)) }
    })
    startProcess({ step, calledAs }, read, guardWarnings)
  }

/** Prints the completions of `svc-steps`. */
export const mainOfDispatcher = (...about: Parameters<typeof readDispatcher>): void =>
  startProcess({ step: null, calledAs: "svc-steps" }, Effect.as(readDispatcher(...about), null), [])

/** A command line with the program that it is for. */
interface Call extends CommandLine {
  readonly program: Program
}

const startProcess = (
  called: Called,
  read: Effect.Effect<Call | null, StepFailure, Command.Environment>,
  guardWarnings: ReadonlyArray<string>
): void => {
  const { calledAs } = called
  const grace = called.step !== null && "grace" in called.step ? called.step.grace : undefined
  const scrubber = makeScrubber()
  const screen = makeScreen(process.stderr, process.env, scrubber.prose)
  const stderrLog = (settings: LogOutput.LogSettings) => LogOutput.layerStderr(settings, scrubber, screen)
  const earlyLog = (format: LogOutput.LogSettings["format"]) => stderrLog({ level: "warn", format })

  const whole = (run: ProcessRun) => {
    const reported = reporter(run, called)

    const runSettled = ({ program, ...commandLine }: Call) =>
      Effect.gen(function* () {
        const { step } = commandLine
        const { lists, own, problems, settings, warnings } = yield* settle(commandLine)
        protectSecrets(scrubber, settings)
        const asked = program(settings, commandLine.operands, own)
        const takes = (key: KeyName) => table[key].steps.includes(step.name)
        const named = Object.entries(step.options ?? {}).flatMap(([name, it]) => namedFile(it, own.values[name]))
        const files = [...named, ...lists]
        const valid = validate(settings, { service: step.service, takes, files }, problems, asked)
        const allWarnings = [...guardWarnings, ...warnings, ...warningsOf(settings)]
        const warn = (sentences: ReadonlyArray<string>) =>
          Effect.forEach(sentences, (it) => Effect.logWarning(it), { discard: true })
        // Standard error is that of the command.
        const commands = step.operands?.isCommand === true && commandLine.operands.length > 0
        const quiet = commands && settings.logfile === null && !settings.given("loglevel")
        const form = {
          level: quiet ? "warn" : settings.loglevel,
          format: settings.logFormat,
          failuresOnly: commands && settings.logfile !== null
        } as const
        const log =
          settings.logfile === null ? stderrLog(form) : LogOutput.layerFile(settings.logfile, form, scrubber, screen)
        const runLogged = (work: Work) => {
          const traced = Effect.andThen(warn(allWarnings), traceStep(step, work))
          return Effect.gen(function* () {
            yield* LogOutput.inFileOnly(beginning(calledAs, settings, takes("destination")))
            yield* outliveTerminal(run)
            const code = yield* reported(traced, settings.loglevel, settings)
            yield* LogOutput.inFileOnly(endingOf(code))
            return code
          }).pipe(Effect.provide(log))
        }
        // A mistyped name is often why something else is missing.
        const judged = Effect.tapError(valid, () => warn(warnings))
        return yield* reported(Effect.flatMap(judged, runLogged), "info").pipe(
          Effect.provide(earlyLog(settings.logFormat)),
          Effect.provideService(CommandText, textOf(calledAs, commandLine, scrubber.prose))
        )
      })

    const parsed = Effect.gen(function* () {
      yield* Effect.try({
        try: () => process.cwd(),
        catch: () => new LocalIo({ path: "the current folder", operation: "use", errno: "ENOENT" })
      })
      const call = yield* read
      return call === null ? 0 : yield* runSettled(call)
    })
    return reported(parsed, "info").pipe(
      Effect.provide(
        Layer.mergeAll(earlyLog("text"), node, Terminal.layer, Layer.succeed(Screen, screen), stoppingOf(run)).pipe(
          Layer.provideMerge(Layer.mergeAll(Layer.succeed(Scrubber, scrubber), Layer.succeed(AdviceOf, adviceOf)))
        )
      )
    )
  }
  runProcess(whole, (message) => screen.line(printable(`Error: ${scrubber.prose(message)}`)), grace)
}

/** The first line of a log file: which program it was, what it was for, and the file that it was told it by. */
const beginning = (calledAs: string, { config, destination, target }: LocalSettings, writes: boolean): string => {
  const where = writes ? `, folder ${resolve(destination)}` : ""
  const by = config === null ? "" : `, settings of ${resolve(config)}`
  return `${calledAs} ${version} begins${target === null ? "" : `, target ${target}`}${where}${by}`
}

/** Its last line. */
const endingOf = (code: number): string =>
  `Ended with exit code ${code}: ${(ExitCodes as Readonly<Record<number, string>>)[code] ?? (code > 128 ? "stopped by a signal" : "that of its command")}`

/**
 * Without a terminal for what it says, a run does not end with the terminal that it was started from: Node takes back that
 * `nohup` has SIGHUP ignored, and such a run died at the logout.
 */
const outliveTerminal = Effect.fnUntraced(function* (run: ProcessRun) {
  if (process.stderr.isTTY) return
  const context = yield* Effect.context<never>()
  let said = false
  run.onSignals(["SIGHUP"], () => {
    if (said) return
    said = true
    Effect.runForkWith(context)(Effect.logInfo("The terminal has gone (SIGHUP): the run goes on"))
  })
})

/** The span of a whole step; it and all in it leave the process when a variable names a collector. */
const traceStep = <E, R>(step: Step, start: Effect.Effect<number, E, R>): Effect.Effect<number, E, R> => {
  const spanned = start.pipe(
    Effect.tap((exit) => Effect.annotateCurrentSpan({ "svc.exit": exit })),
    Effect.withSpan(`svc.step.${step.name}`)
  )
  if (step.offline === true || (process.env["OTEL_EXPORTER_OTLP_ENDPOINT"] ?? "") === "") return spanned
  return Effect.promise(() => import("../../platform/Telemetry.ts")).pipe(
    Effect.flatMap(({ layer }) => Effect.provide(spanned, layer(`svc-${step.name}`, version)))
  )
}

/** All secrets that the settings hold; the session registers its own as they come. */
const protectSecrets = (scrubber: Scrubber, settings: LocalSettings): void => {
  scrubber.protect(settings.password)
  scrubber.protect(settings.token)
  scrubber.protect(settings.proxyPassword)
  const { password = null, username = "" } = Result.getOrElse(proxyOf(settings), () => null) ?? {}
  if (password === null) return
  scrubber.protect(password)
  scrubber.protect(Redacted.make(Base64.encode(`${username}:${Redacted.value(password)}`)))
}

const stoppingOf = ({ endWith, onSignals }: ProcessRun) =>
  Layer.succeed(Stopping, {
    endWith: (code) => Effect.sync(() => endWith(code)),
    onSignals: (some, act) =>
      Effect.acquireRelease(
        Effect.sync(() => onSignals(some, act)),
        () => Effect.sync(() => onSignals(some, null))
      )
  })

/**
 * The configuration file: the one that is named, else that of the user's configuration folder, if it is there. A step without a network
 * needs none, and takes what its command line names.
 */
const configFor = (step: Step, commandLine: SettingLayer, environment: SettingLayer) => {
  const named = (step.offline === true ? commandLine.config : (commandLine.config ?? environment.config))?.at(-1)
  // An empty path is reported together with all other invalid values.
  if (named !== undefined) return named === "" ? Effect.succeed(noConfigFile) : readConfigFile(named)
  const folder = step.offline === true ? null : userFolder("XDG_CONFIG_HOME", ".config")
  return folder === null ? Effect.succeed(noConfigFile) : findConfigFile(join(folder, "svc-steps", "config.json"))
}

/** The settings of all layers, with what is wrong with their values. */
const settle = Effect.fnUntraced(function* ({ step, ...commandLine }: CommandLine) {
  const environment = environmentLayer(process.env)
  const file = yield* configFor(step, commandLine.layer, environment)
  const given: Layers = {
    commandLine: yield* withIdFiles(commandLine.layer, "command line"),
    environment,
    file: yield* withIdFiles(file.layer, "configuration file")
  }
  const { layers, warnings } = keepAccount(given, table.token.steps.includes(step.name))
  const decoded = decode(step.name, layers)
  const { own, problems } = decodeOwn(step.options ?? {}, commandLine.own)
  const output = outputNamed(step, own)
  const combined = combinationsOf(step, decoded.settings, commandLine.operands, own)
  return {
    ...decoded,
    lists: [commandLine.layer, file.layer].flatMap(idListsOf),
    own,
    problems: [...problems, ...decoded.problems, ...combined, ...output.problems],
    warnings: [...environmentWarnings(process.env), ...file.warnings, ...warnings, ...output.warnings]
  }
})

/** Turns a failure into its message and exit code. An interruption goes on, after its reason was said. */
const reporter =
  (run: ProcessRun, called: Called) =>
  <R>(
    effect: Effect.Effect<number, StepFailure, R>,
    loglevel: string,
    settings: LocalSettings | null = null
  ): Effect.Effect<number, never, R> =>
    effect.pipe(
      Effect.catchCause((cause) =>
        Effect.gen(function* () {
          const error = Option.getOrNull(Cause.findErrorOption(cause))
          if (error === null) {
            yield* LogOutput.failure(defectSentence(Cause.squash(cause)), { code: "Defect", exit: 1 })
            if (loglevel === "debug") yield* Effect.logDebug("internal error:", cause)
            return 1
          }
          const exit = Runtime.getErrorExitCode(error)
          yield* LogOutput.failure(sentenceOf(adviceOf)(error), { code: codeOf(error), exit })
          yield* Effect.forEach(hintsFor(error, called, settings, process.env), LogOutput.hint, { discard: true })
          return exit
        })
      ),
      Effect.onInterrupt(() =>
        Effect.suspend(() => {
          const reason = run.takeReason()
          if (reason === null) return Effect.void
          const said = reason.wanted ? Effect.logInfo(reason.why) : LogOutput.failure(reason.why)
          return Effect.andThen(said, LogOutput.inFileOnly(endingOf(reason.code)))
        })
      )
    )
