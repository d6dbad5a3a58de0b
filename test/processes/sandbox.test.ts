import { type ChildProcess, spawn } from "node:child_process"
import { readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { bundled } from "../Bundles.ts"
import { folderUntilTheEnd } from "../Executables.ts"
import { ask, json, logIn } from "../servers/Visitor.ts"
import { runWarm } from "../WarmExecutables.ts"

const script = await bundled(new URL("../../steps/sandbox/svc-sandbox.ts", import.meta.url))

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

const read = (child: ChildProcess) => {
  let [stdout, stderr] = ["", ""]
  child.stdout?.on("data", (chunk) => (stdout += chunk))
  child.stderr?.on("data", (chunk) => (stderr += chunk))
  return {
    firstLine: Effect.callback<string>((resume) => {
      child.stdout?.on("data", () => stdout.includes("\n") && resume(Effect.succeed(stdout.split("\n")[0] ?? "")))
    }),
    end: Effect.callback<Ended>((resume) => {
      child.once("close", (code) => resume(Effect.succeed({ code, stdout, stderr })))
    })
  }
}

const launch = (...argv: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.sync(() => spawn(process.execPath, [script, ...argv], { stdio: ["ignore", "pipe", "pipe"] })),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )

/** A file with this text, as an argument. */
const holding = (text: string) => {
  const path = join(folder, `${readdirSync(folder).length}.json`)
  writeFileSync(path, text)
  return path
}
const folder = folderUntilTheEnd("svc-sandbox-")

describe("svc-sandbox", () => {
  it.live("prints one line, serves, and ends with 0 when it is told to stop", () =>
    Effect.gen(function* () {
      const child = yield* launch("--ids", "numeric", "--restoreDelay", "1h")
      const { end, firstLine } = read(child)
      const { linkHost, password, url, user } = JSON.parse(yield* firstLine)
      const { pass } = yield* logIn({ password, url, user })
      assert.strictEqual(json(yield* ask(url, pass, "/api/analyses")).response[0].id, 1)
      const links = json(yield* ask(url, pass, "/api/analysis/1/get-file-download-links")).response.apiFileLinks
      assert.isTrue(links[0].downloadLink.startsWith(`${linkHost}/`))
      child.kill("SIGTERM")
      const { code, stderr, stdout } = yield* end
      assert.deepStrictEqual([code, stderr, stdout.split("\n").length], [0, "", 2])
    })
  )

  const wrong: ReadonlyArray<readonly [argv: ReadonlyArray<string>, code: number, says: RegExp]> = [
    [["--ids", "huge"], 64, /ids/],
    [["--restoreDelay", "soon"], 64, /500ms, 3s, 10m or 1h/],
    [["--nonsense"], 64, /--nonsense/],
    [["--port", "99999"], 64, /99999.*a port from 0 to 65535/],
    [["--data", "/nonexistent"], 66, /\/nonexistent/],
    [["--world", folder], 66, /it is a folder/],
    [["--world", holding('{"analyses": [\n {"id": nope}\n]}')], 65, /json: not JSON: .* at line 2, column 10$/m],
    [["--world", holding('{"analyses": [\n {"id": 1,}')], 65, /json: not JSON: .* at line 2, column 11$/m],
    [["--world", holding('{"analyses": [\n {"id": \n')], 65, /json: not JSON: expected a value at line 3, column 1$/m],
    [["--world", holding('{"behaviour": {"sizes": "huge"}}')], 65, /json: behaviour\.sizes: .*"present"/m],
    [["--world", holding('{"behaviour": {"size": "null"}}')], 65, /json: behaviour\.size: .+$/m],
    [["--world", holding('{"behaviour": {"rearchiveAfter": "soon"}}')], 65, /a duration like 500ms, 3s, 10m or 1h/],
    [["--sizes", "null"], 64, /--sizes/],
    [["--faults", holding("")], 65, /json: not JSON: expected a value at line 1, column 1$/m],
    [["--world", holding('{"analyses": [\n {"idd": 1}\n]}')], 65, /json: analyses\[0\]\.idd: .+$/m],
    [["--host", "192.0.2.1"], 69, /Cannot listen on 192\.0\.2\.1/]
  ]
  for (const [argv, code, says] of wrong) {
    it.live(`${argv.join(" ").replace(`${folder}/`, "")} ends with ${code}, and says why on standard error`, () =>
      Effect.gen(function* () {
        const ended = yield* runWarm("svc-sandbox", argv)
        assert.deepStrictEqual([ended.exitCode, ended.stdout], [code, ""])
        assert.match(ended.stderr, says)
        assert.notMatch(ended.stderr, /\n\s+at /)
      })
    )
  }

  it.live("--version is the bare number, --help fits in without starting anything", () =>
    Effect.gen(function* () {
      const version = yield* runWarm("svc-sandbox", ["--version"])
      assert.match(version.stdout, /^\d+\.\d+\.\d+\n$/)
      const help = yield* runWarm("svc-sandbox", ["--help"])
      assert.strictEqual(help.exitCode, 0)
      assert.match(help.stdout, /^The service in a box[\s\S]*\n\nUsage: svc-sandbox \[options\]\n\nExamples:\n/)
      for (const line of help.stdout.split("\n")) assert.isAtMost(line.length, 80, line)
      for (const flag of ["--data", "--strict", "--faults", "--linkLifetime"]) assert.include(help.stdout, flag)
    })
  )
})
