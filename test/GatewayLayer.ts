/** A gateway in this process before a sandbox in this process. */
import { createHash } from "node:crypto"
import { Context, Duration, Effect, Layer, Ref, References, Result } from "effect"
import { Spools } from "../core/src/annotations/Spool.ts"
import { ServiceAccess } from "../core/src/serving/ServiceAccess.ts"
import { makeSignedLinks } from "../gateway/Answers.ts"
import { start } from "../gateway/Gateway.ts"
import { type GatewayOptions, GatewaySettings } from "../gateway/GatewaySettings.ts"
import { parseReaders, type Readers } from "../gateway/Readers.ts"
import * as Wiring from "../gateway/Wiring.ts"
import { Sandbox } from "../sandbox/Sandbox.ts"

export const readersIn = (text: string): Readers => Result.getOrThrow(parseReaders(text)).readers

/** The line of a token file with the digest of the token alone. */
export const digested = (name: string, token: string, more = "") =>
  `${name} sha256:${createHash("sha256").update(token).digest("hex")} ${more}`

export interface GatewayGround {
  readonly url: string
  /** The lines of the access log, parsed. */
  readonly lines: Array<Record<string, unknown>>
  /** Whether lines can be written. */
  readonly disk: { full: boolean }
  readonly readers: Ref.Ref<Readers> | null
  readonly lost: ServiceAccess["Service"]["lost"]
}

/** Serves until the scope closes; the sandbox is that of the context. */
export const startGatewayHere = Effect.fnUntraced(function* (
  options: Partial<Omit<GatewayOptions, "readers">> & {
    readonly tokens?: string
    readonly required?: boolean
    readonly spools?: Spools["Service"]
  } = {},
  queueTimeout: Duration.Input = "5 minutes"
) {
  const { settings } = yield* Sandbox
  const { required = false, spools, tokens, ...given } = options
  const lines: Array<Record<string, unknown>> = []
  const disk = { full: false }
  const readers = tokens === undefined ? null : yield* Ref.make(readersIn(tokens))
  const services = yield* Layer.build(Layer.fresh(Wiring.layer(settings, "test", queueTimeout)))
  const url = yield* start.pipe(
    Effect.provideService(GatewaySettings, {
      address: { host: "127.0.0.1", port: 0 },
      relay: tokens !== undefined,
      allowRestore: false,
      allowOrigin: [],
      publicUrl: null,
      genome: null,
      genes: null,
      version: "test",
      trusts: () => false,
      readerConnections: 64,
      drain: Duration.seconds(1),
      api: false,
      spoolLimit: 1e9,
      signedLinks: makeSignedLinks(),
      ...given,
      readers,
      accessLog: {
        required,
        write: (line) => {
          if (!disk.full) lines.push(JSON.parse(line))
          return !disk.full
        }
      }
    }),
    Effect.provide(spools === undefined ? services : Context.add(services, Spools, spools)),
    // What it refuses is looked at in its answers.
    Effect.provideService(References.MinimumLogLevel, "None")
  )
  const { ask, lost } = Context.get(services, ServiceAccess)
  yield* ask(() => Effect.void)
  return { url, lines, disk, readers, lost } satisfies GatewayGround
})
