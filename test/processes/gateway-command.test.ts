/** `svc-gateway -- COMMAND`: one session for as long as a command runs, as ssh-agent does it for keys. */
import { spawn } from "node:child_process"
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { commandOf, run, start, startOnTerminal, startSandbox, startServer, until, untilOrEnd } from "../Executables.ts"
import { temporary } from "../GatewayGround.ts"
import { lacks, unless } from "../Lacks.ts"
import { fault, setFaults } from "../SandboxFaults.ts"

/** A strict sandbox, and a folder with the steps on PATH in which `svc-gateway` runs its command, a script. */
const ground = Effect.fnUntraced(function* (sandboxArgs: ReadonlyArray<string> = []) {
  const sandbox = yield* startSandbox(["--strict", ...sandboxArgs])
  const folder = yield* temporary
  for (const name of ["svc-download", "svc-resume-restore"]) {
    writeFileSync(join(folder, name), `#!/bin/sh\nexec ${commandOf(name).join(" ")} "$@"\n`)
    chmodSync(join(folder, name), 0o755)
  }
  const env = {
    PATH: `${folder}:${process.env["PATH"]}`,
    HOME: folder,
    SVC_LOCK_DIR: yield* temporary,
    SVC_TARGET: sandbox.url,
    SVC_USER: sandbox.user,
    SVC_PASSWORD: sandbox.password
  }
  const options = { cwd: folder, env }
  const of = (script: string, more: ReadonlyArray<string>) => [...more, "--", "sh", "-c", script]
  const stats = Effect.promise(
    async () => (await (await fetch(`${sandbox.url}/__sandbox/stats`)).json()) as Readonly<Record<string, number>>
  )
  const said = (name: string) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), "utf8").trim() : "")
  return {
    folder,
    options,
    sandbox,
    said,
    stats,
    has: (name: string) => Effect.sync(() => said(name) !== ""),
    /** To its end. */
    gateway: (script: string, more: ReadonlyArray<string> = [], own = {}) =>
      run("svc-gateway", of(script, more), { cwd: folder, env: { ...env, ...own } }),
    /** `svc-gateway -- COMMAND` in a terminal of its own. */
    inTerminal: (...words: ReadonlyArray<string>) => {
      const line = [...commandOf("svc-gateway"), "--", ...words].map((word) => `'${word.replaceAll("'", "'\\''")}'`)
      return startOnTerminal(`exec ${line.join(" ")}`, options)
    },
    /** Runs on. */
    running: (script: string, more: ReadonlyArray<string> = []) => start("svc-gateway", of(script, more), options)
  }
})

const lives = (pid: string) => {
  try {
    process.kill(Number(pid), 0)
    // One that has ended keeps its entry where nobody collects it.
    return !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, "utf8"))
  } catch {
    return false
  }
}

describe("svc-gateway -- COMMAND", () => {
  it.live(
    "hands TERM on and waits for the command, whose code it ends with; children that stay keep nothing",
    () =>
      Effect.gen(function* () {
        const { options, said, stats } = yield* ground()
        const script = `trap 'exit 7' TERM; sleep 300 & echo $! > child; echo ready; while :; do sleep 0.1; done`
        const [command, ...args] = commandOf("svc-gateway")
        const { server } = yield* startServer(
          command,
          [...args, "--", "sh", "-c", script],
          (line) => (line === "ready" ? true : undefined),
          options
        )
        process.kill(server.pid, "SIGTERM")
        // The child holds the streams, as a daemon may.
        assert.strictEqual(yield* server.exitCode, 7)
        assert.isTrue(lives(said("child")))
        process.kill(Number(said("child")))
        assert.include(yield* stats, { logins: 1, logouts: 1 })
      }),
    120_000
  )

  it.live(
    "takes the command and its children with it when it is killed (-9)",
    () =>
      Effect.gen(function* () {
        const { has, running, said } = yield* ground()
        const gateway = yield* running(
          `trap 'echo told > told; exit' TERM; (sleep 300 & echo $! > grandchild; wait) & echo $$ > pid; wait`
        )
        yield* untilOrEnd(
          gateway,
          "the command runs",
          Effect.all([has("pid"), has("grandchild")]).pipe(Effect.map(([a, b]) => a && b))
        )
        yield* gateway.kill("SIGKILL")
        yield* until("the command is told", has("told"))
        yield* until(
          "all have ended",
          Effect.sync(() => !lives(said("pid")) && !lives(said("grandchild")))
        )
      }),
    120_000
  )

  it.live(
    "takes the command with it when its access is lost, and ends with 77",
    () =>
      Effect.gen(function* () {
        const { folder, has, running, sandbox } = yield* ground()
        const gateway = yield* running(
          `trap 'exit 9' TERM; echo ready > ready; until [ -s go ]; do sleep 0.1; done
svc-download -q -a A1 -f bam -d . & while :; do sleep 0.1; done`
        )
        yield* untilOrEnd(gateway, "the command runs", has("ready"))
        // As after a change of the password.
        yield* setFaults(sandbox.url, [
          fault({ endpoint: "getFileDownloadLinks" }, { invalidate: "redirect" }),
          fault(
            { endpoint: "login" },
            {
              status: 200,
              headers: { "content-type": "text/html" },
              body: "<html>User name or password is wrong.</html>"
            }
          )
        ])
        writeFileSync(join(folder, "go"), "go")
        const { exitCode, stderr } = yield* gateway.outcome
        assert.strictEqual(exitCode, 77, stderr)
        assert.match(stderr, /check user name and password/)
      }),
    120_000
  )

  it.live(
    "Ctrl-C of a terminal while it logs in ends it with 130, and the command never runs",
    () =>
      Effect.gen(function* () {
        const { inTerminal, said, sandbox, stats } = yield* ground()
        yield* setFaults(sandbox.url, [fault({ plane: "api", endpoint: "login" }, { delay: 3_000 })])
        const terminal = yield* inTerminal("touch", "ran")
        yield* until(
          "it logs in",
          Effect.map(stats, (seen) => JSON.stringify(seen).includes('"login":'))
        )
        yield* terminal.type("\u0003")
        assert.strictEqual((yield* terminal.outcome).exitCode, 130)
        assert.strictEqual(said("ran"), "")
      }),
    { timeout: 120_000, ...unless(lacks.terminal) }
  )

  it.live(
    "Ctrl-C of a terminal reaches the command once, and a second one as the first; nohup keeps it from the end of the terminal",
    () =>
      Effect.gen(function* () {
        const { folder, has, inTerminal, options, said } = yield* ground()
        // When the gateway has answered twice it has seen the signal too, and handed on what it would.
        const counting = `const { appendFileSync } = require("node:fs")
let ints = 0
process.on("SIGINT", async () => {
  ints += 1
  for (const at of [1, 2]) await (await fetch(new URL("/healthz", process.env.SVC_TARGET))).text()
  appendFileSync("ints", \`\${ints}\\n\`)
  if (ints > 1) process.exit(5)
})
setInterval(() => {}, 1e9)
appendFileSync("ready", "ready")`
        const terminal = yield* inTerminal(process.execPath, "-e", counting)
        yield* until("the command runs", has("ready"))
        yield* terminal.type("\u0003")
        yield* until("it is interrupted", has("ints"))
        assert.strictEqual(said("ints"), "1")
        yield* terminal.type("\u0003")
        assert.strictEqual((yield* terminal.outcome).exitCode, 5)
        assert.strictEqual(said("ints"), "1\n2")

        const [command, ...args] = commandOf("svc-gateway")
        const group = spawn(
          command,
          [...args, "--", "sh", "-c", "echo $$ > pid; until [ -s go ]; do sleep 0.1; done; exit 6"],
          {
            ...options,
            detached: true,
            stdio: "ignore"
          }
        )
        const over = new Promise<number | null>((resolve) => group.once("exit", resolve))
        yield* until("the second command runs", has("pid"))
        process.kill(-(group.pid ?? 0), "SIGHUP")
        writeFileSync(join(folder, "go"), "go")
        assert.strictEqual(yield* Effect.promise(() => over), 6)
      }),
    { timeout: 120_000, ...unless(lacks.terminal) }
  )

  it.live(
    "a step that cannot reach the gateway says where its address and its token are from, and not the token",
    () =>
      Effect.gen(function* () {
        const { options } = yield* ground()
        const env = { ...options.env, SVC_TARGET: "http://127.0.0.1:9/service", SVC_TOKEN: "a-token-of-somebody-0123" }
        const { exitCode, stderr } = yield* run("svc-download", ["-a", "A1", "-d", "."], { ...options, env })
        assert.strictEqual(exitCode, 69)
        assert.match(stderr, /127\.0\.0\.1:9/)
        assert.match(stderr, /its address is from SVC_TARGET, the token from SVC_TOKEN/)
        assert.notInclude(stderr, env.SVC_TOKEN)
      }),
    120_000
  )
})
