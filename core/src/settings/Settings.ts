/**
 * Settings: raw texts from four layers, decoded by the table in Keys.ts.
 *
 * Precedence, highest first: command line, environment, configuration file, default (docs/dev/service.md 2.4). A layer holds
 * texts only, so that every key is decoded by the same code wherever it was set.
 */
import * as Duration from "effect/Duration"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { didYouMean, nearest } from "../text/Spelling.ts"
import { goneSince } from "./Gone.ts"
import type { Option, StepName } from "./Key.ts"
import { type KeyName, keyNames, type keys, table } from "./Keys.ts"

export type Source = "command line" | "environment" | "configuration file" | "default"

/** The raw texts one source gives; several for a repeated option. A key that is absent is not set there. */
export type Layer = { readonly [K in KeyName]?: ReadonlyArray<string> }

export interface Layers {
  readonly commandLine: Layer
  readonly environment: Layer
  readonly file: Layer
}

type Item<K extends Option> = K extends { readonly choices: ReadonlyArray<infer C> } ? C : string
type Single<K extends Option> = K["type"] extends "secret"
  ? Redacted.Redacted
  : K["type"] extends "int" | "rate"
    ? number
    : K["type"] extends "duration"
      ? Duration.Duration
      : Item<K>
/** What the text of an option is decoded to. */
export type ValueOf<K extends Option> = K["type"] extends "list" | "lines"
  ? ReadonlyArray<Item<K>>
  : K["type"] extends "flag"
    ? boolean
    : K extends { readonly default: string }
      ? Single<K>
      : Single<K> | null

/** One decoded value for each key: null, false or an empty list where nothing was set and there is no default. */
export type Values = { readonly [K in KeyName]: ValueOf<(typeof keys)[K]> }

export interface Origins {
  /** Where the value of a key came from. */
  readonly source: (key: KeyName) => Source
  /** Whether the user set it, i.e. it is not a default. */
  readonly given: (key: KeyName) => boolean
}

/** The settings of a step that works without the service. */
export interface LocalSettings extends Values, Origins {}

/**
 * A proxy without its credentials, and the credentials apart.
 *
 * @category options
 * @since 0.1.0
 */
export interface ProxyAddress {
  readonly url: URL
  readonly username?: string | null | undefined
  readonly password?: Redacted.Redacted | null | undefined
}

/** Validated settings of a run for one service, with its address. */
export interface TargetSettings
  extends Omit<
    LocalSettings,
    "target" | "baseUrl" | "username" | "password" | "proxy" | "proxyUsername" | "proxyPassword"
  > {
  readonly target: string
  /** Resolved from `target` and the template; ends in a slash. */
  readonly baseUrl: URL
  readonly proxy: ProxyAddress | null
}

/** The settings of a step that logs in. */
export interface Settings extends TargetSettings {
  readonly username: string
  readonly password: Redacted.Redacted
}

const trueWords: ReadonlyArray<string> = ["true", "1", "yes", "on"]
const falseWords: ReadonlyArray<string> = ["false", "0", "no", "off"]
const millisOf: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** 0.5 s to 24 days: longer timers do not fire reliably. */
const durationOf = (text: string): Duration.Duration | null => {
  const match = /^(\d{1,9}(?:\.\d{1,3})?) ?(ms|s|m|h|d)$/.exec(text)
  if (match === null) return null
  const millis = Number(match[1]) * (millisOf[match[2] ?? ""] ?? Number.NaN)
  return millis > 0 && millis <= 24 * 86_400_000 ? Duration.millis(millis) : null
}

const unitOf: Readonly<Record<string, number>> = { "": 1, k: 1e3, m: 1e6, g: 1e9 }

/** Bytes per second: 0, or at least a thousand. */
const rateOf = (text: string): number | null => {
  const match = /^(\d{1,12}(?:\.\d{1,3})?) ?([kmg]?)$/i.exec(text)
  if (match === null) return null
  const rate = Math.round(Number(match[1]) * (unitOf[(match[2] ?? "").toLowerCase()] ?? Number.NaN))
  return rate === 0 || rate >= 1000 ? rate : null
}

const oneOf = (choices: ReadonlyArray<string>) =>
  choices.length < 2 ? choices.join("") : `${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}`

/** A decoded value, or what was expected instead; `Unsupported ...` messages of the table are whole sentences. */
export const decodeValue = (
  key: Option,
  texts: ReadonlyArray<string>
): Result.Result<unknown, { readonly expected: string; readonly sentence?: string }> => {
  const choiceOf = (text: string) => {
    const choices = key.choices ?? []
    if (choices.includes(text)) return Result.succeed(text)
    const expected = oneOf(choices)
    return Result.fail(key.invalid === undefined ? { expected } : { expected, sentence: `${key.invalid}${text}` })
  }
  const text = texts.at(-1) ?? ""
  const word = text.trim()
  switch (key.type) {
    case "text":
    case "path":
      return text === "" ? Result.fail({ expected: "a value that is not empty" }) : Result.succeed(text)
    case "secret":
      return text === "" ? Result.fail({ expected: "a value that is not empty" }) : Result.succeed(Redacted.make(text))
    case "lines":
    case "list": {
      const items = (key.type === "list" ? texts.flatMap((part) => part.split(",")) : texts)
        .map((item) => item.trim())
        .filter((item) => item !== "")
      if (items.length === 0) return Result.fail({ expected: "at least one value" })
      for (const item of key.choices === undefined ? [] : items) {
        const checked = choiceOf(item)
        if (Result.isFailure(checked)) return checked
      }
      return Result.succeed([...new Set(items)])
    }
    case "flag": {
      if (trueWords.includes(word.toLowerCase())) return Result.succeed(true)
      if (falseWords.includes(word.toLowerCase())) return Result.succeed(false)
      return Result.fail({ expected: "true, false, 1, 0, yes, no, on or off" })
    }
    case "choice":
      return choiceOf(word)
    case "int": {
      const [least, most] = [key.least ?? 0, key.most ?? Number.MAX_SAFE_INTEGER]
      const number = /^\d{1,15}$/.test(word) ? Number(word) : Number.NaN
      return number >= least && number <= most
        ? Result.succeed(number)
        : Result.fail({
            expected:
              most === Number.MAX_SAFE_INTEGER
                ? `a whole number, ${least} or more`
                : `a whole number from ${least} to ${most}`
          })
    }
    case "duration": {
      const duration = durationOf(word)
      return duration === null
        ? Result.fail({ expected: "a time such as 500ms, 30s, 5m, 2h or 1d, 24 days at most" })
        : Result.succeed(duration)
    }
    case "rate": {
      const rate = rateOf(word)
      return rate === null
        ? Result.fail({ expected: "bytes per second such as 800k, 50M or 1G, at least 1k, or 0 for no limit" })
        : Result.succeed(rate)
    }
  }
}

/** What an option is that nobody set. */
const unsetValue = (key: Option): unknown => {
  if (key.default !== undefined) return Result.getOrThrow(decodeValue(key, [key.default]))
  if (key.type === "flag") return false
  return key.type === "list" || key.type === "lines" ? [] : null
}

/** The value of an option, called so where it was set; as if nobody had set it where its texts become a problem, so that all rules are checked in one pass. */
export const valueIn = (
  key: Option,
  texts: ReadonlyArray<string> | undefined,
  called: string,
  problems: Array<string>
): unknown => {
  if (texts === undefined) return unsetValue(key)
  const decoded = decodeValue(key, texts)
  if (Result.isSuccess(decoded)) return decoded.success
  const { expected, sentence } = decoded.failure
  const shown = key.type === "secret" || texts.join("") === "" ? "" : `: "${texts.join(",")}"`
  problems.push(sentence ?? `Invalid value for ${called}${shown}: expected ${expected}`)
  return unsetValue(key)
}

/** The variables of the table out of an environment; an empty variable counts as not set. */
export const environmentLayer = (environment: Readonly<Record<string, string | undefined>>): Layer => {
  const layer: { [K in KeyName]?: ReadonlyArray<string> } = {}
  for (const name of keyNames) {
    const text = table[name].env === undefined ? undefined : environment[table[name].env]
    if (text !== undefined && text.trim() !== "") layer[name] = [text]
  }
  return layer
}

/** Variables that look like a mistyped one of the table, such as `SVC_USERNAME`; other variables are not ours. */
export const environmentWarnings = (
  environment: Readonly<Record<string, string | undefined>>
): ReadonlyArray<string> => {
  const known = keyNames.flatMap((name) => table[name].env ?? [])
  return Object.keys(environment)
    .filter((variable) => variable.startsWith("SVC_") && !known.includes(variable))
    .flatMap((variable) => {
      const gone = goneSince(variable)
      if (gone !== null) return [`${variable}${gone}`]
      const near = nearest(variable, known)
      return near === null ? [] : [`unknown variable ${variable}${didYouMean(near)}`]
    })
}

/** How a person calls a key at its source, such as `--overwrite` or `SVC_OVERWRITE`. */
export const nameAt = (key: KeyName, source: Source): string =>
  source === "environment"
    ? (table[key].env ?? key)
    : source === "configuration file"
      ? `${key} in the configuration file`
      : `--${key}`

/** Decodes the keys that `step` takes. */
export const decode = (
  step: StepName,
  layers: Layers
): { readonly settings: LocalSettings; readonly problems: ReadonlyArray<string> } => {
  const sources = new Map<KeyName, Source>()
  const problems: Array<string> = []
  const value = (name: KeyName): unknown => {
    const key = table[name]
    const found = key.steps.includes(step)
      ? (
          [
            ["command line", layers.commandLine[name]],
            ["environment", layers.environment[name]],
            ["configuration file", layers.file[name]]
          ] as const
        ).find(([, texts]) => texts !== undefined)
      : undefined
    const [source = "default", texts] = found ?? []
    if (found !== undefined) sources.set(name, source)
    return valueIn(key, texts, nameAt(name, source), problems)
  }
  // The table gives each key the decoder of its type, which the compiler cannot follow through a loop.
  const values = Object.fromEntries(keyNames.map((name) => [name, value(name)])) as unknown as Values
  const settings: LocalSettings = {
    ...values,
    source: (key) => sources.get(key) ?? "default",
    given: (key) => sources.has(key)
  }
  return { settings, problems }
}
