/** `svc-gateway` as a process before the sandbox: who may read, under which name, and what is written down of it. */
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync, renameSync, statSync, unlinkSync, writeFileSync } from "node:fs"
import { open } from "node:fs/promises"
import { request } from "node:http"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { startSandbox, until } from "../Executables.ts"
import { type Answer, ask, gatewayGround, startGateway, temporary } from "../GatewayGround.ts"
import { runWarm } from "../WarmExecutables.ts"
import { words } from "../Words.ts"

const [ada, grace, eve] = ["ada-0123456789abcdef", "grace-0123456789abcdef", "eve-0123456789abcdef"]

const files = Effect.map(temporary, (folder) => ({
  tokens: (text: string) => {
    const path = join(folder, "tokens")
    writeFileSync(path, text, { mode: 0o600 })
    return path
  },
  folder,
  log: join(folder, "access.log")
}))

const linesOf = (path: string): ReadonlyArray<Record<string, unknown>> =>
  existsSync(path)
    ? readFileSync(path, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line))
    : []

const as = (token: string, init: RequestInit = {}): RequestInit => ({
  ...init,
  headers: { authorization: `Bearer ${token}`, ...init.headers }
})

/** A GET over a socket file. */
const overSocket = (socketPath: string, path: string) =>
  Effect.callback<Pick<Answer, "status" | "text">>((resume) => {
    const asked = request({ socketPath, path, host: "localhost" }, (reply) => {
      let text = ""
      reply.setEncoding("utf8").on("data", (more: string) => (text += more))
      reply.on("end", () => resume(Effect.succeed({ status: reply.statusCode ?? 0, text })))
    })
    asked.on("error", (error) => resume(Effect.die(error)))
    asked.end()
  })

const hangup = (pid: number) => Effect.sync(() => void process.kill(pid, "SIGHUP"))

describe("readers of svc-gateway", () => {
  it.live(
    "no page of another origin orders a restoration, and each one asked for, joined or refused is a line of the log",
    () =>
      Effect.gen(function* () {
        const { gateway, stats } = yield* gatewayGround(
          ["--allowRestore", "--loglevel", "info"],
          ["--restoreDelay", "1h"]
        )
        const file = `${gateway.url}/files/A3/S3.bam`
        const post = (headers: Record<string, string> = {}) => ask(`${file}/restore`, { method: "POST", headers })
        const cold = yield* ask(file)
        assert.deepStrictEqual([cold.status, cold.headers.get("retry-after")], [409, null])
        const told = { error: "Archived", restoringSince: null, restoreUrl: `${file}/restore` }
        assert.deepInclude(JSON.parse(cold.text), told)
        const foreign = yield* post({ origin: "https://evil.example", "sec-fetch-site": "cross-site" })
        assert.deepStrictEqual([foreign.status, (yield* stats)["restores"]], [403, 0])
        const own = [yield* post(), yield* post()]
        assert.deepStrictEqual(
          own.map(({ status }) => status),
          [202, 202]
        )
        assert.strictEqual((yield* stats)["restores"], 1)
        const pending = yield* ask(file)
        assert.match(JSON.parse(pending.text).restoringSince, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
        assert.approximately(Number(pending.headers.get("retry-after")), 3300, 300)
        assert.strictEqual((yield* ask(`${gateway.url}/files/A1/S1.bam/restore`, { method: "POST" })).status, 200)
        const log = gateway.lines.join("\n")
        assert.match(log, /files: 403, a page of another origin sent this/)
        assert.match(log, /\[warn\]: A3\/S3\.bam: 409, S3\.bam is in the archive: ask for its restoration/)
        assert.match(log, /A3\/S3\.bam: restoration asked for, by 127\.0\.0\.1/)
        assert.match(log, /A3\/S3\.bam: restoration joined, by 127\.0\.0\.1/)
        assert.match(log, /A1\/S1\.bam: restoration not needed, by 127\.0\.0\.1/)
        const { gateway: other } = yield* gatewayGround()
        assert.strictEqual((yield* ask(`${other.url}/files/A3/S3.bam/restore`, { method: "POST" })).status, 403)
        assert.match(
          other.lines.join("\n"),
          /A3\/S3\.bam: restoration refused: neither --allowRestore nor may=restore allows it/
        )
      })
  )

  it.live("a socket file is for its owner alone; one that was left behind is taken over, one in use is not", () =>
    Effect.gen(function* () {
      const sandbox = yield* startSandbox()
      const socket = join((yield* files).folder, "gateway.sock")
      const first = yield* startGateway(sandbox, ["--socket", socket])
      assert.strictEqual(first.url, "http://localhost")
      assert.strictEqual(statSync(socket).mode & 0o7777, 0o600)
      const { status, text } = yield* overSocket(socket, "/files/A1")
      assert.strictEqual(status, 200)
      assert.strictEqual(JSON.parse(text).files[0].url, "http://localhost/files/A1/S1.bam")
      const env = { SVC_USER: sandbox.user, SVC_PASSWORD: sandbox.password, SVC_LOCK_DIR: yield* temporary }
      const second = yield* runWarm("svc-gateway", ["-t", sandbox.url, "--socket", socket], { env })
      assert.strictEqual(second.exitCode, 69)
      assert.include(second.stderr, "it is in use")
      yield* Effect.sync(() => void process.kill(first.pid, "SIGKILL"))
      yield* first.exitCode
      assert.isTrue(existsSync(socket))
      yield* startGateway(sandbox, ["--socket", socket])
      assert.strictEqual((yield* overSocket(socket, "/healthz")).status, 200)
      const data = join((yield* files).folder, "S1.bam")
      writeFileSync(data, "data")
      const wrong = yield* runWarm("svc-gateway", ["-t", sandbox.url, "--socket", data], { env })
      assert.deepStrictEqual([wrong.exitCode, readFileSync(data, "utf8")], [69, "data"])
    })
  )

  it.live("a name that is limited to some analyses finds no others, in listings, files, tickets and restorations", () =>
    Effect.gen(function* () {
      const { tokens } = yield* files
      const path = tokens(`ada ${ada}\ngrace ${grace} A1 LAB-*\n`)
      const { gateway, stats } = yield* gatewayGround(["--tokenFile", path, "--relay", "--allowRestore"])
      const before = yield* ask(`${gateway.url}/files/A1/S1.bam`, as(grace))
      assert.strictEqual(before.status, 200)
      const asked = (yield* stats)["requests"]
      const paths: ReadonlyArray<readonly [string, RequestInit?]> = [
        ["/files/ID"],
        ["/files/ID/S2.bam"],
        ["/files/ID/S2.bam", { method: "HEAD" }],
        ["/files/ID/S2.bam/restore", { method: "POST" }],
        ["/reads/ID"],
        ["/reads/ID%2FS2.bam"],
        ["/variants/ID/S2.vcf.gz", { method: "POST", body: "{}" }]
      ]
      for (const [address, init] of paths) {
        // The same answer as for an analysis that does not exist.
        const hidden = yield* ask(`${gateway.url}${address.replace("ID", "A2")}`, as(grace, init))
        const missing = yield* ask(`${gateway.url}${address.replace("ID", "A99")}`, as(grace, init))
        assert.deepStrictEqual([hidden.status, missing.status], [404, 404], address)
        assert.strictEqual(
          hidden.text.replaceAll("A2", "ID").replaceAll("S2", "S"),
          missing.text.replaceAll("A99", "ID").replaceAll("S2", "S")
        )
      }
      assert.deepStrictEqual((yield* stats)["requests"], asked)
      assert.strictEqual((yield* ask(`${gateway.url}/files/A2`, as(ada))).status, 200)
      const ticket = JSON.parse((yield* ask(`${gateway.url}/reads/A1`, as(grace))).text)
      assert.strictEqual(ticket.htsget.urls[0].headers.Authorization, `Bearer ${grace}`)
    })
  )

  it.live(
    "SIGHUP reads the token file again and ends what a revoked token reads; when it cannot be read, the readers of before stay",
    () =>
      Effect.gen(function* () {
        const { tokens } = yield* files
        const path = tokens(`ada ${ada}\neve ${eve}\n`)
        const { gateway, setFaults } = yield* gatewayGround(["--tokenFile", path])
        const address = `${gateway.url}/files/A1/S1.bam`
        const status = (token: string) =>
          Effect.map(ask(`${gateway.url}/files/A1`, as(token)), (answer) => answer.status)
        const size = (yield* ask(address, as(ada))).bytes.length
        yield* setFaults([{ when: { plane: "link", file: "S1.bam" }, then: { slow: 150_000 } }])
        const begun = yield* Deferred.make<void>()
        const read = (reader: string) =>
          Effect.promise(async () => {
            let length = 0
            try {
              for await (const bytes of (await fetch(address, as(reader))).body ?? []) {
                length += bytes.length
                if (reader === ada) Deferred.doneUnsafe(begun, Effect.void)
              }
            } catch {
              return "cut"
            }
            return length
          })
        const told = (words: string) =>
          until(
            `the log says ${words}`,
            Effect.sync(() => gateway.lines.some((line) => line.includes(words)))
          )
        const changing = Effect.gen(function* () {
          yield* Deferred.await(begun)
          tokens(`eve ${eve}\ngrace ${grace} A2\n`)
          yield* hangup(gateway.pid)
          yield* told("again: 2 tokens")
          assert.deepStrictEqual([yield* status(ada), yield* status(eve), yield* status(grace)], [401, 200, 404])
          tokens("eve short\n")
          yield* hangup(gateway.pid)
          yield* told("line 1: the token of eve must be")
          assert.deepStrictEqual([yield* status(ada), yield* status(eve)], [401, 200])
          const metrics = Effect.map(ask(`${gateway.url}/metrics`, as(eve)), ({ text }) => text)
          assert.match(yield* metrics, /^svc_gateway_token_file_refused 1$/m)
          tokens(`eve ${eve}\n`)
          yield* hangup(gateway.pid)
          yield* told("again: 1 token")
          const text = yield* metrics
          assert.match(text, /^svc_gateway_token_file_refused 0$/m)
          for (const counter of words`svc_requests_total svc_bytes_total svc_logins_total svc_gateway_cpu_seconds_total`) {
            assert.match(text, new RegExp(`^# TYPE ${counter} counter$`, "m"))
          }
          assert.notMatch(text, /^svc_(?:gateway_logins_total|requests|bytes|logins)\b/m)
        })
        const [revoked, kept] = yield* Effect.all([read(ada), read(eve), changing], { concurrency: 3 })
        assert.deepStrictEqual([revoked, kept], ["cut", size])
        for (const token of [ada, eve, grace]) assert.notInclude(gateway.lines.join("\n"), token)
      })
  )

  it.live("SIGTERM ends it with 0 also while the token file is a pipe in which nothing comes", () =>
    Effect.gen(function* () {
      const { tokens } = yield* files
      const path = tokens(`ada ${ada}\n`)
      const { gateway } = yield* gatewayGround(["--tokenFile", path])
      unlinkSync(path)
      execFileSync("mkfifo", [path])
      yield* hangup(gateway.pid)
      // Opens when the gateway reads, and says nothing.
      yield* Effect.acquireRelease(
        Effect.promise(() => open(path, "w")),
        (file) => Effect.promise(() => file.close())
      )
      yield* Effect.sync(() => void process.kill(gateway.pid, "SIGTERM"))
      assert.strictEqual(yield* gateway.exitCode, 0)
    })
  )

  it.live(
    "the access log has a line for each reading and restoration, without tokens and links, and follows a rotation",
    () =>
      Effect.gen(function* () {
        const { folder, log, tokens } = yield* files
        const path = tokens(`ada ${ada}\ngrace ${grace} A1\n`)
        const { gateway, sandbox, setFaults } = yield* gatewayGround(
          ["--tokenFile", path, "--accessLog", log, "--allowRestore"],
          ["--restoreDelay", "1h"]
        )
        const at = (address: string) => `${gateway.url}${address}`
        yield* ask(at("/files/A1"), as(ada))
        const whole = yield* ask(at(`/t/${grace}/files/A1/S1.bam`))
        yield* ask(at("/files/A1/S1.bam"), as(ada, { headers: { range: "bytes=5-104" } }))
        yield* ask(at("/files/A1/S1.bam"), as(ada, { method: "HEAD" }))
        yield* ask(at("/files/A2/S2.bam"), as(grace))
        yield* ask(at("/reads/A1?referenceName=chr1&start=9&end=20"), as(ada))
        yield* ask(at("/files/A3/S3.bam/restore"), as(ada, { method: "POST" }))
        yield* ask(at("/t/a-wrong-token-0123/files/A1/S1.bam"))
        yield* ask(at("/healthz"))
        yield* ask(at("/metrics"), as(ada))
        const ends = () => linesOf(log).filter(({ event }) => event === "end")
        yield* until(
          "eight answers are there",
          Effect.sync(() => ends().length >= 8)
        )
        const seen = ends().map(({ analysis, bytes, ended, file, name, range, status, what }) =>
          [name, what, analysis, file, range, status, bytes, ended].join(" ")
        )
        const size = whole.bytes.length
        assert.match(seen[0] ?? "", /^ada list A1 {3}200 \d+ complete$/)
        assert.match(seen[5] ?? "", /^ada ticket A1 S1\.bam chr1:10-20 200 \d+ complete$/)
        assert.match(seen[6] ?? "", /^ada restoration A3 S3\.bam {2}202 \d+ complete$/)
        assert.deepStrictEqual(
          [1, 2, 3].map((line) => seen[line]),
          [
            `grace file A1 S1.bam  200 ${size} complete`,
            "ada file A1 S1.bam bytes=5-104 206 100 complete",
            "ada file A1 S1.bam  200 0 complete"
          ]
        )
        assert.match(seen[4] ?? "", /^grace file A2 S2\.bam {2}404 \d+ complete$/)
        assert.match(seen[7] ?? "", /^ refused {4}401 \d+ complete$/)
        assert.strictEqual(seen.length, 8)
        const [first] = ends()
        assert.match(String(first?.["time"]), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
        assert.deepStrictEqual(
          [typeof first?.["seconds"], first?.["method"], first?.["address"]],
          ["number", "GET", "127.0.0.1"]
        )
        assert.strictEqual(statSync(log).mode & 0o777, 0o600)

        renameSync(log, join(folder, "access.log.1"))
        yield* hangup(gateway.pid)
        yield* until(
          "the token file is read again",
          Effect.sync(() => gateway.lines.some((line) => line.includes("again: 2 tokens")))
        )
        // A reader that goes away in the middle.
        yield* setFaults([{ when: { plane: "link", file: "S1.bam" }, then: { slow: 100_000 } }])
        yield* Effect.promise(async () => {
          const controller = new AbortController()
          const reply = await fetch(at("/files/A1/S1.bam"), { ...as(ada), signal: controller.signal })
          await reply.body?.getReader().read()
          controller.abort()
        })
        yield* until(
          "the new file has a line",
          Effect.sync(() => ends().length > 0)
        )
        const [left] = ends()
        assert.deepStrictEqual([left?.["ended"], left?.["status"]], ["left", 200])
        assert.isBelow(Number(left?.["bytes"]), size)
        const all = readFileSync(log, "utf8") + readFileSync(join(folder, "access.log.1"), "utf8")
        for (const secret of [ada, grace, "a-wrong-token", "X-Amz", new URL(sandbox.linkHost).host])
          assert.notInclude(all, secret)
      })
  )

  it.live("the access log goes to standard output as well", () =>
    Effect.gen(function* () {
      const { gateway } = yield* gatewayGround(["--accessLog", "-"])
      yield* ask(`${gateway.url}/files/A1/S1.bam`)
      const line = () => gateway.lines.find((each) => each.startsWith('{"event":"end"'))
      yield* until(
        "the line is there",
        Effect.sync(() => line() !== undefined)
      )
      const { ended, name, status } = JSON.parse(line() ?? "")
      assert.deepStrictEqual([name, status, ended], [null, 307, "complete"])
      // Without a terminal it outlives a SIGHUP, and there is no file to open again.
      yield* hangup(gateway.pid)
      assert.strictEqual((yield* ask(`${gateway.url}/files/A1`)).status, 200)
      yield* Effect.sync(() => void process.kill(gateway.pid, "SIGTERM"))
      assert.strictEqual(yield* gateway.exitCode, 0)
    })
  )
})
