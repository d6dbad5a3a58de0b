/** The variables of the steps as an effect `Config`, for programs that bring no command line of ours. */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import type * as Result from "effect/Result"
import { UsageError } from "../Errors.ts"
import type { ProxyAddress } from "./Settings.ts"
import { resolveProxy, resolveTarget } from "./Target.ts"

/** Where the service is, and whose account to use. */
export interface ServiceSettings {
  /** Such as `https://lab.example.org/`. */
  readonly baseUrl: URL
  readonly username: string
  readonly password: Redacted.Redacted
  readonly proxy?: ProxyAddress | null
  /** Path of a PEM file with authorities to trust besides those of the system. */
  readonly caFile?: string | null
  /** Folder where all programs of the account take turns; the user's runtime folder when absent. */
  readonly lockDir?: string | null
}

const maybe = (name: string) => Config.option(Config.NonEmptyString(name))

const variables = Config.all({
  target: Config.NonEmptyString("SVC_TARGET"),
  template: maybe("SVC_BASE_URL"),
  username: Config.NonEmptyString("SVC_USER"),
  password: Config.Redacted("SVC_PASSWORD"),
  proxy: maybe("SVC_PROXY"),
  proxyUsername: maybe("SVC_PROXY_USER"),
  proxyPassword: Config.option(Config.Redacted("SVC_PROXY_PASS")),
  caFile: maybe("SVC_CA_FILE"),
  lockDir: maybe("SVC_LOCK_DIR")
})

const fromRule = <A>(result: Result.Result<A, string>) =>
  Effect.mapError(Effect.fromResult(result), (message) => new UsageError({ message }))

/**
 * `SVC_TARGET` (a URL, or a name for `SVC_BASE_URL`), `SVC_USER`, `SVC_PASSWORD`; and, when they are there,
 * `SVC_PROXY`, `SVC_PROXY_USER`, `SVC_PROXY_PASS`, `SVC_CA_FILE`, `SVC_LOCK_DIR`. Fails with a ConfigError for what is
 * missing, and with a UsageError for an address that cannot be one.
 */
export const serviceConfig: Effect.Effect<ServiceSettings, Config.ConfigError | UsageError> = Effect.gen(function* () {
  const found = yield* variables
  const baseUrl = yield* fromRule(resolveTarget(found.target, Option.getOrNull(found.template)))
  const proxyPassword = Option.getOrNull(found.proxyPassword)
  const proxy = yield* fromRule(
    resolveProxy(Option.getOrNull(found.proxy), Option.getOrNull(found.proxyUsername), proxyPassword, "SVC_PROXY")
  )
  return {
    baseUrl,
    username: found.username,
    password: found.password,
    proxy,
    caFile: Option.getOrNull(found.caFile),
    lockDir: Option.getOrNull(found.lockDir)
  }
})
