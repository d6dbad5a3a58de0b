/** A gateway of its own process before a sandbox of its own process. */
import { Effect, Schema } from "effect"
import type { FaultRule } from "../sandbox/Faults.ts"
import { commandOf, executable, startSandbox, startServer } from "./Executables.ts"
import { setFaults } from "./SandboxFaults.ts"
import { temporaryFolder } from "./TemporaryFolder.ts"

const Ready = Schema.fromJsonString(Schema.Struct({ url: Schema.String }))
const isReady = (line: string) => (line.startsWith('{"url"') ? Schema.decodeSync(Ready)(line).url : undefined)

export const temporary = temporaryFolder("svc-gateway-")

/**
 * `svc-gateway` until the scope closes; `target` is a running sandbox, or stands in its place.
 *
 * @param nodeOptions - options of Node itself, such as `--inspect=0`
 */
export const startGateway = Effect.fnUntraced(function* (
  target: { readonly url: string; readonly user: string; readonly password: string },
  args: ReadonlyArray<string> = [],
  env: Readonly<Record<string, string>> = {},
  nodeOptions: ReadonlyArray<string> = []
) {
  const [command, ...first] =
    nodeOptions.length === 0 ? commandOf("svc-gateway") : [process.execPath, ...nodeOptions, executable("svc-gateway")]
  const { server, value: url } = yield* startServer(command, [...first, "-t", target.url, ...args], isReady, {
    env: {
      SVC_USER: target.user,
      SVC_PASSWORD: target.password,
      SVC_LOCK_DIR: yield* temporary,
      SVC_LOG_LEVEL: "debug",
      ...env
    }
  })
  return { url, ...server }
})

/** A sandbox that ends sessions at an overlap, and a gateway before it. */
export const gatewayGround = Effect.fnUntraced(function* (
  args: ReadonlyArray<string> = [],
  sandboxArgs: ReadonlyArray<string> = []
) {
  const sandbox = yield* startSandbox(["--strict", ...sandboxArgs])
  const gateway = yield* startGateway(sandbox, args)
  const stats = Effect.promise(
    async () => (await (await fetch(`${sandbox.url}/__sandbox/stats`)).json()) as Readonly<Record<string, number>>
  )
  return { sandbox, gateway, stats, setFaults: (rules: ReadonlyArray<FaultRule>) => setFaults(sandbox.url, rules) }
})

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Buffer
  readonly text: string
}

/** One request; redirects are not followed. */
export const ask = (url: string, init: RequestInit = {}): Effect.Effect<Answer> =>
  Effect.promise(async () => {
    const reply = await fetch(url, { redirect: "manual", ...init })
    const bytes = Buffer.from(await reply.arrayBuffer())
    return { status: reply.status, headers: reply.headers, bytes, text: bytes.toString("utf8") }
  })
