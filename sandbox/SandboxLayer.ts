/** The service in a box as a layer, for the tests of programs. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type { TestClock } from "effect/testing/TestClock"
import { type RunningSandbox, type SandboxError, type SandboxOptions, start } from "./Sandbox.ts"

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

const isVirtual = (clock: Clock.Clock): clock is TestClock => "setTime" in clock

/** What is under way in this process: calls for files, connections that are made, bytes that are written. */
const working = /Req(?:Callback|Promise|Wrap)?$|ConnectWrap$|(?:Write|Shutdown)Wrap$|^Zlib$|Job$|Request$/

/** Bytes that another socket of this process has sent are seen one turn of the event loop later, an accepted connection two. */
const turns = 5

const nextTurn = Effect.callback<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

/**
 * Virtual time for programs that talk over real sockets: it passes only while nobody does anything but sleep.
 *
 * Runs `effect`. Whenever all that is left of it are sleeps, the clock goes to the end of the first one, so that hours take a moment,
 * and no request runs into a timeout while it is answered. Without a TestClock time passes by itself.
 *
 * @param answering - whether a request is being answered
 */
const passTime =
  (answering: () => boolean) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      if (!isVirtual(clock)) return yield* effect
      const ends = new Set<{ readonly at: number }>()
      const sleep = (duration: Duration.Duration) =>
        Effect.suspend(() => {
          const end = { at: clock.currentTimeMillisUnsafe() + Duration.toMillis(duration) }
          ends.add(end)
          return Effect.ensuring(
            clock.sleep(duration),
            Effect.sync(() => ends.delete(end))
          )
        })
      const watched: Clock.Clock = Object.create(clock, { sleep: { value: sleep } })
      const fiber = yield* Effect.forkChild(Effect.provideService(effect, Clock.Clock, watched))
      let quiet = 0
      while (fiber.pollUnsafe() === undefined) {
        yield* nextTurn
        quiet = answering() || process.getActiveResourcesInfo().some((name) => working.test(name)) ? 0 : quiet + 1
        if (quiet < turns || ends.size === 0) continue
        quiet = 0
        yield* clock.setTime(Math.min(...Array.from(ends, ({ at }) => at)))
      }
      return yield* Fiber.join(fiber)
    })
