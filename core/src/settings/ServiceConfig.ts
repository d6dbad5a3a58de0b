/** The variables of the steps as an effect `Config`, for programs that bring no command line of ours. */
import * as Config from "effect/Config"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import type { ProxyAddress } from "./Settings.ts"
import { resolveProxy, resolveTarget } from "./Target.ts"

/**
 * Where the service is, and whose account to use.
 *
 * @category options
 * @since 0.1.0
 */
export interface ServiceSettings {
  /** Such as `https://lab.example.org/`. */
  readonly baseUrl: URL
  /** Of the account; not needed with a token. */
  readonly username?: string | undefined
  readonly password?: Redacted.Redacted | undefined
  /** Of a gateway, whose address is then `baseUrl`: nobody logs in. */
  readonly token?: Redacted.Redacted | null | undefined
  readonly proxy?: ProxyAddress | null | undefined
  /** Path of a PEM file with authorities to trust besides those of the system. */
  readonly caFile?: string | null | undefined
  /** Folder where all programs of the account take turns; `SVC_LOCK_DIR` when absent, else one in the user's home. */
  readonly lockDir?: string | null | undefined
  /** How long the service may take to begin an answer; 15 minutes when absent. */
  readonly apiTimeout?: Duration.Input | null | undefined
}

const maybe = <A>(config: Config.Config<A>) => Config.map(Config.option(config), Option.getOrNull)

const variableOf = { target: "SVC_TARGET", baseUrl: "SVC_BASE_URL" }

const variables = Config.all({
  target: Config.NonEmptyString(variableOf.target),
  template: maybe(Config.NonEmptyString(variableOf.baseUrl)),
  account: Config.orElse(Config.all({ token: Config.Redacted("SVC_TOKEN") }), () =>
    Config.all({ username: Config.NonEmptyString("SVC_USER"), password: Config.Redacted("SVC_PASSWORD") })
  ),
  proxy: maybe(Config.NonEmptyString("SVC_PROXY")),
  proxyUsername: maybe(Config.NonEmptyString("SVC_PROXY_USER")),
  proxyPassword: maybe(Config.Redacted("SVC_PROXY_PASS")),
  caFile: maybe(Config.NonEmptyString("SVC_CA_FILE")),
  lockDir: maybe(Config.NonEmptyString("SVC_LOCK_DIR")),
  apiTimeout: maybe(Config.Duration("SVC_API_TIMEOUT"))
})

const unusable = (message: string) =>
  new Config.ConfigError(new Schema.SchemaError(new SchemaIssue.InvalidValue({ message })))

/**
 * The variables of the steps: `SVC_TARGET` (a URL, or a name for `SVC_BASE_URL`), `SVC_USER`, `SVC_PASSWORD`, or
 * `SVC_TOKEN` in their place; and, when
 * they are there, `SVC_PROXY`, `SVC_PROXY_USER`, `SVC_PROXY_PASS`, `SVC_CA_FILE`, `SVC_LOCK_DIR`, `SVC_API_TIMEOUT`. For a second account,
 * `Config.nested(serviceConfig, "OTHER")` reads `OTHER_SVC_TARGET` and so on.
 *
 * **Example** (A second account)
 *
 * ```ts
 * import { Config } from "effect"
 * import { Settings } from "svc-steps"
 * import { Service } from "svc-steps/node"
 *
 * const other = Service.layerConfig(Config.nested(Settings.serviceConfig, "OTHER")) // OTHER_SVC_TARGET, ...
 * ```
 *
 * @category configuration
 * @since 0.1.0
 */
export const serviceConfig: Config.Config<ServiceSettings> = Config.mapEffect(variables, (found) => {
  const proxy = resolveProxy(found.proxy, found.proxyUsername, found.proxyPassword, "SVC_PROXY")
  const baseUrl = resolveTarget(found.target, found.template, (key) => variableOf[key])
  const { account, apiTimeout, caFile, lockDir } = found
  return Effect.fromResult(
    Result.all({ baseUrl, proxy }).pipe(
      Result.map((addresses) => ({ ...addresses, ...account, caFile, lockDir, apiTimeout })),
      Result.mapError(unusable)
    )
  )
})
