/** One service on Node, whole: its session, its client, its files, downloads, and the file of restorations. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Runtime from "effect/Runtime"
import type * as Scope from "effect/Scope"
import { Annotations } from "../core/src/annotations/Annotations.ts"
import type { ServiceClient } from "../core/src/client/ServiceClient.ts"
import { Downloads } from "../core/src/download/Downloads.ts"
import type { ConfigUnusable, LocalIo, NotFound, SessionError, UsageError } from "../core/src/Errors.ts"
import { readBedFile } from "../core/src/genome/regions/BedFile.ts"
import type { Region } from "../core/src/genome/regions/RegionText.ts"
import type { AccountLock } from "../core/src/session/Gate.ts"
import type { Session } from "../core/src/session/Session.ts"
import { makeSessionProfile, type SessionLimits, type SessionProfile } from "../core/src/session/SessionSettings.ts"
import { Operator } from "../core/src/settings/Operator.ts"
import { type ServiceSettings, serviceConfig } from "../core/src/settings/ServiceConfig.ts"
import { addressOf } from "../core/src/settings/Target.ts"
import type { TransferOptions } from "../core/src/transfer/LinkPool.ts"
import * as Clients from "./Clients.ts"
import * as FilesLive from "./Files.ts"
import * as TrackingFileLive from "./files/TrackingFile.ts"
import * as ZlibCodec from "./inflate/ZlibCodec.ts"
import * as AccountLockFiles from "./locks/AccountLockFiles.ts"

/**
 * Everything that a program gets for one service.
 *
 * @category services
 * @since 0.1.0
 */
export type Service = Downloads | Annotations | ServiceClient | Session

/**
 * The service, the account, and where requests are remembered; the first three are needed.
 *
 * @category options
 * @since 0.1.0
 */
export interface Settings extends ServiceSettings, SessionLimits {
  /** Where requests for archived files are remembered; `awaiting-restoration.json` when it is left out. */
  readonly restorationFile?: string | undefined
  /** Connections to link hosts, and patience with them; what is left out has its default. */
  readonly transfers?: TransferOptions | undefined
}

/**
 * What is no setting of a user: who answers questions, and how the service speaks.
 *
 * @category options
 * @since 0.1.0
 */
export interface Options {
  /** Is asked about archived files; without it nobody is there, and `ask` and `all` mean no. */
  readonly operator?: Operator["Service"] | undefined
  /** Names and paths of the session; those of the known service when absent. */
  readonly profile?: SessionProfile | undefined
}

/**
 * Logs in while it is built and logs out when its scope closes.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (
  settings: Settings,
  { operator = Operator.absent, profile = makeSessionProfile("library") }: Options = {}
): Layer.Layer<Service, SessionError | ConfigUnusable> =>
  // Fresh, so that a program with two accounts gives each its own.
  Layer.merge(Downloads.layer(addressOf(settings.baseUrl.href, settings.baseUrl)), Layer.fresh(Annotations.layer)).pipe(
    Layer.provide([
      Layer.succeed(Operator, operator),
      FilesLive.layer(settings, settings.transfers),
      TrackingFileLive.layer({ path: settings.restorationFile ?? "awaiting-restoration.json" })
    ]),
    Layer.provideMerge(Clients.layer(settings, profile))
  )

/**
 * The same with settings out of the configuration: those of the steps, or a `Config` for each of your own.
 *
 * **Example** (Settings under names of your own)
 *
 * ```ts
 * import { Config } from "effect"
 * import { Service } from "svc-steps/node"
 *
 * const layer = Service.layerConfig({
 *   baseUrl: Config.URL("LAB"),
 *   username: Config.String("LAB_USER"),
 *   password: Config.Redacted("LAB_PASSWORD")
 * })
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const layerConfig = (
  config: Config.Wrap<Settings> = serviceConfig,
  options?: Options
): Layer.Layer<Service, SessionError | ConfigUnusable | Config.ConfigError> =>
  Layer.unwrap(
    Effect.map(Effect.mapError(Config.unwrap<Settings>(config), missing), (settings) => layer(settings, options))
  )

/**
 * The lock of all programs and steps of an account, for a session over an `HttpClient` of your own: by a folder that they share.
 *
 * **Example** (A session over Node's own `fetch`, in turn with the steps)
 *
 * ```ts
 * import { Layer } from "effect"
 * import { FetchHttpClient } from "effect/http"
 * import { Session } from "svc-steps"
 * import { Service } from "svc-steps/node"
 *
 * const sessionOf = (settings: Session.SessionSettings) =>
 *   Session.Session.layer(settings).pipe(
 *     Layer.provide([FetchHttpClient.layer, Service.layerAccountLock()]),
 *     Layer.provide(Layer.succeed(FetchHttpClient.RequestInit, { redirect: "manual" }))
 *   )
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const layerAccountLock = ({
  lockDir
}: Pick<ServiceSettings, "lockDir"> = {}): Layer.Layer<AccountLock, ConfigUnusable> =>
  AccountLockFiles.layer({ lockDir: lockDir ?? null })

/**
 * The regions of a BED file, plain, gzip or BGZF, as the option `bed` reads them: those of each reference together.
 *
 * @category constructors
 * @since 0.1.0
 */
export const readBed = Effect.fnUntraced(function* (
  path: string
): Effect.fn.Return<ReadonlyArray<Region>, UsageError | NotFound | LocalIo, Scope.Scope> {
  const services = yield* Layer.build(Layer.merge(NodeFileSystem.layer, ZlibCodec.layer))
  const texts = yield* Effect.provideContext(readBedFile(path), services)
  return texts.flatMap(({ readings }) =>
    readings.flatMap(({ ends, name, starts }) =>
      Array.from(starts, (start, i) => ({ reference: name, start, end: ends[i] ?? start }))
    )
  )
}, Effect.scoped)

/** A program in which a setting is missing or unusable ends as the steps do, and not as if it were our defect. */
const missing = (error: Config.ConfigError) => Object.assign(error, { [Runtime.errorExitCode]: 78 })
