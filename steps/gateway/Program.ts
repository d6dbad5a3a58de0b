/** The program of `svc-gateway`: check who may come, listen, log in, say where, and serve until a signal ends it, or a command. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberHandle from "effect/FiberHandle"
import * as FiberSet from "effect/FiberSet"
import * as Metric from "effect/Metric"
import * as Redacted from "effect/Redacted"
import * as Ref from "effect/Ref"
import * as Result from "effect/Result"
import { meaningOf, NotFound, TokenFileUnusable } from "../../core/src/Errors.ts"
import { ServiceAccess } from "../../core/src/serving/ServiceAccess.ts"
import type { Settings } from "../../core/src/settings/Settings.ts"
import { isLoopback } from "../../core/src/text/HostReach.ts"
import { shellWord } from "../../core/src/text/Printable.ts"
import { counted } from "../../core/src/text/Quantity.ts"
import { Scrubber } from "../../core/src/text/Scrubber.ts"
import { makeSignedLinks } from "../../gateway/Answers.ts"
import { start } from "../../gateway/Gateway.ts"
import { GatewaySettings, trusting } from "../../gateway/GatewaySettings.ts"
import { readGenes } from "../../gateway/Genes.ts"
import { genomeOf } from "../../gateway/Genome.ts"
import { tokenFileRefused } from "../../gateway/Metrics.ts"
import { parseReaders, type Readers } from "../../gateway/Readers.ts"
import * as Wiring from "../../gateway/Wiring.ts"
import { nameOf, outerAddresses } from "../../platform/http/Listener.ts"
import { mustBeReadable, textIn } from "../../platform/inputs/InputFile.ts"
import { exposure, readSmallFile } from "../../platform/inputs/PrivateFile.ts"
import { openLogFile, openStandardLog } from "../../platform/terminal/LogFile.ts"
import { makeServiceProgram, Stopping, valuesOf, withProblems } from "../main/Program.ts"
import { printLines } from "../main/StandardOutput.ts"
import type { ValuesOf } from "../main/Step.ts"
import { version } from "../main/Version.ts"
import { makeAccountCommand } from "./AccountCommand.ts"
import type { options } from "./GatewayStep.ts"

/** How long the gateway waits for the first login before it announces its address; the login goes on after that. */
const firstLogin = "5 seconds"

/** In ms; the process gives its finalizers a little more (GatewayStep.ts). */
const longestDrain = 600_000

/** A token file that is a pipe may say nothing for ever. */
const longestReload = "1 minute"

type Values = ValuesOf<typeof options>

interface Request extends Values {
  /** What runs for as long as it takes, and the gateway with it; no words where the gateway stands by itself. */
  readonly command: ReadonlyArray<string>
}

export const program = makeServiceProgram(
  (_settings, command, own) => {
    const values = valuesOf<typeof options>(own)
    const { allowOrigin, host, publicUrl, socket, tokenFile } = values
    const problems: Array<string> = []
    // Readers must show a token, that of the command too.
    const closed = tokenFile !== null || command.length > 0
    if (Duration.toMillis(values.drain) > longestDrain) problems.push("--drain takes 10 minutes at most")
    for (const address of values.trustProxy) {
      if (trusting([address]) === null) {
        problems.push(
          `Invalid value for --trustProxy: "${address}": expected an IP address or a network such as 10.0.0.0/8`
        )
      }
    }
    if (socket === null && !closed && !isLoopback(host)) {
      problems.push(`--host ${host} lets other computers in: give --tokenFile FILE with a secret that they must show`)
    }
    if (!closed && allowOrigin.includes("*")) {
      problems.push("--allowOrigin * lets every page of the web read: give --tokenFile FILE, or the origins")
    }
    for (const origin of allowOrigin) {
      if (origin !== "*" && !(URL.canParse(origin) && new URL(origin).origin === origin)) {
        problems.push(`Invalid value for --allowOrigin: "${origin}": expected an origin such as https://igv.org`)
      }
    }
    if (values.genome !== null && genomeOf(values.genome) === null) {
      problems.push(`Invalid value for --genome: "${values.genome}": expected a .fa, .fasta, .fna or .2bit`)
    }
    if (publicUrl !== null && !isPublicUrl(publicUrl)) {
      problems.push(`Invalid value for --publicUrl: "${publicUrl}": expected an http or https address without a query`)
    } else if (publicUrl !== null && !closed && !isLoopback(new URL(publicUrl).hostname)) {
      problems.push(
        `--publicUrl ${publicUrl} lets other computers in: give --tokenFile FILE with what readers must show`
      )
    }
    return withProblems(Result.succeed({ ...values, command }), problems)
  },
  Effect.fnUntraced(function* (settings: Settings, values: Request) {
    const { host, port, publicUrl, queueTimeout, redirect, relay, socket, tokenFile, trustProxy } = values
    const { allowOrigin, allowRestore, api, drain, genome, readerConnections, spoolLimit } = values
    const stopping = yield* Stopping
    const command = values.command.length === 0 ? null : yield* makeAccountCommand(values.command, settings)
    const serving = Effect.gen(function* () {
      const access = yield* ServiceAccess
      const url = yield* start
      const login = Effect.raceFirst(
        access.ask(() => Effect.void),
        access.lost
      )
      if (command !== null) {
        yield* login
        // When access is lost, such as by a new password, the command is told to end, and the error is ours.
        return yield* Effect.scoped(Effect.raceFirst(command.run(publicUrl ?? nameOf(url, host)), access.lost))
      }
      yield* Effect.timeoutOption(login, firstLogin)
      const addresses = socket === null ? outerAddresses(host, new URL(url).port || "80") : []
      const where = socket === null ? (addresses.length === 0 ? {} : { addresses }) : { socket }
      yield* printLines(JSON.stringify({ url, ...where }))
      // A gateway only serves, so one that is stopped by a signal has succeeded: exit code 0.
      yield* stopping.endWith(0)
      return yield* Effect.tapError(access.lost, () => stopping.endWith(null))
      // What is under way ends while what it needs is still there: the session, the questions and the links.
    }).pipe(Effect.scoped)
    return yield* Effect.gen(function* () {
      const shown = genome === null ? null : genomeOf(genome)
      for (const path of shown?.files.values() ?? []) {
        yield* Effect.mapError(mustBeReadable(path, "--genome"), (error) =>
          error._tag === "SvcNotFound" && path !== genome
            ? new NotFound({ what: error.what, detail: `samtools faidx ${shellWord(genome ?? "")} makes it` })
            : error
        )
      }
      const genes = values.genes === null ? null : yield* readGenes(values.genes)
      const files = yield* openFiles(values)
      return yield* serving.pipe(
        Effect.provideService(GatewaySettings, {
          allowOrigin,
          allowRestore,
          api: api || command !== null,
          spoolLimit,
          signedLinks: makeSignedLinks(),
          drain,
          readerConnections,
          // By redirect many tools show their token to the link host as well.
          relay: relay || ((tokenFile !== null || command !== null) && !redirect),
          trusts: trusting(trustProxy) ?? (() => false),
          ...files,
          ...(command === null ? {} : { readers: command.readers }),
          address: socket === null ? { host, port } : { socket },
          genome: shown,
          genes,
          publicUrl: publicUrl?.replace(/\/+$/, "") ?? null,
          version
        }),
        Effect.provide(Wiring.layer(settings, version, queueTimeout))
      )
    }).pipe(Effect.scoped)
  })
)

/** Who may read and where that is written down; SIGHUP has both files looked at again, and ends no reading. */
export const openFiles = Effect.fnUntraced(function* ({
  accessLog: path,
  accessLogRequired: required,
  tokenFile
}: Pick<Values, "accessLog" | "accessLogRequired" | "tokenFile">) {
  const run = yield* FiberSet.makeRuntime<never>()
  const report = (problem: string) => void run(Effect.logError(problem))
  const file = path === null ? null : path === "-" ? openStandardLog(1, report) : yield* openLogFile(path, report)
  const accessLog = file === null ? null : { write: (line: string) => file.append(`${line}\n`), required }
  if (tokenFile === null) {
    // The log is opened again by itself; standard output has no name for that.
    if (file !== null && path !== "-") yield* (yield* Stopping).onSignals(["SIGHUP"], () => {})
    return { accessLog, readers: null }
  }
  const readers = yield* Ref.make(yield* readTokenFile(tokenFile))
  const readAgain = readTokenFile(tokenFile).pipe(
    Effect.timeoutOrElse({
      duration: longestReload,
      orElse: () => new TokenFileUnusable({ path: tokenFile, reason: "nothing came out of it for a minute" })
    }),
    Effect.flatMap((found) =>
      Effect.andThen(
        Ref.set(readers, found),
        Effect.logInfo(`Read ${tokenFile} again: ${counted(found.size, "token")}`)
      )
    ),
    Effect.as(0),
    Effect.catch((error) => Effect.as(Effect.logError(`${error.message}; the readers of before stay`), 1)),
    Effect.flatMap((refused) => Metric.update(tokenFileRefused, refused))
  )
  // A later signal ends a reading that still waits.
  const reading = yield* FiberHandle.makeRuntime<never>()
  yield* (yield* Stopping).onSignals(["SIGHUP"], () => reading(readAgain))
  return { accessLog, readers }
})

/** Of a token file, in bytes: some ten thousand readers. */
const longest = 1024 * 1024

/** Whom the file names; from here on their tokens appear in no line of the log. Logs a warning when others may read the file. */
const readTokenFile = Effect.fn("svc.step.readTokenFile")(function* (
  path: string
): Effect.fn.Return<Readers, TokenFileUnusable> {
  const unusable = (reason: string) => new TokenFileUnusable({ path, reason })
  const scrubber = yield* Scrubber
  const file = yield* Effect.mapError(readSmallFile(path, longest), (errno) => unusable(meaningOf(errno)))
  yield* Effect.forEach(exposure(path, file), (warning) => Effect.logWarning(warning), { discard: true })
  if (file.bytes.length > longest) return yield* unusable("it is longer than 1 MB")
  const text = yield* textIn(file.bytes, unusable)
  const { readers, tokens } = yield* Effect.fromResult(Result.mapError(parseReaders(text), unusable))
  for (const token of tokens) scrubber.protect(Redacted.make(token))
  return readers
})

const isPublicUrl = (text: string) => /^https?:\/\/[^?#@]+$/.test(text) && URL.canParse(text)
