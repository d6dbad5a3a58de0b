import type { Server } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import type { TestClock } from "effect/testing/TestClock"
import { addressOf, type ListenFailed, listen, portOf } from "../platform/http/Listener.ts"
import { analysisHandlers, personRestore } from "./AnalysisHandlers.ts"
import { type BehaviourChoice, likely } from "./Behaviour.ts"
import { controlRoutes } from "./Control.ts"
import { readDataFolder, sampleGroups } from "./DataFolder.ts"
import { api } from "./Endpoints.ts"
import { type FaultRule, FaultRules } from "./Faults.ts"
import { watchRequests } from "./InFlight.ts"
import { serveLinks } from "./LinkHost.ts"
import { panelHandlers, variantsOfGene } from "./PanelHandlers.ts"
import { personHandlers, personList } from "./PersonHandlers.ts"
import { requestMiddleware } from "./RequestMiddleware.ts"
import { initialPages, sessionHandlers } from "./SessionHandlers.ts"
import { State } from "./State.ts"
import type { Stats } from "./Stats.ts"
import { zlibCodec } from "./samples/Samples.ts"
import { readFile, type SandboxInputMalformed, type SandboxInputUnusable, WorldFile } from "./WorldFile.ts"

/**
 * How to start a sandbox; everything has a default.
 *
 * @category options
 * @since 0.1.0
 */
export interface SandboxOptions {
  /** Address to listen on; default 127.0.0.1. */
  readonly host?: string | undefined
  /** Ports of the API and of the link host; default 0, any free one. */
  readonly port?: number | undefined
  readonly linkPort?: number | undefined
  /** Folder with BAM and VCF files to serve instead of generated ones. */
  readonly data?: string | undefined
  /** A world file, or its content. */
  readonly world?: string | WorldFile | undefined
  /** A fault file, or its rules. */
  readonly faults?: string | ReadonlyArray<FaultRule> | undefined
  /** What the service is like where nobody knows it: goes before what the world file says. */
  readonly behaviour?: BehaviourChoice | undefined
}

/**
 * A running sandbox. The first account of the world is the one to log in with.
 *
 * @category models
 * @since 0.1.0
 */
export interface RunningSandbox {
  readonly url: string
  readonly linkHost: string
  readonly user: string
  readonly password: string
  readonly stats: Effect.Effect<Stats>
  /** @internal Whether a request to the API or to the link host is being answered. */
  readonly busy: () => boolean
  /** Replaces all fault rules and counts anew. */
  readonly setFaults: (rules: ReadonlyArray<FaultRule>) => Effect.Effect<void>
  /** Every restoration under way ends now. */
  readonly thaw: Effect.Effect<void>
  /** Everything as it was at the start. */
  readonly reset: Effect.Effect<void>
}

/**
 * Ways in which a sandbox cannot start.
 *
 * @category errors
 * @since 0.1.0
 */
export type SandboxError = SandboxInputUnusable | SandboxInputMalformed | ListenFailed

const worldInput = Effect.fn("Sandbox.worldInput")(function* (options: SandboxOptions) {
  const path = yield* Path.Path
  const worldFile =
    options.world === undefined
      ? null
      : typeof options.world === "string"
        ? { path: options.world, content: yield* readFile(options.world, WorldFile) }
        : { path: path.resolve("world.json"), content: options.world }
  const behaviour = { ...likely, ...worldFile?.content.behaviour, ...options.behaviour }
  const groups = yield* options.data === undefined
    ? worldFile?.content.empty === true
      ? Effect.succeed([])
      : Effect.flatMap(Layer.build(zlibCodec), (codec) => Effect.provideContext(sampleGroups(behaviour.seed), codec))
    : readDataFolder(options.data)
  return { behaviour, world: { groups, complete: options.data === undefined, worldFile } }
})

/**
 * All routes of the API behind the middleware: the contract, the session, undocumented endpoints, and `/__sandbox/`.
 *
 * The contract decodes the requests; the answers are JSON as the world holds it, so that a field the contract does not know, the order
 * of keys, and an id that is a number all reach the client as they are.
 */
const serveApi = Effect.fn("Sandbox.serveApi")(function* (server: Server) {
  const undocumented = [initialPages, personList, variantsOfGene, personRestore] as const
  const routes = Layer.mergeAll(HttpApiBuilder.layer(api), ...undocumented, controlRoutes).pipe(
    Layer.provide([sessionHandlers, personHandlers, analysisHandlers, panelHandlers]),
    Layer.provide(NodeHttpServer.layerHttpServices)
  )
  const app = yield* HttpRouter.toHttpEffect(routes)
  const middleware = yield* requestMiddleware
  const handle = yield* NodeHttpServer.makeHandler(Effect.interruptible(middleware(app)), {
    scope: yield* Effect.scope
  })
  watchRequests(server)
  server.on("request", handle)
})

/**
 * Starts the service in a box on two ports of this machine, until the scope closes. No client code takes part in it.
 */
export const start = Effect.fn("Sandbox.start")(function* (
  options: SandboxOptions = {}
): Effect.fn.Return<RunningSandbox, SandboxError, Scope.Scope | FileSystem.FileSystem | Path.Path> {
  const { behaviour, world } = yield* worldInput(options)
  const faults =
    typeof options.faults === "string" ? yield* readFile(options.faults, FaultRules) : (options.faults ?? [])
  const host = options.host ?? "127.0.0.1"
  // Presigned addresses with a security token are long; Node's own limit for a request head is 16 KiB.
  const limits = { keepAliveTimeout: Duration.toMillis(behaviour.keepAlive), maxHeaderSize: 128 * 1024 }
  const apiAddress = { host, port: options.port ?? 0 }
  const linkAddress = { host, port: options.linkPort ?? 0 }
  const apiServer = yield* listen(apiAddress, limits)
  const linkServer = yield* listen(linkAddress, limits)

  const context = yield* Layer.build(State.layer({ behaviour, world, faults, linkPort: portOf(linkServer) }))
  yield* Effect.provideContext(Effect.andThen(serveLinks(linkServer), serveApi(apiServer)), context)
  const state = Context.get(context, State)
  const [account] = state.world.accounts
  return {
    url: addressOf(apiServer, apiAddress),
    linkHost: addressOf(linkServer, linkAddress),
    user: account.user,
    password: account.password,
    stats: Effect.sync(() => structuredClone(state.stats)),
    busy: () => state.stats.apiInFlight + state.stats.linkInFlight > 0,
    setFaults: (rules: ReadonlyArray<FaultRule>) => Effect.sync(() => state.faults.replace(rules)),
    thaw: state.storage.thaw,
    reset: Effect.sync(state.reset)
  }
})

/**
 * Settings that lead a client to a sandbox; its lock and its restoration file lie in the folder of the sandbox.
 *
 * @category options
 * @since 0.1.0
 */
export interface SandboxSettings {
  readonly baseUrl: URL
  readonly username: string
  readonly password: Redacted.Redacted
  readonly lockDir: string
  readonly restorationFile: string
}

/**
 * A service with invented data on two ports of this machine, for as long as its layer lives. It goes by the clock of the test.
 *
 * **Example** (A test with a service that says no)
 *
 * ```ts
 * import { Effect } from "effect"
 * import { Client } from "svc-steps"
 * import { Service } from "svc-steps/node"
 * import { Sandbox } from "svc-steps/sandbox"
 *
 * const test = Effect.gen(function* () {
 *   const { setFaults } = yield* Sandbox
 *   yield* setFaults([{ when: { endpoint: "getAnalyses" }, then: { status: 422 } }])
 *   const error = yield* Effect.flip(Client.ServiceClient.use(({ getAnalyses }) => getAnalyses()))
 *   return error._tag // "SvcRequestRejected"
 * }).pipe(Effect.provide(Sandbox.layerFor(Service.layer)))
 * ```
 *
 * @category services
 * @since 0.1.0
 */
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
