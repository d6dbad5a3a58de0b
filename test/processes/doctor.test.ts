/** `svc-doctor` as a user's process: one thing wrong at a time. No document has a secret: each has CANARY in it. */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import http from "node:http"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { thisProcess } from "../../platform/ProcessIdentity.ts"
import { checkNames, type checksJson } from "../../steps/doctor/Check.ts"
import { ground } from "../DownloadGround.ts"
import type { RunOptions } from "../Executables.ts"
import { fits } from "../Schemas.ts"
import { makeAuthority } from "../servers/Certificates.ts"
import { makeProxy } from "../servers/Proxy.ts"
import { listening, strictService } from "../servers/StrictService.ts"
import { runWarm } from "../WarmExecutables.ts"

/** Runs it with `--format json`: every check has `status: says -> advice`, as `expected`, or is ok or a warning. */
const examine = Effect.fnUntraced(function* (
  args: ReadonlyArray<string>,
  options: RunOptions,
  expected: Readonly<Record<string, RegExp>>
) {
  const { exitCode, stderr, stdout } = yield* runWarm("svc-doctor", [...args, "--format", "json"], options)
  assert.isTrue(stdout.startsWith("{"), stderr)
  assert.notInclude(stdout + stderr, "CANARY")
  const document: ReturnType<typeof checksJson> = fits("doctor", JSON.parse(stdout))
  assert.strictEqual(document.schema, "svc.doctor/1")
  assert.strictEqual(document.exitCode, exitCode)
  const names = document.checks.map(({ name }) => name)
  assert.sameMembers(names, [...checkNames])
  for (const { advice, details, name, says, status } of document.checks) {
    const text = [`${status}: ${says}`, ...details, ...(advice === null ? [] : [`-> ${advice}`])].join("\n")
    assert.match(text, expected[name] ?? (name === "gateway" ? /^skipped/ : /^(?:ok|warn)/), `${name} in ${stdout}`)
  }
  return exitCode
})

/** The checks `names` are skipped, since `name` failed. */
const needs = (name: string, ...names: ReadonlyArray<string>) =>
  Object.fromEntries([...names, "login", "gateway"].map((it) => [it, new RegExp(`^skipped: needs ${name}$`)]))

/** A server of one answer. */
const serverOf = (answer: http.RequestListener) => {
  const server = http.createServer(answer)
  return Effect.map(listening(server), (port) => `http://127.0.0.1:${port}`)
}

// Longer than a label may be, so that no server is asked about it.
const nobody = `${"a".repeat(64)}.invalid`
const open = (file: string) =>
  new RegExp(
    `^warn: (?:.|\\n)*\\n-> ${file} holds a secret and other users can read it: make it private with chmod 600$`
  )

describe("svc-doctor", () => {
  it.live("settings: a missing target or user, secrets that others can read (G3)", () =>
    Effect.gen(function* () {
      const { env, folder, password, url, user } = yield* ground()
      const { SVC_LOCK_DIR: lockDir = "", SVC_PASSWORD: _, ...others } = env
      const none = { settings: /^fail: Missing required argument --target\n(?:.*\n)*-> Set --target/ }
      const rest = needs("settings", "address", "tls", "clock")
      assert.strictEqual(yield* examine([], { cwd: folder }, { ...none, ...rest }), 64)
      const unnamed = { settings: /^fail: No user name/, address: /^ok/, ...needs("settings") }
      assert.strictEqual(yield* examine(["-t", url], { cwd: folder, env: { SVC_LOCK_DIR: lockDir } }, unnamed), 78)

      const byFile = { cwd: folder, env: { ...others, SVC_LOCK_DIR: lockDir, SVC_PASSWORD_FILE: "password" } }
      writeFileSync(join(folder, "password"), `${password}\n`)
      writeFileSync(join(folder, "svc.json"), JSON.stringify({ target: url, username: user, password, lockDir }))
      for (const [mode, byPassword, byConfig] of [
        [0o600, /^ok/, /^ok: (?:.|\n)*password = \*{4} \(configuration file\)/],
        [0o644, open("password"), open("svc.json")]
      ] as const) {
        for (const name of ["password", "svc.json"]) chmodSync(join(folder, name), mode)
        assert.strictEqual(yield* examine([], byFile, { settings: byPassword }), 0)
        assert.strictEqual(yield* examine(["--config", "svc.json"], { cwd: folder }, { settings: byConfig }), 0)
        const byVariable = { cwd: folder, env: { SVC_CONFIG: "svc.json" } }
        const told = mode === 0o600 ? /config = svc\.json \(SVC_CONFIG in the environment\)/ : byConfig
        assert.strictEqual(yield* examine([], byVariable, { settings: told }), 0)
      }
    })
  )

  it.live("address, clock: no host has that name, a broken service, one that is none", () =>
    Effect.gen(function* () {
      const { env, folder } = yield* ground()
      const at = (target: string, expected: Readonly<Record<string, RegExp>>) =>
        examine([], { cwd: folder, env: { ...env, SVC_TARGET: target } }, expected)
      const rest = needs("address", "tls", "clock")
      const unknown = /is unavailable: unknown host name.*\n-> Check the spelling of --target/
      assert.strictEqual(yield* at(`https://${nobody}`, { address: unknown, ...rest }), 69)
      const broken = yield* serverOf((_, response) => response.writeHead(503).end())
      assert.strictEqual(yield* at(broken, { address: /status 503/, ...needs("address") }), 69)
      const early = yield* serverOf((_, response) => {
        response.sendDate = false
        response.setHeader("date", new Date(Date.now() - 3 * 3_600_000).toUTCString())
        response.end()
      })
      const ahead = /^warn: this computer is 3 h ahead of the service/
      assert.strictEqual(yield* at(early, { clock: ahead, login: /^fail: Cannot log in/ }), 69)
    })
  )

  it.live("TLS: a certificate of an unknown authority, then with its CA file", () =>
    Effect.gen(function* () {
      const { env, folder } = yield* ground()
      const authority = makeAuthority("Authority of the lab")
      const { counts, url } = yield* strictService({ tls: authority.issue({ addresses: ["127.0.0.1"] }) })
      const at = (args: ReadonlyArray<string>, expected: Readonly<Record<string, RegExp>>) =>
        examine(args, { cwd: folder, env: { ...env, SVC_TARGET: url.href } }, expected)
      writeFileSync(join(folder, "ca.pem"), authority.pem)
      writeFileSync(join(folder, "bad.pem"), "no certificate")
      // What to do is in the sentence, by the fault of the certificate.
      const unknown = { address: /accepts connections$/, tls: /^fail: .*unknown authority; .*--caFile[^\n]*$/ }
      assert.strictEqual(yield* at([], { ...unknown, ...needs("tls", "clock") }), 69)
      assert.strictEqual(counts.logins + counts.rejected, 0)
      const known = /^warn: TLSv1\.\d, certificate by Authority of the lab, until 2\d{3}-.* days left/
      yield* at(["--caFile", "ca.pem"], { tls: known, login: /./ })
      const bad = { tls: /\n-> Give a PEM file with --caFile$/, ...needs("tls", "address", "clock") }
      assert.strictEqual(yield* at(["--caFile", "bad.pem"], bad), 78)
    })
  )

  it.live("address: a proxy that passes requests on, one that refuses, one that is not there, one not used (G4)", () =>
    Effect.gen(function* () {
      const { env, folder } = yield* ground()
      const proxy = yield* makeProxy({ credentials: "ada:CANARY" })
      const behind = (more: Readonly<Record<string, string>>, address: RegExp, fails = true) =>
        examine(
          [],
          { cwd: folder, env: { ...env, ...more } },
          { address, ...(fails ? needs("address", "tls", "clock") : {}) }
        )
      const ada = { SVC_PROXY_USER: "ada", SVC_PROXY_PASS: "CANARY" }
      const through = (url: string) => ({ ...ada, SVC_PROXY: url })
      const url = proxy.url.href
      const passed = new RegExp(`^ok: .* answers through the proxy ${proxy.url.host} \\(status `)
      assert.strictEqual(yield* behind(through(url), passed, false), 0)
      assert.strictEqual(
        yield* behind(
          { ...through(url), SVC_PROXY_PASS: "CANARY-2" },
          /refused the credentials.*\n-> .*SVC_PROXY_PASS$/
        ),
        77
      )
      const gone = /proxy \S+: (?:connection refused|unknown host name).*\n-> Check the address of the proxy/
      for (const none of ["http://127.0.0.1:9", `http://${nobody}:3128`]) {
        assert.strictEqual(yield* behind(through(none), gone), 69)
      }
      const unused = { http_proxy: "http://ada:CANARY@127.0.0.1:9" }
      assert.strictEqual(
        yield* behind(unused, /^warn: .* ms\); http_proxy is set but not used\n-> .*SVC_PROXY/, false),
        0
      )
      assert.strictEqual(yield* behind({ ...unused, NO_PROXY: "127.0.0.0/8" }, /^ok/, false), 0)
      const closed = { ...unused, SVC_TARGET: "http://127.0.0.1:9" }
      assert.strictEqual(yield* behind(closed, /\n-> .*http_proxy is set, but only SVC_PROXY/), 69)
    })
  )

  it.live("disk, lock folder: one that is not there or no folder, who is at work, what ended steps left", () =>
    Effect.gen(function* () {
      const { env, folder } = yield* ground()
      const options = { cwd: folder, env }
      assert.strictEqual(
        yield* examine(["-d", "gone"], options, { disk: /^fail: .*gone: the folder does not exist/ }),
        73
      )
      writeFileSync(join(folder, "file"), "")
      const unusable = { "lock folder": /^fail/, login: /./ }
      assert.isAbove(yield* examine(["--lockDir", "file"], options, unusable), 0)
      const lock = (name: string, owner: object) =>
        writeFileSync(join(folder, "locks", `${name.repeat(32)}.lock`), JSON.stringify(owner))
      mkdirSync(join(folder, "locks"), { recursive: true })
      const { host, pid } = thisProcess()
      lock("1", thisProcess())
      // A number that no process has: Linux gives none above 2^22.
      lock("0", { ...thisProcess(), pid: 2 ** 22 + 1 })
      const held = new RegExp(`^ok: [^;]* of \\S+ \\(uid \\d+\\) can be used; at work: process ${pid} on ${host}$`)
      assert.strictEqual(yield* examine([], options, { "lock folder": held }), 0)
    })
  )
})
