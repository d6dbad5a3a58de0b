/** The interface of the service through a gateway: for our client, for those of other hands, and for many at once. */
import { mkdirSync } from "node:fs"
import { request } from "node:http"
import { connect } from "node:net"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Option, Redacted, Ref } from "effect"
import { Spools } from "../../core/src/annotations/Spool.ts"
import { ServiceClient } from "../../core/src/client/ServiceClient.ts"
import { AnalysisId } from "../../core/src/contract/Ids.ts"
import { Downloads } from "../../core/src/download/Downloads.ts"
import { liesCold } from "../../core/src/Errors.ts"
import * as Service from "../../platform/Service.ts"
import { Sandbox } from "../../sandbox/Sandbox.ts"
import { until } from "../Executables.ts"
import { readersIn, startGatewayHere } from "../GatewayLayer.ts"
import { json, logIn, logOut, type Pass, ask as visit } from "../servers/Visitor.ts"
import { words } from "../Words.ts"

const [ada, grace, eve] = ["ada-0123456789abcdef", "grace-0123456789abcdef", "eve-0123456789abcdef"]
const tokens = `ada ${ada} may=read,restore,change\ngrace ${grace} A1\neve ${eve} may=restore`

const ask = (url: string, token?: string, init: RequestInit = {}) =>
  Effect.promise(async () => {
    const headers = { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...init.headers }
    const reply = await fetch(url, { redirect: "manual", ...init, headers })
    return { status: reply.status, headers: reply.headers, text: await reply.text() }
  })

/** The body as it comes; fails when it breaks off. `seen` may stop it. */
const take = async (url: string, seen: (bytes: Uint8Array, stop: () => void) => void = () => {}) => {
  const controller = new AbortController()
  const reply = await fetch(url, { headers: { authorization: `Bearer ${ada}` }, signal: controller.signal })
  const pieces: Array<Uint8Array> = []
  for await (const piece of reply.body ?? []) {
    pieces.push(piece)
    seen(piece, () => controller.abort())
  }
  return Buffer.concat(pieces).toString("utf8")
}

layer(Sandbox.layer({ behaviour: { strict: true } }), { excludeTestServices: true })(
  "the API through the gateway",
  (it) => {
    it.effect("gives what the service gives, asks equal readings once, and one at a time", () =>
      Effect.gen(function* () {
        const { stats } = yield* Sandbox
        const { lines, url } = yield* startGatewayHere({ tokens, api: true })
        const before = yield* stats
        const paths = words`/api/analysis/A1/annotations /api/analyses /api/analysis/A1/get-file-download-links /virtual-panels`
        const answers = yield* Effect.all(
          Array.from({ length: 40 }, (_, i) => ask(`${url}/service${paths[i % paths.length]}`, ada)),
          { concurrency: 40 }
        )
        assert.deepStrictEqual(
          answers.filter(({ status }) => status !== 200).map(({ text }) => text),
          []
        )
        for (const { text } of answers) JSON.parse(text)
        const after = yield* stats
        assert.deepStrictEqual([after.logins - before.logins, after.overlaps, after.maxApiInFlight], [0, 0, 1])
        const asked =
          Object.values(after.requests).reduce((sum, n) => sum + n, 0) -
          Object.values(before.requests).reduce((sum, n) => sum + n, 0)
        assert.isBelow(asked, 20)
        assert.isTrue(
          lines.some(({ analysis, event, what }) => event === "begin" && what === "service" && analysis === "A1")
        )
        assert.strictEqual((yield* ask(`${url}/service/api/nothing`, ada)).status, 404)
        assert.strictEqual((yield* ask(`${url}/service/api/analysis/A1%2F..%2FA2/annotations`, ada)).status, 404)
      })
    )

    it.effect("who may not, may not: rights, analyses, tokens", () =>
      Effect.gen(function* () {
        const { stats } = yield* Sandbox
        const { url } = yield* startGatewayHere({ tokens, api: true })
        const status = (path: string, token?: string, init?: RequestInit) =>
          Effect.map(ask(`${url}/service${path}`, token, init), (answer) => answer.status)
        const form = (id: string): RequestInit => ({
          method: "POST",
          body: new URLSearchParams({ analysisIds: id, disableArchive: "false" }).toString(),
          headers: { "content-type": "application/x-www-form-urlencoded" }
        })
        assert.strictEqual(yield* status("/api/analysis/A1/annotations", grace), 200)
        assert.strictEqual(yield* status("/api/analyses?analysisIds=A1", grace), 200)
        for (const path of words`/api/analysis/A2/annotations /api/analysis/A2/get-file-download-links /api/analyses
          /api/analyses?analysisIds= /api/analyses?analysisIds=A1,A2 /api/analyses?analysisIds=A1&analysisIds=A2
          /api/cases/reports/info /api/analyses?analysisIds=A1&analysisIds=A2&x=1 /virtual-panels`) {
          assert.strictEqual(yield* status(path, grace), 404, path)
        }
        // P6 beside analyses, only what the contract has; who may read all asks as they like.
        for (const more of [
          "/api/analyses?analysisIds=A1&limsIds=LIMS-0002",
          "/api/analysis/A1/annotations?person=2"
        ]) {
          assert.strictEqual(yield* status(more, grace), 400, more)
          assert.strictEqual(yield* status(more, ada), 200, more)
        }
        const deleted = yield* ask(`${url}/service/api/person`, ada, { method: "DELETE" })
        assert.deepStrictEqual([deleted.status, deleted.headers.get("allow")], [405, "GET, HEAD, POST, PUT"])
        assert.strictEqual(yield* status("/api/analysis/A1/annotations", eve), 403)
        assert.strictEqual(yield* status("/archive/analysis/restore", grace, form("A1")), 403)
        assert.strictEqual(yield* status("/api/person", grace, { method: "PUT", body: "{}" }), 403)
        assert.strictEqual(yield* status("/api/analysis/A1/annotations", "not-a-token-0123456"), 401)
        assert.strictEqual(yield* status("/api/analysis/A1/annotations"), 302)
        assert.strictEqual(yield* status("/archive/analysis/restore", undefined, form("A3")), 302)
        const { restores } = yield* stats
        assert.strictEqual(yield* status("/archive/analysis/restore", eve, form("A3")), 200)
        assert.strictEqual((yield* stats).restores, restores + 1)
      })
    )

    it.effect("a restoration is of the analyses in its form, wherever else others are named", () =>
      Effect.gen(function* () {
        const { stats } = yield* Sandbox
        const { url } = yield* startGatewayHere({
          tokens: `ada ${ada} may=restore\neve ${eve} A3 may=read,restore`,
          api: true
        })
        const restored = (token: string, query: string, type = "application/x-www-form-urlencoded") =>
          Effect.map(
            ask(`${url}/service/archive/analysis/restore${query}`, token, {
              method: "POST",
              body: "analysisIds=A3&disableArchive=false",
              headers: { "content-type": type }
            }),
            ({ status }) => status
          )
        const before = (yield* stats).requests["requestRestore"] ?? 0
        for (const [query, type] of [
          ["?analysisIds=A2"],
          ["?x=1"],
          ["", "text/plain"],
          ["", "multipart/form-data; boundary=x"],
          ["", "application/x-www-form-urlencoded; charset=utf-16"]
        ] as const) {
          assert.strictEqual(yield* restored(eve, query, type), 404, `${query} ${type}`)
          assert.strictEqual(yield* restored(ada, query, type), 400, `${query} ${type}`)
        }
        assert.strictEqual((yield* stats).requests["requestRestore"] ?? 0, before)
        assert.strictEqual(yield* restored(eve, "", "application/x-www-form-urlencoded; charset=UTF-8"), 200)
      })
    )

    it.effect("a reading of several analyses goes on as long as each of them may be read", () =>
      Effect.gen(function* () {
        const { setFaults } = yield* Sandbox
        const { readers, url } = yield* startGatewayHere({ tokens: `grace ${grace} A1 A2`, api: true })
        yield* setFaults([{ when: { endpoint: "getAnalyses" }, then: { delay: 2500 } }])
        const asked = Effect.promise(() =>
          fetch(`${url}/service/api/analyses?analysisIds=A1,A2`, {
            headers: { authorization: `Bearer ${grace}` }
          }).then(
            (reply) => reply.text().then(() => reply.status),
            () => "cut"
          )
        )
        assert.strictEqual(yield* asked, 200)
        const later = yield* Effect.forkChild(asked, { startImmediately: true })
        yield* Effect.sleep("500 millis")
        if (readers !== null) yield* Ref.set(readers, readersIn(`grace ${grace} A1`))
        assert.strictEqual(yield* Fiber.join(later), "cut")
        yield* setFaults([])
      })
    )

    it.effect("a change whose answer is lost is sent once, and is a 502 that says so", () =>
      Effect.gen(function* () {
        const { setFaults, stats } = yield* Sandbox
        const { url } = yield* startGatewayHere({ tokens, api: true })
        yield* ask(`${url}/service/virtual-panels`, ada)
        yield* setFaults([{ when: { endpoint: "createOrUpdatePerson" }, then: { reset: 0 } }])
        const before = (yield* stats).requests["createOrUpdatePerson"] ?? 0
        const { status, text } = yield* ask(`${url}/service/api/person`, ada, {
          method: "PUT",
          body: JSON.stringify({ id: "LIMS-NEW" }),
          headers: { "content-type": "application/json" }
        })
        yield* setFaults([])
        assert.strictEqual(status, 502, text)
        assert.strictEqual(JSON.parse(text).success, false)
        assert.match(text, /OutcomeUnknown/)
        assert.strictEqual(((yield* stats).requests["createOrUpdatePerson"] ?? 0) - before, 1)
      })
    )

    it.effect(
      "a client that leaves in the middle: its change is made once, its answer keeps its place until it is whole",
      () =>
        Effect.gen(function* () {
          const { setFaults, stats } = yield* Sandbox
          let [open, closedWhileWriting, writing, written] = [false, 0, false, 0]
          const spools = Spools.of({
            open: Effect.acquireRelease(
              Effect.sync(() => {
                open = true
                return {
                  size: () => 0,
                  write: () =>
                    Effect.gen(function* () {
                      writing = true
                      yield* Effect.sleep("300 millis")
                      if (!open) closedWhileWriting++
                      written++
                    }),
                  read: () => Effect.succeed(0)
                }
              }),
              () =>
                Effect.sync(() => {
                  open = false
                })
            )
          })
          const { url } = yield* startGatewayHere({ tokens, api: true, spools })
          const leave = (path: string, init: RequestInit, when: () => boolean) =>
            Effect.gen(function* () {
              const controller = new AbortController()
              const headers = { authorization: `Bearer ${ada}`, "content-type": "application/json" }
              const asked = fetch(`${url}/service${path}`, { ...init, headers, signal: controller.signal }).catch(
                () => null
              )
              yield* until("it is under way", Effect.sync(when))
              controller.abort()
              yield* Effect.promise(() => asked)
            })
          yield* leave("/virtual-panels", {}, () => writing)
          yield* until(
            "the answer was written, and has gone",
            Effect.sync(() => written > 0 && !open)
          )
          assert.strictEqual(closedWhileWriting, 0)
          const before = (yield* stats).requests["createOrUpdatePerson"] ?? 0
          yield* setFaults([{ when: { endpoint: "createOrUpdatePerson" }, then: { delay: 500 } }])
          writing = false
          const started = performance.now()
          yield* leave(
            "/api/person",
            { method: "PUT", body: JSON.stringify({ id: "LIMS-LEFT" }) },
            () => performance.now() - started > 200
          )
          yield* until(
            "the change was answered",
            Effect.sync(() => writing)
          )
          yield* setFaults([])
          assert.strictEqual(((yield* stats).requests["createOrUpdatePerson"] ?? 0) - before, 1)
        })
    )

    it.effect("a question whose readers have left before its turn is not asked", () =>
      Effect.gen(function* () {
        const { setFaults, stats } = yield* Sandbox
        const { url } = yield* startGatewayHere({ tokens, api: true })
        yield* setFaults([{ when: { endpoint: "getAnalyses" }, then: { delay: 1000 } }])
        const before = (yield* stats).requests["getVirtualPanelSummaries"] ?? 0
        const first = yield* Effect.forkChild(ask(`${url}/service/api/analyses`, ada), { startImmediately: true })
        yield* Effect.sleep("200 millis")
        const controller = new AbortController()
        const left = fetch(`${url}/service/virtual-panels`, {
          headers: { authorization: `Bearer ${ada}` },
          signal: controller.signal
        }).catch(() => null)
        yield* Effect.sleep("300 millis")
        controller.abort()
        yield* Effect.promise(() => left)
        assert.strictEqual((yield* Fiber.join(first)).status, 200)
        assert.strictEqual((yield* ask(`${url}/service/api/person/LIMS-0001/id`, ada)).status, 200)
        yield* setFaults([])
        assert.strictEqual((yield* stats).requests["getVirtualPanelSummaries"] ?? 0, before)
        assert.strictEqual((yield* ask(`${url}/service/virtual-panels`, ada)).status, 200)
      })
    )

    it.effect("B11 a client that ends its side once it has asked gets its answer", () =>
      Effect.gen(function* () {
        const { setFaults } = yield* Sandbox
        const { url } = yield* startGatewayHere({ tokens, api: true })
        yield* setFaults([{ when: { endpoint: "getAnalyses" }, then: { delay: 400 } }])
        const text = yield* Effect.callback<string>((resume) => {
          let got = ""
          const socket = connect({ port: Number(new URL(url).port), host: "127.0.0.1", allowHalfOpen: true })
          socket.end(`GET /service/api/analyses HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${ada}\r\n\r\n`)
          socket.setEncoding("utf8").on("data", (more: string) => {
            got += more
          })
          socket.on("close", () => resume(Effect.succeed(got)))
        })
        yield* setFaults([])
        assert.match(text, /^(?:HTTP\/1\.1 100 Continue\r\n\r\n)+HTTP\/1\.1 200 OK\r\n[\s\S]*"success":true/)
      })
    )

    it.effect("a question is its address: what else comes with it is not waited for", () =>
      Effect.gen(function* () {
        const { url } = yield* startGatewayHere({ tokens, api: true })
        const status = yield* Effect.callback<number | undefined>((resume) => {
          const headers = { authorization: `Bearer ${ada}`, "content-length": "1000" }
          const sending = request(`${url}/service/api/analyses`, { headers }, (reply) => {
            resume(Effect.succeed(reply.statusCode))
            sending.destroy()
          }).on("error", () => {})
          sending.write("analysisIds=A2")
        }).pipe(Effect.timeoutOption("5 seconds"))
        assert.deepStrictEqual(status, Option.some(200))
      })
    )

    it.effect("P2 an answer that breaks off is a broken transfer, never a short success, and keeps no room", () =>
      Effect.gen(function* () {
        const { setFaults } = yield* Sandbox
        const path = "/service/api/analysis/A1/annotations"
        const whole = (yield* ask(`${(yield* startGatewayHere({ tokens, api: true })).url}${path}`, ada)).text
        const { lines, url } = yield* startGatewayHere({ tokens, api: true, spoolLimit: Buffer.byteLength(whole) + 10 })
        yield* setFaults([{ when: { endpoint: "getSnvAnnotations", times: 1 }, then: { close: whole.length - 20 } }])
        assert.strictEqual(yield* Effect.promise(() => take(`${url}${path}`).catch(() => "broken")), "broken")
        yield* setFaults([])
        // Of HTTP/1.0, where the end of the connection is that of the answer, without a length.
        yield* setFaults([
          {
            when: { endpoint: "getSnvAnnotations", times: 1 },
            then: { close: Buffer.byteLength(whole) - 20, headers: { "content-length": null } }
          }
        ])
        const old = yield* Effect.callback<string>((resume) => {
          let got = ""
          const socket = connect(Number(new URL(url).port), "127.0.0.1")
          socket.write(`GET ${path} HTTP/1.0\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${ada}\r\n\r\n`)
          socket.setEncoding("utf8").on("data", (more: string) => {
            got += more
          })
          socket.on("close", () => resume(Effect.succeed(got)))
        })
        assert.match(old, /^HTTP\/1\.1 502 .*the answer of the service broke off: connection (?:reset|closed)/s)
        yield* setFaults([])
        assert.isTrue((yield* ask(`${url}${path}`, ada)).text === whole)
        yield* until(
          "the log says so",
          Effect.sync(() => lines.some(({ ended, status }) => ended === "cut" && status === 200))
        )
      })
    )

    it.effect("W5 an answer in another charset comes as UTF-8, whole", () =>
      Effect.gen(function* () {
        const { setFaults } = yield* Sandbox
        const { url } = yield* startGatewayHere({ tokens, api: true })
        const headers = { "content-type": "application/json;charset=ISO-8859-1", "content-length": "32" }
        const body = '{"success":true,"response":"\u00fc"}'
        yield* setFaults([{ when: { endpoint: "getInternalPersonId" }, then: { status: 200, body, headers } }])
        assert.strictEqual(Buffer.byteLength(body), 32)
        const { text } = yield* ask(`${url}/service/api/person/LIMS-0001/id`, ada)
        yield* setFaults([])
        assert.strictEqual(text, '{"success":true,"response":"\u00c3\u00bc"}')
      })
    )

    it.effect("P2 an answer takes longer than the longest wait for a turn, and goes out as it comes", () =>
      Effect.gen(function* () {
        const { setFaults, stats } = yield* Sandbox
        const { url } = yield* startGatewayHere({ tokens, api: true }, "1 second")
        const path = `${url}/service/api/analysis/A1/annotations`
        const size = (yield* ask(path, ada)).text.length
        // A second and a half to its first byte, and two more to its last.
        yield* setFaults([
          { when: { endpoint: "getSnvAnnotations" }, then: { delay: 1500, slow: Math.ceil(size / 2) } }
        ])
        const begun = performance.now()
        let first = 0
        const whole = Effect.promise(() => take(path, () => (first ||= performance.now() - begun)))
        const [long, other] = yield* Effect.all(
          [whole, Effect.delay(ask(`${url}/service/virtual-panels`, ada), "100 millis")],
          { concurrency: 2 }
        )
        assert.strictEqual(long.length, size)
        assert.isBelow(first, performance.now() - begun - 1000)
        assert.deepStrictEqual([other.status, JSON.parse(other.text).error], [503, "ServiceAway"])
        yield* setFaults([])
        assert.strictEqual((yield* stats).overlaps, 0)
      })
    )

    it.effect(
      "P2 who leaves and comes back gets the answer that is under way, or has ended meanwhile; others ask anew",
      () =>
        Effect.gen(function* () {
          const { setFaults, stats } = yield* Sandbox
          const { url } = yield* startGatewayHere({ tokens, api: true })
          const path = `${url}/service/api/analysis/A1/annotations`
          const whole = (yield* ask(path, ada)).text
          const asked = Effect.map(stats, ({ requests }) => requests["getSnvAnnotations"] ?? 0)
          const before = yield* asked
          yield* setFaults([{ when: { endpoint: "getSnvAnnotations" }, then: { slow: Math.ceil(whole.length / 2) } }])
          const leave = Effect.promise(() => take(path, (_, stop) => stop()).catch(() => "left"))
          assert.strictEqual(yield* leave, "left")
          assert.isTrue((yield* Effect.promise(() => take(path))) === whole)
          assert.strictEqual((yield* asked) - before, 1)
          // It is whole when the next question has its turn.
          assert.strictEqual(yield* leave, "left")
          assert.strictEqual((yield* ask(`${url}/service/virtual-panels`, ada)).status, 200)
          assert.isTrue((yield* Effect.promise(() => take(path))) === whole)
          assert.strictEqual((yield* asked) - before, 2)
          assert.isTrue((yield* Effect.promise(() => take(path))) === whole)
          assert.strictEqual((yield* asked) - before, 3)
          // Not what was read before a change.
          assert.strictEqual(yield* leave, "left")
          const change = { method: "PUT", body: "{}", headers: { "content-type": "application/json" } }
          assert.strictEqual((yield* ask(`${url}/service/api/person`, ada, change)).status < 500, true)
          assert.isTrue((yield* Effect.promise(() => take(path))) === whole)
          assert.strictEqual((yield* asked) - before, 5)
          yield* setFaults([])
        })
    )

    it.effect("W11 one restoration that many ask for at the same time is asked for once", () =>
      Effect.gen(function* () {
        const { setFaults, stats } = yield* Sandbox
        const { url } = yield* startGatewayHere({ tokens, api: true })
        const before = (yield* stats).requests["requestRestore"] ?? 0
        yield* setFaults([{ when: { endpoint: "requestRestore" }, then: { delay: 500 } }])
        const restore = (id: string) =>
          ask(`${url}/service/archive/analysis/restore`, ada, {
            method: "POST",
            body: new URLSearchParams({ analysisIds: id, disableArchive: "false" })
          })
        const answers = yield* Effect.all(
          Array.from({ length: 16 }, () => restore("A3")),
          { concurrency: 16 }
        )
        assert.deepStrictEqual(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, 1)
        assert.strictEqual(answers[0]?.status, 200)
        assert.strictEqual(((yield* stats).requests["requestRestore"] ?? 0) - before, 1)
        yield* setFaults([])
        yield* restore("A3")
        assert.strictEqual(((yield* stats).requests["requestRestore"] ?? 0) - before, 2)
      })
    )

    it.effect("links lead to the gateway with --relay, need no token, and end with the token of their reader", () =>
      Effect.gen(function* () {
        const { url, readers } = yield* startGatewayHere({ tokens, api: true })
        const { text } = yield* ask(`${url}/service/api/analysis/A1/get-file-download-links`, grace)
        const links = [...text.matchAll(/"downloadLink"\s*:\s*("[^"]+")/g)].map(
          ([, link]) => JSON.parse(link ?? "") as string
        )
        assert.isAbove(links.length, 2)
        for (const link of links) {
          assert.isTrue(link.startsWith(`${url}/files/A1/`), link)
          // W11 they say when they end, as those of the service do.
          assert.match(link, /[?&]X-Amz-Date=\d{8}T\d{6}Z&X-Amz-Expires=3600&/)
        }
        const [link = ""] = links
        assert.notInclude(text, grace)
        assert.strictEqual((yield* ask(link)).status, 200)
        for (const wrong of [
          link.replace("A1", "A2"),
          link.replace(/.$/, (last) => (last === "0" ? "1" : "0")),
          link.replace("/files", "//files")
        ]) {
          assert.strictEqual((yield* ask(wrong)).status, 401, wrong)
        }
        // A signed address ends with the token for which it was made.
        if (readers !== null) yield* Ref.set(readers, readersIn(`ada ${ada}`))
        assert.strictEqual((yield* ask(link)).status, 401)
      })
    )

    it.effect("a program of other hands changes an address and a password, and nothing else", () =>
      Effect.gen(function* () {
        const { url } = yield* startGatewayHere({ tokens, api: true })
        const service = `${url}/service`
        const get = (pass: Pass, path: string) => visit(service, pass, path)
        for (const [user, password] of [
          ["ada", "wrong-password-0123"],
          ["grace", ada]
        ] as const) {
          const { pass } = yield* logIn({ url: service, user, password })
          assert.strictEqual(pass["x-csrf-token"], "")
        }
        const { pass } = yield* logIn({ url: service, user: "ada", password: ada })
        assert.strictEqual((yield* get(pass, "/api/analyses")).status, 200)
        assert.strictEqual(json(yield* get(pass, "/api/analysis/A1/get-file-download-links")).success, true)
        yield* logOut(service, pass)
        assert.strictEqual((yield* get(pass, "/api/analyses")).status, 302)
      })
    )

    it.effect("W6 a client that knows one sign for the end of a session logs in again after a restart", () =>
      Effect.gen(function* () {
        // As of the gateway before: 302 to the base address, with or without a slash, is the only sign that it knows.
        const cookie = { cookie: "SESSION=of-the-gateway-before" }
        for (const base of ["", "https://lab.example.org/gate"]) {
          const { url } = yield* startGatewayHere({ tokens, api: true, publicUrl: base === "" ? null : base })
          const known = `${base === "" ? url : base}/service`
          for (const init of [{ headers: cookie }, { method: "PUT", body: "{}", headers: cookie }]) {
            const over = yield* ask(`${url}/service/api/person`, undefined, init)
            assert.deepStrictEqual([over.status, over.headers.get("location")?.replace(/\/$/, "")], [302, known])
            assert.match(over.headers.get("content-type") ?? "", /^text\/html/)
          }
        }
        // Who has a session, and changes something without its CSRF token, is forbidden.
        const { readers, url } = yield* startGatewayHere({ tokens, api: true })
        const service = `${url}/service`
        const page = yield* ask(`${service}/`)
        const cookieOf = ({ headers }: { readonly headers: Headers }) =>
          headers.getSetCookie()[0]?.replace(/;.*/, "") ?? ""
        const form = { _csrf: page.headers.get("x-csrf-token") ?? "", username: "ada", password: ada }
        const init = { method: "POST", headers: { cookie: cookieOf(page) }, body: new URLSearchParams(form) }
        const session = { cookie: cookieOf(yield* ask(`${service}/login`, undefined, init)) }
        assert.strictEqual((yield* ask(`${service}/api/analyses`, undefined, { headers: session })).status, 200)
        const change = { method: "PUT", body: "{}", headers: session }
        assert.strictEqual((yield* ask(`${service}/api/person`, undefined, change)).status, 403)
        if (readers !== null) yield* Ref.set(readers, readersIn(`grace ${grace}`))
        assert.strictEqual((yield* ask(`${service}/api/person`, undefined, change)).status, 302)
      })
    )

    it.effect("W7 the link of a restored file works as soon as a list has it; of one in the archive it is 75", () =>
      Effect.gen(function* () {
        const { setFaults, stats } = yield* Sandbox
        const { url } = yield* startGatewayHere({ tokens, api: true })
        const listing = `${url}/service/api/analysis/A1/get-file-download-links`
        const plain = JSON.parse((yield* ask(listing, ada)).text)
        const [first] = plain.response.apiFileLinks
        const archived = {
          ...plain,
          response: {
            ...plain.response,
            apiFileLinks: plain.response.apiFileLinks.map((file: object) =>
              file === first ? { ...file, downloadLink: "https://dead.example/", currentlyArchived: true } : file
            )
          }
        }
        yield* setFaults([
          { when: { endpoint: "getFileDownloadLinks" }, then: { status: 200, body: JSON.stringify(archived) } }
        ])
        const cold = JSON.parse((yield* ask(listing, ada)).text).response.apiFileLinks[0]
        const no = yield* ask(cold.downloadLink)
        assert.deepStrictEqual([no.status, JSON.parse(no.text).error], [409, "Archived"])
        assert.isTrue(liesCold("Archived"))
        yield* setFaults([])
        const back = JSON.parse((yield* ask(listing, ada)).text).response.apiFileLinks[0]
        const asked = (yield* stats).requests["getFileDownloadLinks"]
        assert.strictEqual((yield* ask(back.downloadLink)).status, 200)
        assert.strictEqual((yield* stats).requests["getFileDownloadLinks"], asked)
      })
    )

    it.effect("nobody makes the gateway hold a long form, and GET /login is the page that leads on", () =>
      Effect.gen(function* () {
        const { url } = yield* startGatewayHere({ tokens, api: true })
        const login = `${url}/service/login`
        // A form that never ends, of somebody who has no session.
        const status = yield* Effect.callback<number | undefined>((resume) => {
          const sending = request(login, { method: "POST", headers: { "content-length": "100000000" } }, (reply) => {
            resume(Effect.succeed(reply.statusCode))
            sending.destroy()
          }).on("error", () => {})
          sending.write("username=")
        }).pipe(Effect.timeoutOption("5 seconds"))
        assert.deepStrictEqual(status, Option.some(403))
        const page = yield* ask(login)
        assert.strictEqual(page.status, 200)
        const [cookie = ""] = page.headers.getSetCookie()
        const init = { method: "POST", headers: { cookie: cookie.replace(/;.*/, "") } }
        const token = page.headers.get("x-csrf-token") ?? ""
        const form = (password: string) =>
          ask(login, undefined, { ...init, body: new URLSearchParams({ _csrf: token, username: "ada", password }) })
        assert.strictEqual((yield* form("x".repeat(20_000))).status, 413)
        assert.match((yield* form(ada)).text, /Logged in/)
      })
    )

    it.effect("an answer that does not fit is a 503 with Retry-After, and the next one that fits is given", () =>
      Effect.gen(function* () {
        const { url } = yield* startGatewayHere({ tokens, api: true, spoolLimit: 300 })
        const full = yield* ask(`${url}/service/api/analysis/A1/annotations`, ada)
        assert.deepStrictEqual([full.status, full.headers.get("retry-after")], [503, "5"], full.text)
        assert.strictEqual((yield* ask(`${url}/service/api/person/LIMS-0001/id`, ada)).status, 200)
      })
    )
  }
)

layer(Sandbox.layer({ behaviour: { strict: true } }), { excludeTestServices: true })(
  "our client at a gateway",
  (it) => {
    it.effect("works with a token alone, many at once, and says of a wrong one that it is the token", () =>
      Effect.gen(function* () {
        const { folder, stats } = yield* Sandbox
        const { url } = yield* startGatewayHere({ tokens, api: true })
        const baseUrl = new URL(`${url}/service`)
        const restorationFile = `${folder}/restorations.json`
        const before = yield* stats
        const downloaded = yield* Effect.forEach(
          ["A1", "A2", "A1", "A2"],
          (id, at) =>
            Effect.gen(function* () {
              const downloads = yield* Downloads
              const destination = `${folder}/${at}`
              yield* Effect.sync(() => mkdirSync(destination))
              return yield* downloads.run({ analysisIds: [id], destination, filetypes: ["bam"] })
            }).pipe(
              Effect.provide(Service.layer({ baseUrl, token: Redacted.make(ada), restorationFile })),
              Effect.scoped
            ),
          { concurrency: 4 }
        )
        assert.deepStrictEqual(
          downloaded.flatMap(({ results }) => results.map(({ _tag }) => _tag)),
          Array.from({ length: 4 }, () => "Downloaded")
        )
        const after = yield* stats
        assert.deepStrictEqual([after.logins - before.logins, after.overlaps, after.maxApiInFlight], [0, 0, 1])
        const wrong = yield* Effect.flatMap(ServiceClient, (client) => client.getAnalyses()).pipe(
          Effect.provide(Service.layer({ baseUrl, token: Redacted.make("wrong-0123456789abcdef"), restorationFile })),
          Effect.scoped,
          Effect.flip
        )
        assert.strictEqual(wrong._tag, "SvcLoginRefused")
        assert.match(wrong.message, /refused the token/)
        const limited = yield* Effect.flatMap(ServiceClient, (client) =>
          client.getFileDownloadLinks(AnalysisId.make("A2"))
        ).pipe(
          Effect.provide(Service.layer({ baseUrl, token: Redacted.make(grace), restorationFile })),
          Effect.scoped,
          Effect.flip
        )
        assert.strictEqual(limited._tag, "SvcNotFound")
        // The service itself knows no tokens, and a gateway for files alone no analyses that one could ask for.
        const { url: filesOnly } = yield* startGatewayHere({ tokens })
        for (const address of [(yield* Sandbox).settings.baseUrl, new URL(`${filesOnly}/service`)]) {
          const astray = yield* Effect.flatMap(ServiceClient, (client) =>
            client.getFileDownloadLinks(AnalysisId.make("A1"))
          ).pipe(
            Effect.provide(Service.layer({ baseUrl: address, token: Redacted.make(ada), restorationFile })),
            Effect.scoped,
            Effect.flip
          )
          assert.deepInclude(astray, { advice: "gatewayAddress" })
        }
      })
    )
  }
)
