/** The command of `svc-gateway -- COMMAND`, whose steps share the session of this process as keys are shared by ssh-agent. */
import { randomBytes } from "node:crypto"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Redacted from "effect/Redacted"
import * as Ref from "effect/Ref"
import { UsageError } from "../../core/src/Errors.ts"
import { type KeyName, table } from "../../core/src/settings/Keys.ts"
import type { Settings } from "../../core/src/settings/Settings.ts"
import { isLoopback } from "../../core/src/text/HostReach.ts"
import { Scrubber } from "../../core/src/text/Scrubber.ts"
import { digestOf, type NamedReader, type Readers } from "../../gateway/Readers.ts"
import { servicePrefix } from "../../gateway/ServiceHandlers.ts"
import { startCommand } from "../../platform/ChildCommand.ts"
import * as ApiHttp from "../../platform/http/ApiHttp.ts"
import { signals } from "../main/ProcessRun.ts"
import { Stopping } from "../main/Program.ts"

/** What the gateway needs, and the command does not: the account, and the way to the service. */
const withheld: ReadonlyArray<KeyName> = [
  ...(["username", "password", "passwordFile", "tokenFile"] as const),
  ...(["proxy", "proxyUsername", "proxyPassword"] as const)
]

/** How long this host may take to reach itself. */
const ownReach = "10 seconds"

/** @param words - the command and its arguments */
export const makeAccountCommand = Effect.fnUntraced(function* (words: ReadonlyArray<string>, { baseUrl }: Settings) {
  const { onSignals } = yield* Stopping
  // It stands in no command line, file or log: in the memory of this process, and in the environment of the command.
  const token = randomBytes(32).toString("base64url")
  const scrubber = yield* Scrubber
  scrubber.protect(Redacted.make(token))
  const digest = digestOf(token)
  const everything: NamedReader["may"] = new Set(["read", "restore", "change"])
  const reader: NamedReader = { name: null, digest, mayRead: () => true, scopes: null, may: everything, until: null }

  const environment = (address: string) => {
    const hidden = new Set(withheld.map((key) => table[key].env))
    const kept = Object.entries(process.env).filter(([name]) => !hidden.has(name))
    const own = { SVC_TARGET: `${address}${servicePrefix}`, SVC_TOKEN: token, SVC_SERVICE: baseUrl.href }
    return { ...Object.fromEntries(kept), ...own }
  }

  /** @param address - of the gateway, for the steps of the command */
  const run = Effect.fn("svc.step.runCommand")(function* (address: string) {
    yield* checkAddress(address)
    const child = yield* startCommand(words, environment(address))
    yield* onSignals(signals, child.handOn)
    return yield* child.ended
  })
  return { readers: yield* Ref.make<Readers>(new Map([[digest, reader]])), run }
})

/** An address that does not lead here would be told to every step, and each would fail on its node. */
const checkAddress = Effect.fnUntraced(function* (address: string) {
  const { hostname, protocol } = new URL(address)
  if (isLoopback(hostname)) return
  yield* HttpClient.get(`${address}/healthz`).pipe(
    Effect.filterOrFail(({ status }) => status === 200),
    Effect.timeout(ownReach),
    Effect.mapError(
      () =>
        new UsageError({
          message: `${address} does not lead from this host to the gateway: give --host an address of this host that other nodes reach, or --publicUrl`
        })
    ),
    Effect.provide(ApiHttp.layer({ proxy: null, caFile: null }))
  )
  if (protocol === "http:") {
    yield* Effect.logWarning(
      `${address} is plain HTTP: for a network that is yours; elsewhere put a standing gateway behind TLS`
    )
  }
})
