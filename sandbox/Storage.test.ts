import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, layer } from "@effect/vitest"
import { Clock, Duration, Effect } from "effect"
import { makeForwardClock } from "../test/servers/ForwardClock.ts"
import { ask, json, logIn, postForm, say } from "../test/servers/Visitor.ts"
import { type SandboxOptions, start } from "./Sandbox.ts"

const visit = Effect.fnUntraced(function* (options: SandboxOptions = {}) {
  const sandbox = yield* start(options)
  const { pass } = yield* logIn(sandbox)
  const files = Effect.fnUntraced(function* (analysis: string) {
    const heard = yield* ask(sandbox.url, pass, `/api/analysis/${analysis}/get-file-download-links`)
    return json(heard).response.apiFileLinks as ReadonlyArray<Record<string, string | number | boolean | null>>
  })
  return {
    sandbox,
    files,
    bam: Effect.map(files("A3"), (all) => all.find((file) => file["fileName"] === "S3.bam") ?? {}),
    restore: (...ids: ReadonlyArray<string>) =>
      Effect.map(
        postForm(sandbox.url, pass, "/archive/analysis/restore", [
          ...ids.map((id): [string, string] => ["analysisIds", id]),
          ["disableArchive", "false"]
        ]),
        json
      )
  }
})

const delay = { restoreDelay: Duration.hours(1) }

layer(NodeServices.layer, { excludeTestServices: true })("archive", (it) => {
  it.effect("a restore request starts a thaw, and the file is there when it ends", () =>
    Effect.gen(function* () {
      const { bam, files, restore, sandbox } = yield* visit({ behaviour: delay })
      const { size, ...cold } = yield* bam
      assert.deepStrictEqual(cold, {
        fileName: "S3.bam",
        downloadLink: null,
        currentlyArchived: true,
        estimatedRestoreTime: null
      })
      assert.isNumber(size)
      const index = (yield* files("A3")).find((file) => file["fileName"] === "S3.bam.bai")
      assert.strictEqual(index?.["currentlyArchived"], false)

      const { response, success } = yield* restore("A3")
      assert.isTrue(success)
      const thawing = yield* bam
      assert.deepStrictEqual(
        [thawing["currentlyArchived"], thawing["downloadLink"], thawing["estimatedRestoreTime"]],
        [true, null, response[0].restoreEstimation]
      )
      yield* sandbox.thaw
      const warm = yield* bam
      assert.deepStrictEqual([warm["currentlyArchived"], warm["estimatedRestoreTime"]], [false, null])
      assert.strictEqual((yield* say(String(warm["downloadLink"]))).body.length, size)
      assert.strictEqual((yield* sandbox.stats).restores, 1)
    })
  )

  it.effect("a dead or absent link while archived, and sizes null or absent", () =>
    Effect.gen(function* () {
      const dead = yield* (yield* visit({ behaviour: { archivedLink: "dead", sizes: "null" } })).bam
      assert.isNull(dead["size"])
      const heard = yield* say(String(dead["downloadLink"]))
      assert.strictEqual(heard.status, 403)
      assert.include(heard.body.toString(), "<Code>InvalidObjectState</Code>")
      const absent = yield* (yield* visit({ behaviour: { archivedLink: "absent", sizes: "absent" } })).bam
      assert.deepStrictEqual(Object.keys(absent), ["fileName", "currentlyArchived", "estimatedRestoreTime"])
    })
  )

  it.effect("a file can go back to the archive", () =>
    Effect.gen(function* () {
      const { clock, forward } = yield* makeForwardClock()
      const switches = { restoreDelay: Duration.zero, rearchiveAfter: Duration.days(2) }
      const { bam, restore } = yield* Effect.provideService(visit({ behaviour: switches }), Clock.Clock, clock)
      yield* restore("A3")
      yield* forward("47 hours")
      assert.strictEqual((yield* bam)["currentlyArchived"], false)
      yield* forward("2 hours")
      assert.strictEqual((yield* bam)["currentlyArchived"], true)
    })
  )

  describe("restore answers nobody has seen yet", () => {
    it.effect("for a file being restored: the same time, a later one, or no", () =>
      Effect.gen(function* () {
        for (const restoreAgain of ["same", "later", "refuse"] as const) {
          const { restore, sandbox } = yield* visit({ behaviour: { ...delay, restoreAgain } })
          const first = (yield* restore("A3")).response[0].restoreEstimation
          yield* Effect.sleep("20 millis")
          const second = yield* restore("A3")
          const time = second.response?.[0].restoreEstimation
          assert.strictEqual(second.success, restoreAgain !== "refuse")
          if (restoreAgain === "same") assert.strictEqual(time, first)
          if (restoreAgain === "later") assert.isAbove(Date.parse(time), Date.parse(first))
          assert.strictEqual((yield* sandbox.stats).restores, 1)
        }
      })
    )

    it.effect("for files that are online: the present, null, or no; for an unknown analysis: no", () =>
      Effect.gen(function* () {
        const answer = (restoreOnline: "now" | "null" | "refuse") =>
          Effect.flatMap(visit({ behaviour: { restoreOnline } }), ({ restore }) => restore("A1"))
        assert.isAtMost(Date.parse((yield* answer("now")).response[0].restoreEstimation), Date.now())
        assert.isNull((yield* answer("null")).response[0].restoreEstimation)
        assert.strictEqual((yield* answer("refuse")).success, false)
        const { restore } = yield* visit()
        assert.strictEqual((yield* restore("A3", "A99")).success, false)
        assert.strictEqual((yield* restore("A1", "A3")).response.length, 2)
      })
    )

    it.effect("L11 the estimation may be null, absent, or any text", () =>
      Effect.gen(function* () {
        const item = (restoreEstimation: string) =>
          Effect.flatMap(visit({ behaviour: { restoreEstimation } }), ({ restore }) =>
            Effect.map(restore("A3"), ({ response }) => response[0])
          )
        assert.isNull((yield* item("null")).restoreEstimation)
        assert.notProperty(yield* item("absent"), "restoreEstimation")
        assert.strictEqual((yield* item("9999-12-31T23:59:59Z")).restoreEstimation, "9999-12-31T23:59:59Z")
      })
    )
  })
})
