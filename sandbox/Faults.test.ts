import { gunzipSync } from "node:zlib"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, layer } from "@effect/vitest"
import { Clock, Effect, Fiber, Schema } from "effect"
import { until } from "../test/Executables.ts"
import { makeForwardClock } from "../test/servers/ForwardClock.ts"
import { ask, json, postForm, say, sendJson, visit } from "../test/servers/Visitor.ts"
import { type FaultRule, FaultRules } from "./Faults.ts"
import type { SandboxOptions } from "./Sandbox.ts"

const visitWith = Effect.fnUntraced(function* (faults: ReadonlyArray<FaultRule>, options: SandboxOptions = {}) {
  const { get, link, pass, sandbox } = yield* visit({ ...options, faults })
  return { sandbox, pass, link: (name: string) => link("A1", name), list: get("/api/analyses") }
})

const onLink = (then: FaultRule["then"], when: FaultRule["when"] = {}): ReadonlyArray<FaultRule> => [
  { when: { plane: "link", file: "*.bam", nth: 1, ...when }, then }
]

const onList = (then: FaultRule["then"], when: FaultRule["when"] = {}): ReadonlyArray<FaultRule> => [
  { when: { endpoint: "getAnalyses", nth: 1, ...when }, then }
]

/** What the faulty first request and the good second one of S1.bam gave. */
const twice = Effect.fnUntraced(function* (faults: ReadonlyArray<FaultRule>, range?: string) {
  const { link } = yield* visitWith(faults)
  const url = yield* link("S1.bam")
  const said = range === undefined ? {} : { headers: { range } }
  return { bad: yield* say(url, said), good: yield* say(url, said) }
})

layer(NodeServices.layer, { excludeTestServices: true })("faults", (it) => {
  describe("on both planes", () => {
    const cuts = [
      [{ reset: 1000 }, 1000, "N6 reset after k bytes"],
      [{ reset: 0 }, 0, "N6 reset after the head"],
      [{ close: 1000 }, 1000, "N7 end after k bytes"]
    ] as const
    for (const [then, length, name] of cuts) {
      it.effect(`${name}, on a link`, () =>
        Effect.gen(function* () {
          const { bad, good } = yield* twice(onLink(then))
          assert.deepStrictEqual([bad.status, bad.body.length, bad.broken], [200, length, true])
          assert.isTrue(good.body.subarray(0, length).equals(bad.body))
          assert.isFalse(good.broken)
        })
      )
      it.effect(`${name}, on the API`, () =>
        Effect.gen(function* () {
          const { list } = yield* visitWith(onList(then))
          const bad = yield* list
          assert.deepStrictEqual([bad.status, bad.body.length, bad.broken], [200, length, true])
          assert.isFalse((yield* list).broken)
        })
      )
    }

    it.effect("N5 reset or close before the head: no answer at all", () =>
      Effect.gen(function* () {
        for (const then of [{ reset: "head" }, { close: "head" }] as const) {
          assert.strictEqual((yield* twice(onLink(then))).bad.status, 0)
          assert.strictEqual((yield* (yield* visitWith(onList(then))).list).status, 0)
        }
      })
    )

    it.effect("N10 silence after k bytes, with the connection open", () =>
      Effect.gen(function* () {
        const { link, list, sandbox } = yield* visitWith([...onLink({ stall: 500 }), ...onList({ stall: "head" })])
        const silent = yield* Effect.forkChild(Effect.all([say(yield* link("S1.bam")), list], { concurrency: 2 }))
        yield* until(
          "500 bytes are sent",
          Effect.map(sandbox.stats, (stats) => stats.files["A1/S1.bam"]?.bytes === 500)
        )
        yield* Effect.sleep("100 millis")
        assert.isUndefined(silent.pollUnsafe())
        const { files, linkInFlight } = yield* sandbox.stats
        assert.deepStrictEqual([linkInFlight, files["A1/S1.bam"]?.bytes], [1, 500])
        yield* Fiber.interrupt(silent)
        yield* until(
          "the host notices",
          Effect.map(sandbox.stats, ({ linkInFlight }) => linkInFlight === 0)
        )
      })
    )

    it.effect("N11 slow: bytes per second", () =>
      Effect.gen(function* () {
        const { link } = yield* visitWith(onLink({ slow: 2000 }))
        const begun = performance.now()
        const heard = yield* say(yield* link("S1.bam"), { headers: { range: "bytes=0-999" } })
        assert.strictEqual(heard.body.length, 1000)
        assert.isAbove(performance.now() - begun, 300)
      })
    )

    it.effect("H7, H8 headers as they are given, also a wrong length and none", () =>
      Effect.gen(function* () {
        const short = yield* twice(onLink({ headers: { "content-length": "400" }, close: 400 }))
        assert.deepStrictEqual([short.bad.headers["content-length"], short.bad.body.length], ["400", 400])
        const none = { "content-length": null, "transfer-encoding": null }
        const closed = yield* twice(onLink({ headers: none, close: 700 }))
        assert.isUndefined(closed.bad.headers["content-length"])
        assert.isUndefined(closed.bad.headers["transfer-encoding"])
        // The end of such a body is the end of the connection: nobody can see that it is short.
        assert.deepStrictEqual([closed.bad.body.length, closed.bad.broken], [700, false])
        const { list } = yield* visitWith(onList({ headers: { "set-cookie": ["a=1", "b=2"], "X-Odd": "1" } }))
        const { headers } = yield* list
        assert.deepStrictEqual([headers["set-cookie"], headers["x-odd"]], [["a=1", "b=2"], "1"])
      })
    )

    it.effect("H9 gzip: whole, cut, or only claimed", () =>
      Effect.gen(function* () {
        const whole = yield* twice(onLink({ gzip: "whole" }))
        assert.strictEqual(whole.bad.headers["content-encoding"], "gzip")
        assert.isTrue(gunzipSync(whole.bad.body).equals(whole.good.body))
        const cut = yield* twice(onLink({ gzip: "cut" }))
        assert.throws(() => gunzipSync(cut.bad.body))
        const claimed = yield* twice(onLink({ gzip: "claimed" }))
        assert.strictEqual(claimed.bad.headers["content-encoding"], "gzip")
        assert.isTrue(claimed.bad.body.equals(claimed.good.body))
        const { list } = yield* visitWith(onList({ gzip: "whole" }))
        assert.isTrue(JSON.parse(gunzipSync((yield* list).body).toString()).success)
      })
    )

    it.effect("H12, H13 a status with headers, k times", () =>
      Effect.gen(function* () {
        const then = { status: 503, headers: { "retry-after": "2" }, body: "later" }
        const { list } = yield* visitWith([{ when: { endpoint: "getAnalyses", after: 1, times: 2 }, then }])
        const statuses: Array<number> = []
        for (let i = 0; i < 4; i++) statuses.push((yield* list).status)
        assert.deepStrictEqual(statuses, [200, 503, 503, 200])
      })
    )

    it.effect("H11, H17 a redirect, and HTML with 200", () =>
      Effect.gen(function* () {
        const redirected = yield* twice(onLink({ redirect: "http://elsewhere.invalid/", status: 307 }))
        assert.deepStrictEqual(
          [redirected.bad.status, redirected.bad.headers.location],
          [307, "http://elsewhere.invalid/"]
        )
        const { list } = yield* visitWith(onList({ html: true }))
        const page = yield* list
        assert.strictEqual(page.status, 200)
        assert.match(page.body.toString(), /^<!DOCTYPE html>/)
      })
    )

    it.effect("D2 one bit of the body", () =>
      Effect.gen(function* () {
        const { bad, good } = yield* twice(onLink({ corrupt: 70_000 }))
        const wrong = [...bad.body.keys()].filter((i) => bad.body[i] !== good.body[i])
        assert.deepStrictEqual(wrong, [70_000])
      })
    )
  })

  describe("on links", () => {
    it.effect("H1 the range ignored; H2 a wrong Content-Range", () =>
      Effect.gen(function* () {
        const ignored = yield* twice(onLink({ ignoreRange: true }), "bytes=10-19")
        assert.deepStrictEqual([ignored.bad.status, ignored.good.status], [200, 206])
        const wrong = yield* twice(onLink({ headers: { "content-range": "bytes 5-14/99" } }), "bytes=10-19")
        assert.deepStrictEqual([wrong.bad.status, wrong.bad.headers["content-range"]], [206, "bytes 5-14/99"])
      })
    )

    it.effect("H3 another version from the k-th request on: same size, other bytes everywhere, other ETag", () =>
      Effect.gen(function* () {
        const { link } = yield* visitWith(onLink({ swap: true }, { nth: 2 }))
        const url = yield* link("S1.bam")
        const [first, second, third] = [yield* say(url), yield* say(url), yield* say(url)]
        assert.strictEqual(second.body.length, first.body.length)
        assert.notStrictEqual(second.headers.etag, first.headers.etag)
        assert.isFalse(second.body.equals(first.body))
        assert.isTrue(third.body.equals(second.body))
        const resumed = yield* say(url, { headers: { range: "bytes=9-", "if-range": first.headers.etag ?? "" } })
        assert.strictEqual(resumed.status, 200)
        // Only the time stamps of the blocks differ, and the end block is the standard one.
        assert.isTrue(second.body.subarray(-28).equals(first.body.subarray(-28)))
      })
    )

    it.effect("H3 another file in its place", () =>
      Effect.gen(function* () {
        const { link } = yield* visitWith(onLink({ swap: "A2/S2.bam" }))
        const heard = yield* say(yield* link("S1.bam"))
        assert.include(heard.body.toString("latin1").slice(0, 2), "\x1f\x8b")
        const other = yield* visitWith([])
        assert.notStrictEqual(heard.body.length, (yield* say(yield* other.link("S1.bam"))).body.length)
      })
    )

    it.effect("L2 a link that expires while its body is under way", () =>
      Effect.gen(function* () {
        const { clock, forward } = yield* makeForwardClock()
        const hosts = visitWith(onLink({ close: 5000, expireLink: "next" }))
        const { link, sandbox } = yield* Effect.provideService(hosts, Clock.Clock, clock)
        const url = yield* link("S1.bam")
        const cut = yield* say(url)
        assert.deepStrictEqual([cut.status, cut.body.length], [200, 5000])
        assert.strictEqual((yield* say(url)).status, 403)
        // Links of one second are the same.
        yield* forward("1 second")
        assert.strictEqual((yield* say(yield* link("S1.bam"))).status, 200)
        assert.strictEqual((yield* sandbox.stats).expiredLinks, 1)
      })
    )

    it.effect("L6 archived again", () =>
      Effect.gen(function* () {
        const { link } = yield* visitWith(onLink({ archive: true }, { nth: 2 }))
        const url = yield* link("S1.bam")
        assert.deepStrictEqual([(yield* say(url)).status, (yield* say(url)).status], [200, 403])
        assert.isNull(yield* link("S1.bam"))
      })
    )
  })

  describe("on the API", () => {
    it.effect("S3 the session ends: 302 with HTML, then 403", () =>
      Effect.gen(function* () {
        const { list, sandbox } = yield* visitWith(onList({ invalidate: "redirect" }, { nth: 2 }))
        const statuses = [(yield* list).status, (yield* list).status, (yield* list).status]
        assert.deepStrictEqual(statuses, [200, 302, 403])
        assert.strictEqual((yield* sandbox.stats).invalidations, 1)
      })
    )

    it.effect("S6 an answer is lost after the request took effect", () =>
      Effect.gen(function* () {
        const { pass, sandbox } = yield* visitWith([
          { when: { endpoint: "requestRestore" }, then: { loseAnswer: true } }
        ])
        const fields = [
          ["analysisIds", "A3"],
          ["disableArchive", "false"]
        ] as const
        const heard = yield* postForm(sandbox.url, pass, "/archive/analysis/restore", fields)
        assert.strictEqual(heard.status, 0)
        assert.strictEqual((yield* sandbox.stats).restores, 1)
      })
    )

    it.effect("matches by method, path, analysis, and counts each rule for itself", () =>
      Effect.gen(function* () {
        const { pass, sandbox } = yield* visitWith([
          { when: { plane: "api", path: "/api/analysis/*/annotations" }, then: { status: 500 } },
          { when: { plane: "api", analysis: "A2", method: "get" }, then: { status: 502 } },
          { when: { plane: "link" }, then: { status: 504 } }
        ])
        const status = (path: string) => Effect.map(ask(sandbox.url, pass, path), (heard) => heard.status)
        assert.strictEqual(yield* status("/api/analysis/A1/annotations"), 500)
        assert.strictEqual(yield* status("/api/analysis/A2/get-file-download-links"), 502)
        assert.strictEqual(yield* status("/api/analyses?analysisIds=A1,A2"), 502)
        assert.strictEqual(yield* status("/api/analyses?analysisIds=A1"), 200)
        assert.strictEqual((yield* sandbox.stats).faultsFired, 3)
      })
    )
  })

  describe("control", () => {
    it.effect("rules are replaced while it runs, and a misspelt one is refused", () =>
      Effect.gen(function* () {
        const { list, pass, sandbox } = yield* visitWith([])
        const put = (rules: unknown) => sendJson(sandbox.url, pass, "POST", "/__sandbox/faults", rules)
        assert.strictEqual((yield* put([{ when: { endpoint: "getAnalyses" }, then: { status: 500 } }])).status, 200)
        assert.strictEqual((yield* list).status, 500)
        for (const endpoint of ["initialSession", "authenticate", "login", "logout", "other"]) {
          const right = yield* put([{ when: { endpoint }, then: {} }])
          assert.strictEqual(right.status, 200, endpoint)
        }
        yield* put([{ when: { endpoint: "getAnalyses" }, then: { status: 500 } }])
        for (const [name, value] of [
          ["endpont", "getAnalyses"],
          ["endpoint", "getAnalysis"]
        ] as const) {
          const wrong = yield* put([{ when: { [name]: value }, then: {} }])
          assert.strictEqual(wrong.status, 400)
          assert.include(wrong.body.toString(), name)
        }
        assert.strictEqual((yield* list).status, 500)
        yield* put([])
        assert.strictEqual((yield* list).status, 200)
      })
    )

    it.effect("stats need no session and are not counted; reset forgets everything", () =>
      Effect.gen(function* () {
        const { list, sandbox } = yield* visitWith([])
        yield* list
        const stats = () => Effect.map(say(`${sandbox.url}/__sandbox/stats`), json)
        assert.deepStrictEqual(yield* stats(), yield* sandbox.stats)
        assert.deepStrictEqual((yield* stats()).requests, { initialSession: 1, login: 1, getAnalyses: 1 })
        yield* say(`${sandbox.url}/__sandbox/reset`, { method: "POST" })
        assert.deepStrictEqual((yield* stats()).requests, {})
        assert.strictEqual((yield* list).status, 403)
      })
    )
  })

  it.effect.prop("a rule survives its file", [FaultRules], ([rules]) =>
    Effect.gen(function* () {
      const text = yield* Schema.encodeEffect(Schema.fromJsonString(FaultRules))(rules)
      assert.deepStrictEqual(yield* Schema.decodeEffect(Schema.fromJsonString(FaultRules))(text), rules)
    })
  )
})
