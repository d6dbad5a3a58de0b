/** The interface of the service through a gateway of its own process: large answers, slow readers, a service that is gone, a full disk. */
import { readFileSync, writeFileSync } from "node:fs"
import { request } from "node:http"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { closableWay } from "../ClosableWay.ts"
import { executable, run, startSandbox, startServer, until } from "../Executables.ts"
import { ask, startGateway, temporary } from "../GatewayGround.ts"
import { lacks, unless } from "../Lacks.ts"
import { longForm } from "../LongForm.ts"

/** Bytes of a row that the sandbox makes. */
const bytesPerRow = 117
/** Of the large answer, in MB. */
const large = longForm ? 2000 : 150

const worldOf = Effect.fnUntraced(function* (behaviour: Readonly<Record<string, unknown>>) {
  const path = join(yield* temporary, "world.json")
  writeFileSync(path, JSON.stringify({ behaviour }))
  return path
})

/** The most resident memory that a process has had, in MB. */
const peakMb = (pid: number): number =>
  Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024

const annotations = "/service/api/analysis/A1/annotations"

/** Takes an answer at 1 MB/s. */
const slowReader = (url: string) => {
  const state = { status: 0, taken: 0, stop: () => {} }
  const asked = request(url, (reply) => {
    state.status = reply.statusCode ?? 0
    const timer = setInterval(() => {
      state.taken += (reply.read(Math.min(100_000, reply.readableLength)) as Buffer | null)?.length ?? 0
    }, 100)
    state.stop = () => {
      clearInterval(timer)
      asked.destroy()
    }
    reply.on("error", () => {})
  })
  asked.on("error", () => {})
  asked.end()
  return state
}

describe("the API through svc-gateway", () => {
  it.live(
    `an answer of ${large} MB to a reader of 1 MB/s: little memory, and another question is answered as soon as the service is free`,
    () =>
      Effect.gen(function* () {
        const world = yield* worldOf({ annotationRows: Math.round((large * 1e6) / bytesPerRow) })
        const sandbox = yield* startSandbox(["--strict", "--world", world])
        const gateway = yield* startGateway(sandbox, ["--api"], { TMPDIR: yield* temporary })
        const slow = slowReader(`${gateway.url}${annotations}`)
        yield* Effect.addFinalizer(() => Effect.sync(() => slow.stop()))
        const stats = Effect.map(ask(`${sandbox.url}/__sandbox/stats`), ({ text }) => JSON.parse(text))
        yield* until(
          "the service is at work on it",
          Effect.map(stats, ({ requests }) => requests["getSnvAnnotations"] === 1)
        )
        // The answer comes when the service is free, long before the slow reader has the whole.
        const other = yield* ask(`${gateway.url}/service/api/person/LIMS-0001/id`)
        assert.strictEqual(other.status, 200)
        yield* until(
          "the slow reader has its beginning",
          Effect.sync(() => slow.taken > 0)
        )
        assert.strictEqual(slow.status, 200)
        assert.isBelow(slow.taken, large * 0.5e6)
        assert.isBelow(peakMb(gateway.pid), 250)
        assert.include(yield* stats, { logins: 1, maxApiInFlight: 1, overlaps: 0 })
      }),
    longForm ? 900_000 : 300_000
  )

  it.live(
    "a service that is gone for a while: 503 with Retry-After, 502 for a change, none is sent twice, and the next question after it is answered",
    () =>
      Effect.gen(function* () {
        const sandbox = yield* startSandbox(["--strict"])
        const way = yield* closableWay(Number(new URL(sandbox.url).port))
        const tokens = join(yield* temporary, "tokens")
        writeFileSync(tokens, `ada ${ada} may=read,change\n`, { mode: 0o600 })
        const gateway = yield* startGateway({ ...sandbox, url: way.url }, ["--api", "--tokenFile", tokens])
        const headers = { authorization: `Bearer ${ada}`, "content-type": "application/json" }
        const question = ask(`${gateway.url}/service/api/person/LIMS-0001/id`, { headers })
        const change = (id: string) =>
          ask(`${gateway.url}/service/api/person`, { method: "PUT", headers, body: JSON.stringify({ id }) })
        const changes = Effect.map(
          ask(`${sandbox.url}/__sandbox/stats`),
          ({ text }) => JSON.parse(text).requests["createOrUpdatePerson"] ?? 0
        )
        assert.strictEqual((yield* question).status, 200)
        assert.strictEqual((yield* change("LIMS-BEFORE")).status, 200)
        way.close()
        const [asked, changed] = yield* Effect.all([question, change("LIMS-AWAY")], { concurrency: 2 })
        assert.deepStrictEqual([asked.status, asked.headers.get("retry-after")], [503, "5"], asked.text)
        // Its connection ended before an answer came: nobody can say whether it was made.
        assert.deepStrictEqual([changed.status, JSON.parse(changed.text).errorMessageId], [502, "OutcomeUnknown"])
        assert.strictEqual((yield* ask(`${gateway.url}/readyz`)).status, 503)
        way.open()
        yield* until(
          "the service is back",
          Effect.map(ask(`${gateway.url}/readyz`), ({ status }) => status === 200)
        )
        assert.strictEqual((yield* question).status, 200)
        assert.strictEqual(yield* changes, 1)
      })
  )

  describe("a disk that is full", unless(lacks.mounts), () => {
    it.live("breaks the answer off, whichever byte does not fit, and smaller answers are given", () =>
      Effect.gen(function* () {
        // Five MiB and a half on a disk of four: the last write is the one that fails.
        const world = yield* worldOf({ annotationRows: Math.round((5.5 * 1024 * 1024) / bytesPerRow) })
        const sandbox = yield* startSandbox(["--strict", "--world", world])
        const { value: url } = yield* startServer(
          "unshare",
          [
            ...["-Urm", "sh", "-c", 'mount -t tmpfs -o size=4m tmpfs "$TMPDIR" && exec "$@"', "sh"],
            ...[process.execPath, executable("svc-gateway"), "-t", sandbox.url, "--api"]
          ],
          (line) => /^{"url":"([^"]+)"/.exec(line)?.[1],
          {
            env: {
              SVC_USER: sandbox.user,
              SVC_PASSWORD: sandbox.password,
              SVC_LOCK_DIR: yield* temporary,
              TMPDIR: yield* temporary
            }
          }
        )
        for (const _ of [1, 2]) {
          const full = yield* Effect.promise(() =>
            fetch(`${url}${annotations}`)
              .then((reply) => reply.arrayBuffer())
              .then(
                () => "whole",
                () => "broken"
              )
          )
          assert.strictEqual(full, "broken")
          assert.strictEqual((yield* ask(`${url}/service/api/person/LIMS-0001/id`)).status, 200)
        }
      })
    )
  })

  it.live("svc-doctor needs a token and nothing else, and says of a wrong one that it is the token", () =>
    Effect.gen(function* () {
      const folder = yield* temporary
      const [token, tokens, secret] = ["ada-0123456789abcdef", join(folder, "tokens"), join(folder, "token")]
      writeFileSync(tokens, `ada ${token}\n`, { mode: 0o600 })
      writeFileSync(secret, `${token}\n`, { mode: 0o600 })
      const gateway = yield* startGateway(yield* startSandbox(), ["--api", "--tokenFile", tokens])
      const doctor = (env: Readonly<Record<string, string>>) =>
        run("svc-doctor", ["-t", `${gateway.url}/service`, "-d", folder], { cwd: folder, env })
      const well = yield* doctor({ SVC_TOKEN_FILE: secret })
      assert.strictEqual(well.exitCode, 0, well.stdout + well.stderr)
      assert.match(well.stdout, /^skipped login +the gateway logs in$/m)
      assert.match(well.stdout, /^ok +gateway +\S+ takes the token/m)
      assert.notInclude(well.stdout + well.stderr, token)
      const wrong = yield* doctor({ SVC_TOKEN: "wrong-0123456789abcdef" })
      assert.strictEqual(wrong.exitCode, 77, wrong.stdout)
      assert.match(wrong.stdout, /^FAIL +gateway .*refused the token/m)
      assert.notInclude(wrong.stdout, "SVC_PASSWORD")
    })
  )
})

const ada = "ada-0123456789abcdef"
