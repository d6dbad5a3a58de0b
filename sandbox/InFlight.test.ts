import { Agent, request } from "node:http"
import { connect } from "node:net"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { until } from "../test/Executables.ts"
import { makeForwardClock } from "../test/servers/ForwardClock.ts"
import { ask, json, logIn, say, visit } from "../test/servers/Visitor.ts"
import type { RunningSandbox } from "./Sandbox.ts"
import type { Stats } from "./Stats.ts"

const path = "/api/person/LIMS-0001"

layer(NodeServices.layer, { excludeTestServices: true })("requests of one account", (it) => {
  for (const count of [2, 5, 20]) {
    it.effect(`${count} at once end the session: 302 for one of them, then 403 for all`, () =>
      Effect.gen(function* () {
        const { pass, sandbox } = yield* visit({ behaviour: { strict: true } })
        const heard = yield* Effect.forEach(Array(count).fill(path), (it) => ask(sandbox.url, pass, it), {
          concurrency: "unbounded"
        })
        const statuses = heard.map(({ status }) => status)
        assert.include(statuses, 302)
        assert.isTrue(statuses.every((status) => [200, 302, 403].includes(status)))
        assert.strictEqual((yield* ask(sandbox.url, pass, path)).status, 403)
        const { invalidations, maxApiInFlight, overlaps } = yield* sandbox.stats
        assert.deepStrictEqual([overlaps > 0, invalidations > 0, maxApiInFlight > 1], [true, true, true])
      })
    )
  }

  it.effect("at once are counted without --strict too, and served", () =>
    Effect.gen(function* () {
      const { pass, sandbox } = yield* visit()
      const heard = yield* Effect.forEach(Array(20).fill(path), (it) => ask(sandbox.url, pass, it), {
        concurrency: "unbounded"
      })
      assert.isTrue(heard.every(({ status }) => status === 200))
      assert.isAbove((yield* sandbox.stats).overlaps, 0)
    })
  )

  it.effect("80 one after the other never overlap, on one connection or many", () =>
    Effect.gen(function* () {
      const { pass, sandbox } = yield* visit({ behaviour: { strict: true, annotationRows: 2000 } })
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      const kept = (address: string) =>
        Effect.callback<number>((resume) => {
          request(`${sandbox.url}${address}`, { agent, headers: { ...pass } }, (response) => {
            response.resume().on("end", () => resume(Effect.succeed(response.statusCode ?? 0)))
          }).end()
        })
      for (let i = 0; i < 40; i++) {
        assert.strictEqual(yield* kept(i % 10 === 0 ? "/api/analysis/A1/annotations" : path), 200)
        assert.strictEqual((yield* ask(sandbox.url, pass, path)).status, 200)
      }
      agent.destroy()
      const { invalidations, maxApiInFlight, overlaps } = yield* sandbox.stats
      assert.deepStrictEqual([overlaps, invalidations, maxApiInFlight], [0, 0, 1])
    })
  )

  it.effect("one whose head comes slowly is in flight from its first byte", () =>
    Effect.gen(function* () {
      const { pass, sandbox } = yield* visit()
      const { hostname, port } = new URL(sandbox.url)
      const socket = connect(Number(port), hostname)
      const write = (text: string) =>
        Effect.callback<void>((resume) => void socket.write(text, () => setTimeout(() => resume(Effect.void), 20)))
      yield* write(`GET ${path} HTTP/1.1\r\nHost: x\r\n`)
      assert.strictEqual((yield* ask(sandbox.url, pass, path)).status, 200)
      const headers = Object.entries(pass).map(([name, value]) => `${name}: ${value}\r\n`)
      yield* write(`${headers.join("")}\r\n`)
      yield* until(
        "the overlap is counted",
        Effect.map(sandbox.stats, ({ overlaps }) => overlaps === 1)
      )
      socket.destroy()
    })
  )
})

layer(NodeServices.layer, { excludeTestServices: true })("requests whose client leaves", (it) => {
  const stats = (sandbox: RunningSandbox, holds: (stats: Stats) => boolean) =>
    until("the stats say so", Effect.map(sandbox.stats, holds))

  for (const strict of [true, false]) {
    it.effect(`S8 are worked on, and the next one overlaps${strict ? ", which ends the session" : ""}`, () =>
      Effect.gen(function* () {
        const { clock, forward } = yield* makeForwardClock()
        const faults = [{ when: { endpoint: "getPerson", nth: 1 }, then: { delay: 40_000 } }] as const
        const visited = Effect.provideService(visit({ behaviour: { strict }, faults }), Clock.Clock, clock)
        const { pass, sandbox } = yield* visited
        const left = yield* Effect.forkChild(ask(sandbox.url, pass, path))
        yield* stats(sandbox, ({ apiInFlight }) => apiInFlight === 1)
        yield* Fiber.interrupt(left)
        yield* stats(sandbox, ({ abandoned }) => abandoned === 1)
        yield* forward("39 seconds")
        assert.strictEqual((yield* ask(sandbox.url, pass, path)).status, strict ? 302 : 200)
        yield* forward("2 seconds")
        yield* stats(sandbox, ({ apiInFlight }) => apiInFlight === 0)
        const next = strict ? (yield* logIn(sandbox)).pass : pass
        assert.strictEqual((yield* ask(sandbox.url, next, path)).status, 200)
        const { overlaps, maxApiInFlight } = yield* sandbox.stats
        assert.deepStrictEqual([overlaps, maxApiInFlight], [1, 2])
      })
    )
  }

  it.effect("end with their connection once the answer has begun, or where the network fails", () =>
    Effect.gen(function* () {
      for (const then of [{ slow: 10 }, { stall: 5 }, { stall: "head" }] as const) {
        const { pass, sandbox } = yield* visit({ faults: [{ when: { endpoint: "getPerson", nth: 1 }, then }] })
        const left = yield* Effect.forkChild(ask(sandbox.url, pass, path))
        yield* stats(sandbox, ({ faultsFired }) => faultsFired === 1)
        yield* Effect.sleep("100 millis")
        yield* Fiber.interrupt(left)
        yield* stats(sandbox, ({ apiInFlight }) => apiInFlight === 0)
        assert.strictEqual((yield* ask(sandbox.url, pass, path)).status, 200)
        assert.strictEqual((yield* sandbox.stats).overlaps, 0)
      }
    })
  )
})

layer(NodeServices.layer, { excludeTestServices: true })("the fetch of Node", (it) => {
  it.effect("which always says Sec-Fetch-Mode: cors, is served", () =>
    Effect.gen(function* () {
      const { pass, sandbox } = yield* visit()
      const heard = yield* Effect.promise(() => fetch(`${sandbox.url}${path}`, { headers: { ...pass } }))
      assert.strictEqual(heard.status, 200)
    })
  )
})

layer(NodeServices.layer, { excludeTestServices: true })("requests that are refused", (it) => {
  it.effect("a body over 8 MiB, while it comes, with and without its length", () =>
    Effect.gen(function* () {
      const { pass, sandbox } = yield* visit()
      for (const length of [{ "content-length": "200000000" }, {}]) {
        let sent = 0
        const status = yield* Effect.callback<number>((resume) => {
          const put = request(`${sandbox.url}/login`, { method: "POST", headers: { ...pass, ...length } })
          const piece = Buffer.alloc(1024 * 1024, 97)
          const more = () => {
            while (sent < 64 * piece.length) {
              sent += piece.length
              if (!put.write(piece)) {
                put.once("drain", more)
                return
              }
            }
          }
          put.on("response", (response) => {
            resume(Effect.succeed(response.statusCode ?? 0))
            put.destroy()
          })
          put.on("error", () => {})
          more()
        })
        assert.deepStrictEqual([status, sent < 64 * 1024 * 1024], [413, true])
      }
      assert.strictEqual((yield* ask(sandbox.url, pass, path)).status, 200)
    })
  )

  it.effect("the API as a document and a page, which need no session", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* visit()
      const document = yield* say(`${sandbox.url}/__sandbox/openapi.json`)
      assert.strictEqual(json(document).openapi, "3.1.0")
      const page = yield* say(`${sandbox.url}/__sandbox/docs`)
      assert.strictEqual(page.status, 200)
      assert.notMatch(page.body.toString(), /(src|href)="?https?:/)
      assert.match(String(page.headers["content-security-policy"]), /^default-src 'none'/)
    })
  )

  it.effect("fault rules that cannot be read, with their place", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* visit()
      const post = (body: string) => say(`${sandbox.url}/__sandbox/faults`, { method: "POST", body })
      for (const [body, why] of [
        ["[{", /not JSON: .*line 1, column 3/],
        ["", /not JSON/],
        ["\ufeff[{}]", /\[0\]\.when/],
        ['[{"when":{},"then":{"statuss":500}}]', /statuss/],
        ["{}", /array/i]
      ] as const) {
        const heard = yield* post(body)
        assert.strictEqual(heard.status, 400)
        assert.match(heard.body.toString(), why)
      }
    })
  )

  it.effect("a person with a date that never was, another sex, or a body that is no record", () =>
    Effect.gen(function* () {
      const { pass, sandbox } = yield* visit()
      const put = (body: string) =>
        ask(sandbox.url, pass, "/api/person", { method: "PUT", headers: { "content-type": "application/json" }, body })
      for (const [body, why] of [
        ['{"id":"L","birthDateYear":1981,"birthDateMonth":2,"birthDateDay":30}', /not a date/],
        ['{"id":"L","birthDateYear":1981,"birthDateMonth":13}', /not a date/],
        ['{"id":"L","birthDateYear":1981.5}', /not a date/],
        ['{"id":"L","sex":"male"}', /UNKNOWN, MALE, FEMALE, INTERSEX/],
        ['{"id":"L"', /not JSON/],
        ["{}", /id/]
      ] as const) {
        const heard = yield* put(body)
        assert.strictEqual(heard.status, 400, body)
        assert.match(json(heard).additionalInformation, why)
      }
      const leap = yield* put('{"id":"L","birthDateYear":2016,"birthDateMonth":2,"birthDateDay":29,"sex":"INTERSEX"}')
      assert.strictEqual(leap.status, 200)
    })
  )
})
