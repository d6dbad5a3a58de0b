/** `svc-doctor` as a user's process: a good world, and one thing wrong at a time. */
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import http from "node:http"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { thisProcess } from "../../platform/ProcessIdentity.ts"
import { checkNames } from "../../steps/doctor/Check.ts"
import { fault, ground } from "../DownloadGround.ts"
import type { RunOptions } from "../Executables.ts"
import { fits } from "../Schemas.ts"
import { makeAuthority } from "../servers/Certificates.ts"
import { makeProxy } from "../servers/Proxy.ts"
import { listening, strictService } from "../servers/StrictService.ts"
import { runWarm } from "../WarmExecutables.ts"

interface Document {
  readonly schema: string
  readonly exitCode: number
  readonly checks: ReadonlyArray<{
    readonly name: string
    readonly status: string
    readonly says: string
    readonly advice: string | null
    readonly details: ReadonlyArray<string>
  }>
}

/** Runs it with `--format json`. `of` is the named check. */
const examine = Effect.fnUntraced(function* (args: ReadonlyArray<string>, options: RunOptions) {
  const { exitCode, stderr, stdout } = yield* runWarm("svc-doctor", [...args, "--format", "json"], options)
  assert.isTrue(stdout.startsWith("{"), stderr)
  const document: Document = fits("doctor", JSON.parse(stdout))
  assert.strictEqual(document.exitCode, exitCode)
  const of = (name: string) => {
    const found = document.checks.filter((check) => check.name === name)
    assert.strictEqual(found.length, 1, `${name} in ${stdout}`)
    return found[0] as Document["checks"][number]
  }
  const statusOf = (name: string) => of(name).status
  return { exitCode, stdout, stderr, document, of, statusOf }
})

/** A server of one answer. */
const serverOf = (answer: http.RequestListener) => {
  const server = http.createServer(answer)
  return Effect.map(listening(server), (port) => `http://127.0.0.1:${port}`)
}

describe("svc-doctor", () => {
  it.live("a good world: every check is ok, one login, one logout, one byte of a file, no secret", () =>
    Effect.gen(function* () {
      const { env, folder, password, stats } = yield* ground()
      const { document, exitCode, stdout } = yield* examine(["-a", "A1", "-d", "out"], { cwd: folder, env })
      assert.deepStrictEqual(
        document.checks.filter(({ status }) => status !== "ok").map(({ name }) => name),
        []
      )
      assert.deepStrictEqual(
        document.checks.map(({ name }) => name),
        [...checkNames]
      )
      assert.strictEqual(exitCode, 0)
      assert.strictEqual(document.schema, "svc.doctor/1")
      assert.notInclude(stdout, password)
      assert.deepInclude(yield* stats, { logins: 1, failedLogins: 0, logouts: 1, overlaps: 0, linkBytes: 1 })
      assert.deepStrictEqual(readdirSync(join(folder, "out")), [])
      const text = yield* runWarm("svc-doctor", ["--logfile", "log"], { cwd: folder, env })
      assert.match(text.stdout, /^ok {6}login {9}\S+ is logged in/m)
      assert.match(text.stdout, /^skipped links {9}give an analysis/m)
      assert.include(text.stderr, `${checkNames.length - 1} ok, 1 skipped`)
    })
  )

  it.live("G3 a password file that others can read is in its JSON too", () =>
    Effect.gen(function* () {
      const { env, folder, password } = yield* ground()
      const { SVC_PASSWORD: _, ...others } = env
      const options = { cwd: folder, env: { ...others, SVC_PASSWORD_FILE: "password" } }
      writeFileSync(join(folder, "password"), `${password}\n`)
      for (const [mode, status, advice] of [
        [0o600, "ok", null],
        [0o644, "warn", "password holds a secret and other users can read it: make it private with chmod 600"]
      ] as const) {
        chmodSync(join(folder, "password"), mode)
        const { exitCode, of } = yield* examine([], options)
        assert.deepInclude(of("credentials"), { status, advice })
        assert.strictEqual(of("login").status, "ok")
        assert.strictEqual(exitCode, 0)
      }
    })
  )

  it.live("a wrong password is said and not repeated; what needs a login is skipped", () =>
    Effect.gen(function* () {
      const { env, folder, stats } = yield* ground()
      const wrong = { ...env, SVC_PASSWORD: "CANARY-wrong" }
      const { exitCode, of, statusOf, stderr, stdout } = yield* examine(["-a", "A1"], { cwd: folder, env: wrong })
      assert.strictEqual(exitCode, 77)
      assert.match(of("login").says, /refused the login of .*it is not sent again/)
      for (const name of ["api", "links", "logout"]) assert.strictEqual(statusOf(name), "skipped")
      assert.strictEqual((yield* stats).failedLogins, 1)
      assert.notInclude(stdout + stderr, "CANARY")
    })
  )

  it.live("nobody listens: 69, and nothing behind it is tried", () =>
    Effect.gen(function* () {
      const { env, folder } = yield* ground()
      const down = { ...env, SVC_TARGET: "http://127.0.0.1:9" }
      const { exitCode, of, statusOf } = yield* examine([], { cwd: folder, env: down })
      assert.strictEqual(exitCode, 69)
      assert.match(of("tcp").says, /127\.0\.0\.1:9 is unavailable: connection refused/)
      for (const name of ["tls", "service", "clock", "credentials", "login"]) {
        assert.deepInclude(of(name), { status: "skipped", says: "needs tcp" })
      }
      assert.strictEqual(statusOf("dns"), "ok")
    })
  )

  // Longer than a label may be, so that no server is asked about it.
  it.live("a host name that does not exist", () =>
    Effect.gen(function* () {
      const { env, folder } = yield* ground()
      const { exitCode, of } = yield* examine([], {
        cwd: folder,
        env: { ...env, SVC_TARGET: `https://${"a".repeat(64)}.invalid` }
      })
      assert.strictEqual(exitCode, 69)
      assert.deepInclude(of("dns"), { status: "fail" })
      assert.strictEqual(of("login").says, "needs dns")
    })
  )

  it.live("a service that is broken, and one with another clock that is no service", () =>
    Effect.gen(function* () {
      const { env, folder } = yield* ground()
      const broken = yield* serverOf((_, response) => response.writeHead(503).end())
      const down = yield* examine([], { cwd: folder, env: { ...env, SVC_TARGET: broken } })
      assert.strictEqual(down.exitCode, 69)
      assert.match(down.of("service").says, /status 503/)
      const early = yield* serverOf((_, response) => {
        response.sendDate = false
        response.setHeader("date", new Date(Date.now() - 3 * 3_600_000).toUTCString())
        response.end()
      })
      const { exitCode, of } = yield* examine([], { cwd: folder, env: { ...env, SVC_TARGET: early } })
      assert.match(of("clock").says, /this computer is 3 h ahead of the service/)
      assert.strictEqual(of("clock").status, "warn")
      assert.match(of("login").says, /Cannot log in/)
      assert.strictEqual(exitCode, 69)
    })
  )

  it.live("a certificate of an unknown authority, then with its CA file", () =>
    Effect.gen(function* () {
      const { env, folder } = yield* ground()
      const authority = makeAuthority("Authority of the lab")
      const { counts, url } = yield* strictService({ tls: authority.issue({ addresses: ["127.0.0.1"] }) })
      const there = { ...env, SVC_TARGET: url.href }
      const unknown = yield* examine([], { cwd: folder, env: there })
      assert.strictEqual(unknown.exitCode, 69)
      // What to do is in the sentence, by the fault of the certificate.
      assert.match(unknown.of("tls").says, /unknown authority; .*--caFile/)
      assert.isNull(unknown.of("tls").advice)
      assert.strictEqual(unknown.statusOf("login"), "skipped")
      assert.strictEqual(counts.logins + counts.rejected, 0)
      writeFileSync(join(folder, "ca.pem"), authority.pem)
      const known = yield* examine(["--caFile", "ca.pem"], { cwd: folder, env: there })
      assert.match(known.of("tls").says, /^TLSv1\.\d, certificate by Authority of the lab, until 2\d{3}-/)
      assert.include(known.of("tls").says, "days left")
      writeFileSync(join(folder, "bad.pem"), "no certificate")
      const bad = yield* examine(["--caFile", "bad.pem"], { cwd: folder, env: there })
      assert.strictEqual(bad.exitCode, 78)
    })
  )

  it.live("a proxy that passes requests on, one that refuses, and one that is not there", () =>
    Effect.gen(function* () {
      const { env, folder } = yield* ground()
      const proxy = yield* makeProxy({ credentials: "ada:CANARY" })
      const through = (user: string, password: string, url = proxy.url.href) => ({
        cwd: folder,
        env: { ...env, SVC_PROXY: url, SVC_PROXY_USER: user, SVC_PROXY_PASS: password }
      })
      const good = yield* examine(["-a", "A1"], through("ada", "CANARY"))
      assert.strictEqual(good.exitCode, 0, good.stdout)
      assert.strictEqual(good.of("proxy").says, `${proxy.url.host} passes requests on`)
      assert.match(good.of("dns").says, new RegExp(`^the proxy ${proxy.url.hostname} is `))
      assert.match(good.of("tcp").says, new RegExp(`^the proxy ${proxy.url.host} accepts connections`))
      assert.notInclude(good.stdout, "CANARY")
      const wrong = yield* examine([], through("ada", "CANARY-2"))
      assert.strictEqual(wrong.exitCode, 77)
      assert.match(wrong.of("proxy").says, /refused the credentials/)
      assert.notInclude(wrong.stdout + wrong.stderr, "CANARY")
      const gone = yield* examine([], through("ada", "CANARY", "http://127.0.0.1:9"))
      assert.strictEqual(gone.exitCode, 69)
      assert.strictEqual(gone.statusOf("tcp"), "fail")
      assert.match(gone.of("tcp").says, /^the proxy 127\.0\.0\.1:9 is unavailable: connection refused/)
      assert.match(gone.of("tcp").advice ?? "", /^Check the address of the proxy \(--proxy, SVC_PROXY\)/)
      const lost = yield* examine([], through("ada", "CANARY", "http://proxy.invalid:3128"))
      assert.match(lost.of("dns").says, /^the proxy proxy\.invalid is unavailable/)
    })
  )

  it.live("G4 a proxy variable of other programs is not used, and that is said", () =>
    Effect.gen(function* () {
      const { env, folder } = yield* ground()
      const behind = (more: Readonly<Record<string, string>>) =>
        examine([], { cwd: folder, env: { ...env, http_proxy: "http://ada:CANARY@127.0.0.1:9", ...more } })
      const good = yield* behind({})
      assert.strictEqual(good.exitCode, 0, good.stdout)
      assert.deepInclude(good.of("proxy"), { status: "warn", says: "http_proxy is set but not used" })
      assert.match(good.of("proxy").advice ?? "", /SVC_PROXY/)
      assert.notInclude(good.stdout + good.stderr, "CANARY")
      assert.strictEqual((yield* behind({ NO_PROXY: "127.0.0.0/8" })).statusOf("proxy"), "ok")
      const closed = { SVC_TARGET: "http://127.0.0.1:9" }
      assert.match((yield* behind(closed)).of("tcp").advice ?? "", /http_proxy is set, but only SVC_PROXY/)
    })
  )

  it.live("a configuration file with a password that others may read", () =>
    Effect.gen(function* () {
      const { env, folder, password, url, user } = yield* ground()
      const path = join(folder, "svc.json")
      writeFileSync(path, JSON.stringify({ target: url, username: user, password, lockDir: env["SVC_LOCK_DIR"] }))
      chmodSync(path, 0o644)
      const open = yield* examine(["--config", "svc.json"], { cwd: folder })
      assert.strictEqual(open.exitCode, 0, open.stdout)
      assert.deepInclude(open.of("config"), {
        status: "warn",
        advice: "svc.json holds a secret and other users can read it: make it private with chmod 600"
      })
      assert.include(open.of("settings").details, "password = **** (configuration file)")
      assert.notInclude(open.stdout + open.stderr, password)
      chmodSync(path, 0o600)
      const shut = yield* examine(["--config", "svc.json"], { cwd: folder })
      assert.strictEqual(shut.statusOf("config"), "ok")
    })
  )

  it.live("no target and no credentials: what is missing is said, the rest is examined", () =>
    Effect.gen(function* () {
      const { env, folder, url } = yield* ground()
      const nothing = yield* examine([], { cwd: folder })
      assert.strictEqual(nothing.exitCode, 64)
      assert.strictEqual(nothing.of("target").says, "Missing required argument --target")
      assert.deepStrictEqual(
        nothing.document.checks.map(({ name }) => name),
        [...checkNames]
      )
      const nobody = yield* examine(["-t", url], { cwd: folder, env: { SVC_LOCK_DIR: env["SVC_LOCK_DIR"] ?? "" } })
      assert.strictEqual(nobody.exitCode, 78)
      assert.match(nobody.of("credentials").says, /^No user name/)
      assert.strictEqual(nobody.statusOf("service"), "ok")
      assert.strictEqual(nobody.statusOf("login"), "skipped")
    })
  )

  it.live("folders: a destination that is not there or cannot be written to, a lock folder that cannot be used", () =>
    Effect.gen(function* () {
      const { env, folder } = yield* ground()
      const gone = yield* examine(["-d", "gone"], { cwd: folder, env })
      assert.strictEqual(gone.exitCode, 73)
      assert.match(gone.of("destination").says, /gone: the folder does not exist/)
      assert.strictEqual(gone.statusOf("logout"), "ok")
      // Nobody may write there, not even root.
      if (existsSync("/sys/kernel")) {
        const readOnly = yield* examine(["-d", "/sys/kernel"], { cwd: folder, env })
        assert.strictEqual(readOnly.exitCode, 74)
        assert.match(readOnly.of("destination").says, /Cannot write to/)
      }
      writeFileSync(join(folder, "file"), "")
      const locks = yield* examine(["--lockDir", "file"], { cwd: folder, env })
      assert.strictEqual(locks.statusOf("lock folder"), "fail")
      assert.isAbove(locks.exitCode, 0)
    })
  )

  it.live("locks that ended steps have left are counted, and do not stop it", () =>
    Effect.gen(function* () {
      const { env, folder } = yield* ground()
      mkdirSync(join(folder, "locks"))
      // A number that no process has: Linux gives none above 2^22.
      const ended = { ...thisProcess(), pid: 2 ** 22 + 1 }
      writeFileSync(join(folder, "locks", `${"0".repeat(32)}.lock`), JSON.stringify(ended))
      const { exitCode, of } = yield* examine([], { cwd: folder, env })
      assert.strictEqual(exitCode, 0)
      assert.match(of("lock folder").says, /1 left by steps that have ended/)
    })
  )

  it.live("an analysis that does not exist, and a link host without ranges", () =>
    Effect.gen(function* () {
      const { env, folder } = yield* ground()
      const unknown = yield* examine(["-a", "A999"], { cwd: folder, env })
      assert.strictEqual(unknown.exitCode, 66)
      assert.match(unknown.of("links").says, /A999.*not found/)
      assert.strictEqual(unknown.statusOf("logout"), "ok")
      const whole = yield* ground({ faults: [fault({ plane: "link" }, { ignoreRange: true })] })
      const ignored = yield* examine(["-a", "A1"], { cwd: whole.folder, env: whole.env })
      assert.match(ignored.of("links").says, /whole files only/)
      assert.strictEqual(ignored.exitCode, 0)
    })
  )

  it.live("S11 a logout that fails is worth a warning and no exit code", () =>
    Effect.gen(function* () {
      const { env, folder } = yield* ground({ faults: [fault({ endpoint: "logout" }, { status: 500 })] })
      const { exitCode, of } = yield* examine([], { cwd: folder, env })
      assert.strictEqual(exitCode, 0)
      assert.deepInclude(of("logout"), { status: "warn", says: "the logout was answered with status 500" })
    })
  )
})
