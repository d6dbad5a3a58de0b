/** The access log of a gateway: nothing is read that it does not name, however the address is spelled, and nothing is lost in silence. */
import { request } from "node:http"
import { connect } from "node:net"
import { assert, layer } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { Sandbox } from "../../sandbox/Sandbox.ts"
import { until } from "../Executables.ts"
import { type GatewayGround, startGatewayHere } from "../GatewayLayer.ts"
import { words } from "../Words.ts"

const token = "ada-0123456789abcdef"

interface Reply {
  readonly status: number
  readonly body: Buffer
  readonly headers: Readonly<Record<string, string | Array<string> | undefined>>
}

/** The path goes out as it is: `fetch` would mend it. */
const send = (url: string, path: string, method = "GET", headers: Record<string, string> = {}) =>
  Effect.callback<Reply>((resume) => {
    const { hostname, port } = new URL(url)
    const asked = request({ hostname, port, path, method, headers, agent: false }, (reply) => {
      const parts: Array<Buffer> = []
      reply.on("data", (part: Buffer) => parts.push(part))
      reply.on("end", () =>
        resume(Effect.succeed({ status: reply.statusCode ?? 0, body: Buffer.concat(parts), headers: reply.headers }))
      )
    })
    asked.on("error", (error) => resume(Effect.die(error)))
    asked.end()
  })

/** Numbers from 0 to 1, the same ones each time (mulberry32). */
const drawing = (seed: number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

/** The lines of the requests since the last call, once there are as many ends as requests. */
const linesAfter = (gateway: GatewayGround, answers: number) =>
  Effect.map(
    until(
      `${answers} answers are lines`,
      Effect.sync(() => gateway.lines.filter(({ event }) => event === "end").length >= answers)
    ),
    () => gateway.lines.splice(0)
  )

const bearer = { authorization: `Bearer ${token}` }

layer(Sandbox.layer({ behaviour: { strict: true, restoreDelay: Duration.hours(1) } }), { excludeTestServices: true })(
  "the access log",
  (it) => {
    it.effect("P6 has a line of each request that cannot be read, which is answered as before", () =>
      Effect.gen(function* () {
        const gateway = yield* startGatewayHere({ tokens: `ada ${token}` })
        const raw = (text: string) =>
          Effect.callback<string>((resume) => {
            let got = ""
            const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1")
            socket.write(text)
            socket.setEncoding("latin1").on("data", (more: string) => {
              got += more
            })
            socket.on("error", () => {})
            socket.on("close", () => resume(Effect.succeed(got.slice(0, 12))))
          })
        const host = "Host: 127.0.0.1\r\n"
        for (const [text, status] of [
          ["GET /files/A1 HTTP/9.9\r\n\r\n", 400],
          [`G\0T /files/A1/S1.bam HTTP/1.1\r\n${host}\r\n`, 400],
          [`GET /files/A1/S1.bam HTTP/1.1\r\n${host}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`, 400],
          [`GET /files/A1/S1.bam HTTP/1.1\r\n${host}X: ${"x".repeat(20_000)}\r\n\r\n`, 431],
          ["\x16\x03\x01 tls\r\n\r\n", 400]
        ] as const) {
          assert.strictEqual(yield* raw(text), `HTTP/1.1 ${status}`, text.slice(0, 30))
          const [line] = yield* linesAfter(gateway, 1)
          assert.deepInclude(line, { event: "end", what: "refused", status, address: "127.0.0.1", method: null })
        }
      })
    )

    it.effect("B1 names the analysis and the file of whatever was given out, in every spelling of an address", () =>
      Effect.gen(function* () {
        const gateway = yield* startGatewayHere({ tokens: `ada ${token} may=read,restore` })
        // As an adversary of the log would write it: other cases, slashes, escapes, dots, queries, matrix parameters.
        const targets = words`files/A1/S1.bam files/A1 reads/A1 reads/A1/S1.bam variants/A1 files/A3/S3.bam/restore`
        const draw = drawing(7)
        const one = <A>(choices: ReadonlyArray<A>): A => choices[Math.floor(draw() * choices.length)] as A
        const spelled = (text: string) =>
          Array.from(text, (letter) => {
            if (draw() > 0.07) return letter
            return one([letter.toUpperCase(), `%${letter.charCodeAt(0).toString(16)}`, letter === "/" ? "//" : letter])
          }).join("")
        const paths = Array.from({ length: 400 }, () => {
          const begin = one(["/", "//", `/t/${token}/`, `/t/${token}//`, "/./", "/x/../", "/", "/"])
          const end = one(["", "", "", "/", "//", "?x=1", ";/restore", "/.", "/..", "%2f", "?", "/RESTORE", "/restore"])
          return [`${begin}${spelled(one(targets))}${end}`, one(["GET", "HEAD", "POST"])] as const
        })
        let given = 0
        for (const [path, method] of [
          ...targets.map((each) => [`/${each}`, each.endsWith("restore") ? "POST" : "GET"] as const),
          ...paths
        ]) {
          const { status } = yield* send(gateway.url, path, method, bearer)
          const lines = yield* linesAfter(gateway, 1)
          const ends = lines.filter(({ event }) => event === "end")
          assert.lengthOf(ends, 1, path)
          assert.strictEqual(ends[0]?.["status"], status, path)
          assert.notInclude(JSON.stringify(lines), token, path)
          if (status >= 400) continue
          given++
          const info = /service-info/i.test(path)
          const begins = lines.filter(({ event }) => event === "begin")
          assert.lengthOf(begins, info ? 0 : 1, path)
          for (const line of lines) assert.match(`${line["analysis"]}`, /^A[13]$/, `${method} ${path} ${status}`)
          if (/s1\.bam/i.test(decodeURIComponent(path))) assert.strictEqual(ends[0]?.["file"], "S1.bam", path)
          if (status === 202) assert.deepStrictEqual([ends[0]?.["what"], ends[0]?.["file"]], ["restoration", "S3.bam"])
        }
        assert.isAbove(given, 100)
      })
    )

    it.effect(
      "B1 has a line for each refusal and each address that is not known, and none for probes and preflights",
      () =>
        Effect.gen(function* () {
          const gateway = yield* startGatewayHere({ tokens: `ada ${token}`, allowOrigin: ["https://igv.org"] })
          for (const path of ["/healthz", "/readyz"]) {
            assert.strictEqual((yield* send(gateway.url, path)).status, 200, path)
          }
          yield* send(gateway.url, "/metrics", "GET", bearer)
          yield* send(gateway.url, "/files/A1/S1.bam", "OPTIONS", { origin: "https://igv.org" })
          yield* send(gateway.url, "/files/A1/S1.bam")
          yield* send(gateway.url, "/nothing", "GET", bearer)
          const lines = yield* linesAfter(gateway, 2)
          assert.deepStrictEqual(
            lines.map(({ event, name, status, what }) => [event, name, what, status]),
            [
              ["end", null, "refused", 401],
              ["end", "ada", "other", 404]
            ]
          )
        })
    )

    it.effect(
      "B1 names all analyses of a request, says what it leaves out, and takes no restoration that it cannot name",
      () =>
        Effect.gen(function* () {
          const { stats } = yield* Sandbox
          const gateway = yield* startGatewayHere({ tokens: `ada ${token} may=read,restore`, api: true })
          const ids = (count: number) => ["A1", ...Array.from({ length: count }, (_, i) => `ANALYSIS-${i}`)].join(",")
          yield* send(gateway.url, `/service/api/analyses?analysisIds=${ids(200)}`, "GET", bearer)
          for (const line of yield* linesAfter(gateway, 1)) {
            assert.strictEqual(line["analysis"], ids(200))
            assert.strictEqual(line["range"], `GET /api/analyses?analysisIds=${ids(200)}`)
          }
          const before = (yield* stats).requests["requestRestore"] ?? 0
          const restored = yield* Effect.promise(() =>
            fetch(`${gateway.url}/service/archive/analysis/restore`, {
              method: "POST",
              body: new URLSearchParams({ analysisIds: `${ids(2000)},A3` }),
              headers: bearer
            })
          )
          assert.strictEqual(restored.status, 413)
          assert.strictEqual((yield* stats).requests["requestRestore"] ?? 0, before)
          const whole = `${ids(2000)},A3`
          for (const line of yield* linesAfter(gateway, 1)) {
            assert.strictEqual(line["analysis"], `${whole.slice(0, 16_384)}... (${whole.length} characters)`)
          }
          const regions = Array.from({ length: 12 }, (_, i) => ({
            referenceName: "chr17",
            start: 43_044_294 + 100 * i,
            end: 43_044_304 + 100 * i
          }))
          yield* Effect.promise(() =>
            fetch(`${gateway.url}/reads/A1`, { method: "POST", body: JSON.stringify({ regions }), headers: bearer })
          )
          for (const line of yield* linesAfter(gateway, 1)) {
            assert.match(String(line["range"]), /^(?:chr17:\d+-\d+,){10}\.\.\. \(2 more\)$/)
          }
        })
    )

    it.effect("B6 a reading has a line at its beginning and one at its end, with one id", () =>
      Effect.gen(function* () {
        const { setFaults } = yield* Sandbox
        const gateway = yield* startGatewayHere({ tokens: `ada ${token}` })
        yield* send(gateway.url, "/files/A1", "GET", bearer)
        yield* linesAfter(gateway, 1)
        yield* setFaults([{ when: { plane: "link", file: "S1.bam" }, then: { slow: 150_000 } }])
        yield* Effect.forkScoped(send(gateway.url, "/files/A1/S1.bam", "GET", bearer))
        yield* until(
          "the reading has begun",
          Effect.sync(() => gateway.lines.length === 1)
        )
        assert.deepStrictEqual(
          gateway.lines.map(({ event, what }) => [event, what]),
          [["begin", "file"]]
        )
        yield* setFaults([])
        const [begin, end] = yield* linesAfter(gateway, 1)
        assert.deepStrictEqual([begin?.["id"], end?.["ended"]], [end?.["id"], "complete"])
      })
    )

    it.effect("B6 lost lines are counted, and with --accessLogRequired nothing is read while they are lost", () =>
      Effect.gen(function* () {
        for (const required of [false, true]) {
          const gateway = yield* startGatewayHere({ required })
          gateway.disk.full = true
          const refused = yield* send(gateway.url, "/files/A1")
          assert.deepStrictEqual(
            [refused.status, refused.headers["retry-after"]],
            required ? [503, "5"] : [200, undefined]
          )
          const { body } = yield* send(gateway.url, "/metrics")
          assert.match(body.toString(), /^svc_gateway_access_log_lines_lost_total [1-9]/m)
          assert.strictEqual((yield* send(gateway.url, "/healthz")).status, 200)
          gateway.disk.full = false
          assert.strictEqual((yield* send(gateway.url, "/files/A1")).status, 200)
        }
      })
    )

    it.effect(
      "B10 the address is that of the reader behind a proxy that is trusted, and what others claim is not believed",
      () =>
        Effect.gen(function* () {
          const claims = { "x-forwarded-for": "6.6.6.6, 203.0.113.9, 127.0.0.1" }
          for (const [trusts, address] of [
            [(each: string) => each === "127.0.0.1", "203.0.113.9"],
            [() => false, "127.0.0.1"]
          ] as const) {
            const gateway = yield* startGatewayHere({ trusts })
            yield* send(gateway.url, "/files/A1", "GET", claims)
            assert.deepStrictEqual(
              new Set((yield* linesAfter(gateway, 1)).map((line) => line["address"])),
              new Set([address])
            )
          }
        })
    )
  }
)
