/** A step with a session: `node SessionRun.ts URL LOCKDIR|none REQUESTS` prints `ok` or the tag of its error. */
import { Duration, Effect, Layer, Redacted } from "effect"
import { AccountLock } from "../../core/src/session/Gate.ts"
import { Session } from "../../core/src/session/Session.ts"
import { makeSessionProfile } from "../../core/src/session/SessionSettings.ts"
import * as ApiHttp from "../../platform/http/ApiHttp.ts"
import * as AccountLockFiles from "../../platform/locks/AccountLockFiles.ts"

const [url = "", lockDir = "none", requests = "1"] = process.argv.slice(2)

const session = Session.layer({
  baseUrl: new URL(url),
  username: "ana",
  password: Redacted.make("right"),
  profile: makeSessionProfile("0.0.0")
}).pipe(
  Layer.provide([
    ApiHttp.layer({ proxy: null, caFile: null, noProxy: "", connectTimeout: Duration.minutes(2) }),
    lockDir === "none" ? AccountLock.layerNone : AccountLockFiles.layer({ lockDir })
  ])
)

const program = Effect.gen(function* () {
  const { http } = yield* Session
  for (let i = 0; i < Number(requests); i++) yield* http.get(`/api/item/${i}`)
})

const said = await Effect.runPromise(
  program.pipe(Effect.provide(session), Effect.match({ onFailure: (error) => error._tag, onSuccess: () => "ok" }))
)
process.stdout.write(`${said}\n`)
