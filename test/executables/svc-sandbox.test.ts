import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { start, untilOrEnd } from "../Executables.ts"
import { ask, json, logIn } from "../servers/Visitor.ts"

it.live("svc-sandbox prints one line, serves, and ends with 0 when it is told to stop", () =>
  Effect.gen(function* () {
    const running = yield* start("svc-sandbox", ["--ids", "numeric", "--restoreDelay", "1h"])
    yield* untilOrEnd(
      running,
      "it is ready",
      Effect.sync(() => running.stdout().endsWith("\n"))
    )
    const { linkHost, password, url, user } = JSON.parse(running.stdout())
    const { pass } = yield* logIn({ password, url, user })
    assert.strictEqual(json(yield* ask(url, pass, "/api/analyses")).response[0].id, 1)
    const links = json(yield* ask(url, pass, "/api/analysis/1/get-file-download-links")).response.apiFileLinks
    assert.isTrue(links[0].downloadLink.startsWith(`${linkHost}/`))
    yield* running.kill("SIGTERM")
    const { exitCode, stderr, stdout } = yield* running.outcome
    assert.deepStrictEqual([exitCode, stderr, stdout.split("\n").length], [0, "", 2])
  })
)
