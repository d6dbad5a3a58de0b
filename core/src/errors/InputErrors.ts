/** What the user gave cannot be used: the command line or the options of a program, credentials, settings, a file of data to send. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { AnalysisId } from "../contract/Ids.ts"
import { printable } from "../text/Printable.ts"
import { didYouMean, nearest } from "../text/Spelling.ts"

const OptionName = Schema.Literals([
  "analysisIds",
  "sampleIds",
  "limsIds",
  "filters",
  "latest",
  "filetypes",
  "shows",
  "destination",
  "layout",
  "overwrite",
  "requireAll",
  "restoreArchived",
  "maxRestores",
  "connections",
  "check",
  "checksums",
  "makeIndex",
  "range",
  "bed",
  "unmapped",
  "columns",
  "genes"
])
/**
 * An option of a download or of annotations.
 *
 * @category errors
 * @since 0.1.0
 */
export type OptionName = typeof OptionName.Type

/**
 * An option, a value or a combination of them is wrong. `message` is the whole sentence.
 *
 * @category errors
 * @since 0.1.0
 */
export class UsageError extends Schema.TaggedError<UsageError>()("SvcUsageError", {
  message: Schema.String,
  /** The options that are wrong, in the order of the sentences; one that does not exist is only in the sentence. */
  options: Schema.optionalKey(Schema.Array(OptionName))
}) {
  override readonly [Runtime.errorExitCode] = 64
  readonly retryable = false
  readonly advice = null
  readonly scope = "run"
}

/**
 * One file is to be read, and several are meant: `files` are those to choose from.
 *
 * @category errors
 * @since 0.1.0
 */
export class SeveralFiles extends Schema.TaggedError<SeveralFiles>()("SvcSeveralFiles", {
  files: Schema.Array(Schema.Struct({ analysisId: AnalysisId, fileName: Schema.String }))
}) {
  override readonly [Runtime.errorExitCode] = 64
  readonly retryable = false
  readonly advice = null
  readonly scope = "run"
  override get message() {
    return `One file can be read at a time, and these are ${this.files.length}: ${namesOf(this.files)}: choose one by its analysis and type`
  }
}

/** Names beyond these are counted. */
const mostNamed = 10

/** Files with their analyses, for a sentence. */
export const namesOf = (files: SeveralFiles["files"]): string => {
  const names = files
    .slice(0, mostNamed)
    .map(({ analysisId, fileName }) => `${printable(fileName)} (analysis ${printable(analysisId)})`)
  const more = files.length - names.length
  return `${names.join(", ")}${more === 0 ? "" : ` and ${more} more`}`
}

/**
 * No user name or password, and no terminal to ask on, or an empty answer there.
 *
 * @category errors
 * @since 0.1.0
 */
export class CredentialsMissing extends Schema.TaggedError<CredentialsMissing>()("SvcCredentialsMissing", {
  missing: Schema.Literals(["username", "password"]),
  /** Somebody was asked and typed nothing. */
  asked: Schema.optionalKey(Schema.Boolean)
}) {
  override readonly [Runtime.errorExitCode] = 78
  readonly retryable = false
  get advice(): "giveUser" | "givePassword" {
    return this.missing === "username" ? "giveUser" : "givePassword"
  }
  readonly scope = "run"
  override get message(): string {
    if (this.missing === "username") {
      return this.asked === true ? "No user name was typed" : "No user name"
    }
    return this.asked === true ? "No password was typed" : "No password and no terminal to ask for it"
  }
}

/**
 * The file that should hold the password cannot be read, or its first line is empty.
 *
 * @category errors
 * @since 0.1.0
 */
export class PasswordFileUnusable extends Schema.TaggedError<PasswordFileUnusable>()("SvcPasswordFileUnusable", {
  path: Schema.String,
  /** The setting that named the file, such as `SVC_PASSWORD_FILE`. */
  origin: Schema.String,
  reason: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 78
  readonly retryable = false
  readonly advice = null
  readonly scope = "run"
  override get message() {
    return `Password file ${this.path} (${this.origin}): ${this.reason}`
  }
}

/** The file with the token that readers of the gateway must show cannot be used. */
export class TokenFileUnusable extends Schema.TaggedError<TokenFileUnusable>()("SvcTokenFileUnusable", {
  path: Schema.String,
  reason: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 78
  readonly retryable = false
  readonly advice = null
  readonly scope = "run"
  override get message() {
    return `Token file ${this.path}: ${this.reason}`
  }
}

/**
 * A configuration file cannot be used as it is.
 *
 * @category errors
 * @since 0.1.0
 */
export class ConfigUnusable extends Schema.TaggedError<ConfigUnusable>()("SvcConfigUnusable", {
  path: Schema.String,
  reason: Schema.String,
  /** What it is, when it is no configuration file. */
  what: Schema.optionalKey(Schema.String)
}) {
  override readonly [Runtime.errorExitCode] = 78
  readonly retryable = false
  readonly advice = null
  readonly scope = "run"
  override get message() {
    return `${this.what ?? "Configuration file"} ${this.path}: ${this.reason}`
  }
}

/** The times of options by their names, or the usual ones; a negative time would end each request before it begins. */
export const givenTimes = <Times extends Readonly<Record<string, Duration.Duration>>>(
  given: { readonly [Name in keyof Times]?: Duration.Input | null | undefined },
  usual: Times
): Effect.Effect<{ readonly [Name in keyof Times]: Duration.Duration }, ConfigUnusable> =>
  Effect.forEach(Object.entries(usual), ([name, time]) => {
    const input = given[name] ?? time
    const found = Option.filter(Duration.fromInput(input), (some) => !Duration.isNegative(some))
    return Option.isSome(found)
      ? Effect.succeed([name, found.value] as const)
      : Effect.fail(new ConfigUnusable({ what: "Setting", path: name, reason: `${String(input)} is no time to wait` }))
  }).pipe(Effect.map((times) => Object.fromEntries(times) as { readonly [Name in keyof Times]: Duration.Duration }))

/** Not one file was compared with anything, so success would be a proof of nothing. */
export class NothingToVerify extends Schema.TaggedError<NothingToVerify>()("SvcNothingToVerify", {
  /** Files and folders as the user named them. */
  where: Schema.String,
  reason: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 66
  readonly retryable = false
  readonly advice = null
  readonly scope = "run"
  override get message() {
    return `Nothing to verify in ${this.where}: ${this.reason}`
  }
}

/**
 * A file or standard input that was given as data to send is not what it must be.
 *
 * @category errors
 * @since 0.1.0
 */
export class InputMalformed extends Schema.TaggedError<InputMalformed>()("SvcInputMalformed", {
  /** Path of the file, or `standard input`. */
  input: Schema.String,
  reason: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 65
  readonly retryable = false
  readonly advice = null
  readonly scope = "run"
  override get message() {
    return `${this.input}: ${this.reason}`
  }
}

/** What is wrong, in one sentence. */
export interface OptionProblem {
  /** Absent for an option that does not exist. */
  readonly option?: OptionName
  readonly message: string
}

/** All that is wrong, as one error. */
export const usageErrorOf = (problems: ReadonlyArray<OptionProblem>): UsageError =>
  new UsageError({
    message: problems.map(({ message }) => message).join("\n"),
    options: problems.flatMap(({ option }) => option ?? [])
  })

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

/**
 * Finds options that have another name or type than they may: of programs whose compiler did not see them, or was told not to look.
 *
 * @param schemas - of each option; one that is `undefined` counts as left out
 */
export const misfitsOf = (
  schemas: Partial<Record<OptionName, Schema.ConstraintDecoder<unknown>>>
): ((options: object | null | undefined) => ReadonlyArray<OptionProblem>) => {
  const names = Object.keys(schemas) as ReadonlyArray<OptionName>
  const decoders = Object.entries(schemas).map(
    ([name, schema]) => [name as OptionName, Schema.decodeUnknownResult(schema, { errors: "all" })] as const
  )
  return (options) => {
    if (!Predicate.isObject(options)) return [{ message: "Options are an object" }]
    const given = new Map<string, unknown>(Object.entries(options))
    const unknown = [...given.keys()]
      .filter((name) => !names.some((option) => option === name))
      .map((name) => ({ message: `Unknown option ${printable(name)}${didYouMean(nearest(name, names))}` }))
    const wrong = decoders.flatMap(([option, decode]) => {
      const value = given.get(option)
      const read = value === undefined ? null : decode(value)
      if (read === null || Result.isSuccess(read)) return []
      return issuesOf(read.failure.issue).issues.map(({ message, path = [] }) => ({
        option,
        message: `${[option, ...path].join(".")}: ${message.replace(/^E/, "e")}`
      }))
    })
    return [...unknown, ...wrong]
  }
}
