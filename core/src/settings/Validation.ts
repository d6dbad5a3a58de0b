/**
 * The rules that settings must keep (docs/dev/service.md 7), checked in one pass: before any network contact and
 * before anybody is asked for a password.
 */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { CredentialsMissing, type LocalIo, NotFound, UsageError } from "../Errors.ts"
import { isLoopback } from "../text/HostReach.ts"
import { type KeyName, secretKeys, table } from "./Keys.ts"
import { destinationProblem, filesOf, type NamedFile, namedLikeData, sharedFiles, typeAt } from "./NamedFiles.ts"
import { Operator } from "./Operator.ts"
import { type LocalSettings, nameAt, type ProxyAddress, type Settings, type TargetSettings } from "./Settings.ts"
import { resolveProxy, resolveTarget } from "./Target.ts"

/** What is wrong with settings. One sentence each, without `Error: `. */
export type Problems = ReadonlyArray<string>

const givenAmong = (settings: LocalSettings, ...names: ReadonlyArray<KeyName>) =>
  names.filter((name) => isOn(settings[name]))

const isOn = (value: LocalSettings[KeyName]) => value !== null && value !== false

/** `--range and bed in the configuration file`: names each key by the place where it was set. */
const namesWithSource = (settings: LocalSettings, names: ReadonlyArray<KeyName>) =>
  names.map((name) => nameAt(name, settings.source(name))).join(" and ")

/** Settings that do nothing beside the others: worth a line in the log. */
export const warningsOf = (settings: LocalSettings): ReadonlyArray<string> => {
  const warnings: Array<string> = []
  const idle = givenAmong(settings, "proxyUsername", "proxyPassword")
  if (settings.proxy === null && idle.length > 0) {
    warnings.push(`${namesWithSource(settings, idle)}: no effect without --proxy`)
  }
  for (const key of secretKeys.filter((key) => settings.source(key) === "command line")) {
    warnings.push(`--${key} can be read by other users of this computer while it runs: ${table[key].env} is safer`)
  }
  const base = baseUrlOf(settings)
  if (Result.isSuccess(base) && base.success.protocol === "http:" && !isLoopback(base.success.hostname)) {
    const secret = givenAmong(settings, "token", "tokenFile").length > 0 ? "token" : "password"
    warnings.push(`${base.success.origin} is not encrypted: the ${secret} travels in clear text`)
  }
  if (settings.resumeArchivedDownloads) {
    const chosen = ["analysisIds", "sampleIds", "limsIds", "filters"] as const
    const unused = chosen.filter((name) => settings[name].length > 0)
    if (unused.length > 0) {
      warnings.push(
        `${namesWithSource(settings, unused)}: no effect with --resumeArchivedDownloads, which resumes all that is stored`
      )
    }
  }
  return warnings
}

/** The address of the service; a failure names the place where it was set. */
export const baseUrlOf = (settings: LocalSettings): Result.Result<URL, string> =>
  resolveTarget(settings.target, settings.baseUrl, (key) => nameAt(key, settings.source(key)))

/** The proxy of the settings; a failure names the place where it was set. */
export const proxyOf = (settings: LocalSettings): Result.Result<ProxyAddress | null, string> =>
  resolveProxy(
    settings.proxy,
    settings.proxyUsername,
    settings.proxyPassword,
    nameAt("proxy", settings.source("proxy"))
  )

export interface Rules {
  /** The step needs the service: a target, something selected, and a destination that exists. */
  readonly service: boolean
  /** The step takes these keys; rules about others do not apply. */
  readonly takes: (key: KeyName) => boolean
  /** The files that options of the step's own name. */
  readonly files: ReadonlyArray<NamedFile>
}

/**
 * What the step made of its settings, when nothing is wrong with them. Fails with all that is wrong as one UsageError, one
 * line per problem; found last are a missing BED or CA file, NotFound, and a path that cannot be looked at, LocalIo.
 *
 * @param found - what is wrong with the options themselves, and beside one another
 * @param parsed - what the step makes of the settings, or what it finds wrong
 */
export const validate = Effect.fn("svc.settings.validate")(function* <A>(
  settings: LocalSettings,
  rules: Rules,
  found: Problems,
  parsed: Result.Result<A, Problems>
): Effect.fn.Return<A, UsageError | NotFound | LocalIo, FileSystem.FileSystem | Path.Path> {
  const problems: Array<string> = []
  if (rules.service) {
    const base = baseUrlOf(settings)
    if (Result.isFailure(base)) problems.push(base.failure)
  }
  if (settings.service !== null) {
    const service = resolveTarget(settings.service, null, () => nameAt("service", settings.source("service")))
    if (Result.isFailure(service)) problems.push(service.failure)
  }
  problems.push(...found, ...(Result.isFailure(parsed) ? parsed.failure : []))
  const needsFolder = rules.service && rules.takes("destination")
  const destination = yield* Effect.result(
    needsFolder ? destinationProblem(settings.destination) : Effect.succeed(null)
  )
  if (Result.isSuccess(destination) && destination.success !== null) problems.push(destination.success)
  const proxy = proxyOf(settings)
  if (Result.isFailure(proxy)) problems.push(proxy.failure)
  const selected = settings.analysisIds.length + settings.sampleIds.length + settings.limsIds.length > 0
  if (rules.takes("analysisIds") && !selected && !settings.resumeArchivedDownloads) {
    const resume = rules.takes("resumeArchivedDownloads") ? ", or use --resumeArchivedDownloads" : ""
    const ways = rules.takes("sampleIds") ? "at least one of --analysisIds, --sampleIds and --limsIds" : "an analysis"
    problems.push(`Nothing is selected: give ${ways}${resume}${wayToAll(settings)}`)
  }
  const files = filesOf(settings, rules.takes)
  problems.push(...(yield* namedLikeData([...files, ...rules.files])))
  problems.push(...(yield* sharedFiles([...files, ...rules.files])))
  if (Result.isFailure(parsed) || problems.length > 0) {
    return yield* new UsageError({ message: [...new Set(problems)].join("\n") })
  }

  yield* Effect.fromResult(destination)
  for (const [path, what] of [
    [settings.bed, "BED file"],
    [settings.caFile, "CA file"]
  ] as const) {
    const there = path === null ? "File" : yield* typeAt(path)
    if (there === null) return yield* new NotFound({ what: `${what} ${path}` })
    if (there === "Directory") return yield* new NotFound({ what: `${what} ${path}`, detail: "it is a folder" })
  }
  return parsed.success
})

/** For who thinks that filters select: a mistake in a script must not fetch all that a laboratory has. */
const wayToAll = (settings: LocalSettings): string => {
  const narrowing = [...(settings.filters.length > 0 ? ["filters" as const] : []), ...givenAmong(settings, "latest")]
  return narrowing.length === 0
    ? ""
    : `; nothing is selected by ${namesWithSource(settings, narrowing)} alone. For all analyses give -a @- the ids of: svc-api get-analyses --format jsonl | jq -r .id`
}

/** Validated settings with the addresses of their target and proxy. */
export const locateTarget = Effect.fnUntraced(function* (
  settings: LocalSettings
): Effect.fn.Return<TargetSettings, UsageError> {
  const fromRule = <A>(result: Result.Result<A, string>) =>
    Effect.mapError(Effect.fromResult(result), (message) => new UsageError({ message }))
  const baseUrl = yield* fromRule(baseUrlOf(settings))
  const proxy = yield* fromRule(proxyOf(settings))
  return { ...settings, target: settings.target?.trim() ?? "", baseUrl, proxy }
})

/**
 * Validated settings made complete for a step that logs in. User name and password are asked for at the terminal when
 * nothing gives them; without a terminal that is CredentialsMissing (docs/dev/service.md 5).
 */
export const complete = Effect.fn("svc.settings.complete")(function* (
  settings: LocalSettings
): Effect.fn.Return<Settings, UsageError | CredentialsMissing, Operator> {
  const operator = yield* Operator
  const known = yield* locateTarget(settings)
  if (settings.token !== null) {
    const none = Redacted.make("")
    return { ...known, username: settings.username ?? "", password: settings.password ?? none }
  }

  const ask = <A>(missing: "username" | "password", question: Effect.Effect<A>, isEmpty: (answer: A) => boolean) =>
    Effect.gen(function* () {
      if (!operator.present) return yield* new CredentialsMissing({ missing })
      const answer = yield* question
      return isEmpty(answer) ? yield* new CredentialsMissing({ missing, asked: true }) : answer
    })
  const username =
    settings.username ??
    (yield* ask("username", operator.line(`User name for ${known.baseUrl.host}: `), (it) => it === ""))
  const password =
    settings.password ??
    (yield* ask(
      "password",
      operator.secret(`Password of ${username} for ${known.baseUrl.host}: `),
      (it) => Redacted.value(it) === ""
    ))
  return { ...known, username, password }
})
