/** The account that the gateway has at the service, while readers come. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Sandbox } from "../../sandbox/Sandbox.ts"
import { ask } from "../GatewayGround.ts"
import { startGatewayHere } from "../GatewayLayer.ts"

/** The session ends at this request, and no later login is good. */
const passwordChanged = (endpoint: "getAnalyses" | "getFileDownloadLinks") =>
  [
    { when: { endpoint, nth: 1 }, then: { invalidate: "forbid" } },
    { when: { endpoint: "login" }, then: { status: 401 } }
  ] as const

describe("a password that is changed at the service while the gateway runs", () => {
  for (const [endpoint, path] of [
    ["getFileDownloadLinks", "/files/A1"],
    ["getAnalyses", "/service/api/analyses"]
  ] as const) {
    it.live(`is tried once, told to the reader, and ends the gateway: found out by ${endpoint}`, () =>
      Effect.gen(function* () {
        const { setFaults, stats } = yield* Sandbox
        const { lost, url } = yield* startGatewayHere({ api: true })
        yield* setFaults(passwordChanged(endpoint))
        const { status, text } = yield* ask(`${url}${path}`)
        assert.strictEqual(status, 502, text)
        assert.match(JSON.parse(text).message, /refused the login of .*: check user name and password/)
        assert.strictEqual((yield* Effect.flip(lost))._tag, "SvcLoginRefused")
        // Whoever comes then has the same answer, without another try: three would lock the account.
        assert.strictEqual((yield* ask(`${url}/files/A2`)).status, 502)
        assert.strictEqual((yield* stats).requests["login"], 2)
      }).pipe(Effect.provide(Sandbox.layer()))
    )
  }
})
