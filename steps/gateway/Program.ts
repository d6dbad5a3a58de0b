/** The program of `svc-gateway`: check who may come, listen, log in, say where, and serve until a signal ends it. */
import { Effect, Redacted, Result } from "effect"
import { TokenFileUnusable } from "../../core/src/Errors.ts"
import { ServiceAccess } from "../../core/src/serving/ServiceAccess.ts"
import type { Settings } from "../../core/src/settings/Settings.ts"
import { isLoopback } from "../../core/src/text/HostReach.ts"
import { Scrubber } from "../../core/src/text/Scrubber.ts"
import { start } from "../../gateway/Gateway.ts"
import { GatewaySettings } from "../../gateway/GatewaySettings.ts"
import { secretIn } from "../../platform/inputs/PasswordFile.ts"
import { printLines } from "../main/StandardOutput.ts"
import { makeProgram, type ValuesOf, valuesOf, withProblems } from "../main/Step.ts"
import { Stopping } from "../main/Stopping.ts"
import { version } from "../main/Version.ts"
import type { options } from "./Options.ts"
import { wiring } from "./Wiring.ts"

/** How long the gateway waits for the first login before it announces its address; the login goes on after that. */
const firstLogin = "5 seconds"

type Values = ValuesOf<typeof options>

export const program = makeProgram(
  (_settings, _operands, own) => {
    const values = valuesOf<typeof options>(own)
    const { allowOrigin, host, publicUrl, tokenFile } = values
    const problems: Array<string> = []
    if (tokenFile === null && !isLoopback(host)) {
      problems.push(`--host ${host} lets other computers in: give --tokenFile FILE with a secret that they must show`)
    }
    if (tokenFile === null && allowOrigin.includes("*")) {
      problems.push("--allowOrigin * lets every page of the web read: give --tokenFile FILE, or the origins")
    }
    for (const origin of allowOrigin) {
      if (origin !== "*" && !(URL.canParse(origin) && new URL(origin).origin === origin)) {
        problems.push(`Invalid value for --allowOrigin: "${origin}": expected an origin such as https://igv.org`)
      }
    }
    if (publicUrl !== null && !isPublicUrl(publicUrl)) {
      problems.push(`Invalid value for --publicUrl: "${publicUrl}": expected an http or https address without a query`)
    }
    return withProblems(Result.succeed(values), problems)
  },
  Effect.fnUntraced(function* (settings: Settings, { publicUrl, queueTimeout, tokenFile, ...given }: Values) {
    const token = tokenFile === null ? null : yield* tokenIn(tokenFile)
    const scrubber = yield* Scrubber
    scrubber.protect(token)
    const stopping = yield* Stopping
    const serving = Effect.gen(function* () {
      const access = yield* ServiceAccess
      const url = yield* start
      yield* Effect.timeoutOption(Effect.raceFirst(Effect.asVoid(access.client), access.lost), firstLogin)
      yield* printLines(JSON.stringify({ url }))
      // A gateway only serves, so one that is stopped by a signal has succeeded: exit code 0.
      yield* stopping.endWith(0)
      return yield* Effect.tapError(access.lost, () => stopping.endWith(null))
    })
    return yield* serving.pipe(
      Effect.scoped,
      Effect.provideService(GatewaySettings, {
        ...given,
        token,
        publicUrl: publicUrl?.replace(/\/+$/, "") ?? null,
        version
      }),
      Effect.provide(wiring(settings, queueTimeout))
    )
  })
)

const isPublicUrl = (text: string) => /^https?:\/\/[^?#@]+$/.test(text) && URL.canParse(text)

/** As a part of a path it may hold nothing that would have to be escaped; a short one could be guessed. */
const tokenIn = Effect.fnUntraced(function* (path: string): Effect.fn.Return<Redacted.Redacted, TokenFileUnusable> {
  const unusable = (reason: string) => new TokenFileUnusable({ path, reason })
  return yield* Effect.filterOrFail(
    secretIn(path, unusable),
    (token) => /^[A-Za-z0-9._~-]{16,256}$/.test(Redacted.value(token)),
    () => unusable("its first line must be 16 to 256 letters, digits, dots, dashes, underscores or tildes")
  )
})
