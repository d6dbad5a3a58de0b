/** The service in a box as a layer, for the tests of programs. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { type RunningSandbox, type SandboxError, type SandboxOptions, start } from "./Sandbox.ts"
import { passTime } from "./VirtualTime.ts"

/** Settings that lead a client to a sandbox; its lock and its restoration file lie in the folder of the sandbox. */
export interface SandboxSettings {
  readonly baseUrl: URL
  readonly username: string
  readonly password: Redacted.Redacted
  readonly lockDir: string
  readonly restorationFile: string
}

/** A service with invented data on two ports of this machine, for as long as its layer lives. It goes by the clock of the test. */
export class Sandbox extends Context.Service<
  Sandbox,
  RunningSandbox & {
    readonly settings: SandboxSettings
    /** A folder of its own, removed at the end: also a destination for downloads. */
    readonly folder: string
    /**
     * Runs an effect under a TestClock: whenever it only sleeps, and no request is under way, the clock goes to the end of its first
     * sleep. So a restoration of hours takes a moment, and a request is never overtaken by its timeout.
     */
    readonly passTime: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
>()("svc-steps/sandbox/Sandbox") {
  /** Only the service, for clients that you make: see `settings`. */
  static readonly layer = (options?: SandboxOptions): Layer.Layer<Sandbox, SandboxError> =>
    Layer.effect(
      Sandbox,
      Effect.gen(function* () {
        const running = yield* start(options)
        const folder = yield* Effect.orDie(
          (yield* FileSystem.FileSystem).makeTempDirectoryScoped({ prefix: "sandbox-" })
        )
        return Sandbox.of({
          ...running,
          settings: {
            baseUrl: new URL(running.url),
            username: running.user,
            password: Redacted.make(running.password),
            lockDir: `${folder}/locks`,
            restorationFile: `${folder}/awaiting-restoration.json`
          },
          folder,
          passTime: passTime(running.busy)
        })
      })
    ).pipe(Layer.provide(NodeServices.layer))

  /** The service, and a layer that is connected to it: `Sandbox.layerFor(Service.layer)` is a whole program's. */
  static readonly layerFor = <A, E, R>(
    client: (settings: SandboxSettings) => Layer.Layer<A, E, R>,
    options?: SandboxOptions
  ): Layer.Layer<A | Sandbox, E | SandboxError, R> =>
    Layer.unwrap(Effect.map(Sandbox, ({ settings }) => client(settings))).pipe(
      Layer.provideMerge(Sandbox.layer(options))
    )
}
