/** `svc-fetch-annotations` as a process: what it writes where, under faults too; exit codes, secrets, streams. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { SandboxOptions } from "../../sandbox/Sandbox.ts"
import { ground as downloadGround, fault, namesIn } from "../DownloadGround.ts"
import { commandOf, runCommand, start, untilOrEnd } from "../Executables.ts"
import { runWarm } from "../WarmExecutables.ts"

const ground = Effect.fnUntraced(function* (options: SandboxOptions = {}) {
  const made = yield* downloadGround(options)
  const out = join(made.folder, "out")
  const fetch = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
    runWarm("svc-fetch-annotations", args, { cwd: out, env: { ...made.env, ...env } })
  /** The same with a shell around it; `$fetch` is the command. */
  const shell = (script: string) =>
    runCommand("bash", ["--norc", "-c", script], {
      cwd: out,
      env: { ...made.env, fetch: commandOf("svc-fetch-annotations").join(" ") }
    })
  return { ...made, out, fetch, shell }
})

const annotations = { endpoint: "getSnvAnnotations" } as const

const linesOf = (text: string) => text.split("\n").slice(0, -1)

interface Body {
  readonly data: ReadonlyArray<ReadonlyArray<unknown>>
  readonly header: ReadonlyArray<{ readonly id: string }>
}

describe("output", () => {
  it.live("holds what the body says, wherever its header is, in all three forms", () =>
    Effect.gen(function* () {
      const last = yield* ground({ behaviour: { strict: true } })
      const first = yield* ground({ behaviour: { annotationHeader: "first" } })
      const bodies: Array<Body> = []
      for (const { fetch } of [last, first]) {
        const { exitCode, stderr, stdout } = yield* fetch(["A1", "--format", "json"])
        assert.strictEqual(exitCode, 0, stderr)
        bodies.push(JSON.parse(stdout))
      }
      const [body, same] = bodies
      assert.deepStrictEqual(body, same)
      assert.isAbove(body?.data.length ?? 0, 100)

      const expected = body?.data.map((row) => ({
        analysisId: "A1",
        ...Object.fromEntries(body.header.map(({ id }, i) => [id, row[i]]))
      }))
      const texts: Array<string> = []
      for (const { fetch, out } of [last, first]) {
        const streamed = yield* fetch(["A1"])
        assert.deepStrictEqual(
          linesOf(streamed.stdout).map((line) => JSON.parse(line)),
          expected
        )
        assert.match(streamed.stderr, /\[info\]: Analysis A1: 200 rows, \d{5} bytes received\n$/)
        const filed = yield* fetch(["A1", "-o", "a.jsonl"])
        assert.deepStrictEqual([filed.exitCode, filed.stdout], [0, ""])
        assert.strictEqual(readFileSync(join(out, "a.jsonl"), "utf8"), streamed.stdout)
        texts.push((yield* fetch(["A1", "--format", "tsv", "--columns", "Pos,Gene,HPO"])).stdout)
        assert.deepStrictEqual(namesIn(out), ["a.jsonl"])
      }
      assert.strictEqual(texts[0], texts[1])
      const rows = linesOf(texts[0] ?? "")
      assert.strictEqual(rows.length, 201)
      assert.strictEqual(rows[0], "analysisId\tPos\tGene\tHPO")
      const seen = yield* last.stats
      assert.deepStrictEqual([seen.overlaps, seen.maxApiInFlight, seen.logins - seen.logouts], [0, 1, 0])
    })
  )

  it.live("of several analyses comes in their order in one session; a missing one is said and not fatal", () =>
    Effect.gen(function* () {
      const { fetch, out, stats } = yield* ground({ behaviour: { strict: true } })
      const outcome = yield* fetch(["A2,A99", "A1", "A2", "--columns", "ID", "-o", "all.jsonl"])
      assert.strictEqual(outcome.exitCode, 66)
      assert.match(outcome.stderr, /\[error\]: analysis A99: not found/)
      assert.match(outcome.stderr, /\[error\]: all\.jsonl has 2 of 3 analyses: 400 rows, \d+ bytes received\n$/)
      const ids = linesOf(readFileSync(join(out, "all.jsonl"), "utf8")).map((line) => JSON.parse(line).analysisId)
      assert.deepStrictEqual(ids, [...Array(200).fill("A2"), ...Array(200).fill("A1")])
      assert.strictEqual((yield* stats).logins, 1)

      const none = yield* fetch(["A98", "A99", "-o", "none.jsonl"])
      assert.strictEqual(none.exitCode, 66)
      assert.match(none.stderr, /None of 2 analyses could be fetched/)
      const one = yield* fetch(["A99", "-o", "none.jsonl"])
      assert.match(
        one.stderr,
        /^Error: analysis A99: not found \(ANALYSIS_NOT_FOUND\); ids are case-sensitive; svc-api get-analyses shows .*\n$/
      )
      assert.deepStrictEqual([one.exitCode, namesIn(out)], [66, ["all.jsonl"]])
    })
  )

  it.live("of services with integer ids has them as text", () =>
    Effect.gen(function* () {
      const { fetch } = yield* ground({ behaviour: { ids: "numeric" } })
      const { exitCode, stderr, stdout } = yield* fetch(["1", "--columns", "ID"])
      assert.strictEqual(exitCode, 0, stderr)
      assert.match(stdout, /^\{"analysisId":"1","ID":"V0000000001"\}\n/)
    })
  )

  it.live("can be narrowed by filters on columns, wherever the header is", () =>
    Effect.gen(function* () {
      for (const annotationHeader of ["last", "first"] as const) {
        const { fetch } = yield* ground({ behaviour: { annotationHeader } })
        const all = linesOf((yield* fetch(["A1"])).stdout).map((line) => JSON.parse(line))
        const inside = all.filter(({ Chr, Pos }) => Chr === "17" && Pos >= 43_050_000 && Pos <= 43_100_000)
        assert.isAbove(inside.length, 0)
        const outcome = yield* fetch(["A1", "-F", "Chr = 17", "-F", "Pos >= 43050000", "--filters=Pos<=43100000"])
        assert.strictEqual(outcome.exitCode, 0, outcome.stderr)
        assert.deepStrictEqual(
          linesOf(outcome.stdout).map((line) => JSON.parse(line)),
          inside
        )
        assert.match(outcome.stderr, new RegExp(`Analysis A1: ${inside.length} of 200 rows, `))
      }
    })
  )

  it.live("replaces an older file only when it is complete", () =>
    Effect.gen(function* () {
      const { fetch, out, setFaults } = yield* ground()
      writeFileSync(join(out, "a.jsonl"), "old")
      yield* setFaults([fault(annotations, { status: 200, body: '{"data":[[1],[2' })])
      const failed = yield* fetch(["A1", "-o", "a.jsonl"])
      assert.strictEqual(failed.exitCode, 65)
      assert.match(
        failed.stderr,
        /^Error: getSnvAnnotations \(analysis A1\): unreadable reply: it breaks off, at byte 16\n$/m
      )
      assert.strictEqual(readFileSync(join(out, "a.jsonl"), "utf8"), "old")
      yield* setFaults([])
      assert.strictEqual((yield* fetch(["A1", "-o", "a.jsonl"])).exitCode, 0)
      assert.strictEqual(linesOf(readFileSync(join(out, "a.jsonl"), "utf8")).length, 200)
      assert.deepStrictEqual(namesIn(out), ["a.jsonl"])
    })
  )

  it.live("of rows that do not fit into memory goes over a file without a name", () =>
    Effect.gen(function* () {
      const { fetch, out } = yield* ground({ behaviour: { annotationRows: 30_000 } })
      const outcome = yield* fetch(["A1", "-o", "a.tsv", "--format", "tsv"])
      assert.strictEqual(outcome.exitCode, 0, outcome.stderr)
      assert.strictEqual(linesOf(readFileSync(join(out, "a.tsv"), "utf8")).length, 30_001)
      assert.deepStrictEqual(namesIn(out), ["a.tsv"])
      const nowhere = yield* fetch(["A1"], { TMPDIR: join(out, "missing") })
      assert.strictEqual(nowhere.exitCode, 73)
      assert.match(
        nowhere.stderr,
        /missing: no temporary file can be made there \(ENOENT\); TMPDIR names another folder/
      )
    })
  )
})

describe("usage", () => {
  it.live("what is wrong is said in one pass, before any request", () =>
    Effect.gen(function* () {
      const { fetch, out, stats } = yield* ground()
      mkdirSync(join(out, "folder"))
      for (const [args, code, message] of [
        [[], 64, /^Error: Nothing is selected: give an analysis$/m],
        [["A1", ""], 64, /^Error: ID must not be empty/],
        [["A1", "--format", "xml"], 64, /Invalid value for --format: "xml": expected jsonl, tsv or json/],
        [["A1", "--format", "json", "--columns", "X", "-F", "X=1"], 64, /cannot be used with --columns, --filters/],
        [["A1", "-F", "Gene"], 64, /^Error: Filter "Gene": expected "NAME op VALUE" with one of /],
        [["A1", "--gene", "X"], 64, /^Error: --gene is gone: write --filters /],
        [["A1", "-g", "chr1"], 64, /^Error: -g is gone: write -F 'Chr = chr17' /],
        [["A1", "-o", "missing/x"], 73, /Cannot create missing\/x: its folder does not exist/],
        [["A1", "-o", "folder"], 73, /Cannot create folder: it is a folder/]
      ] as const) {
        const outcome = yield* fetch(args)
        assert.strictEqual(outcome.exitCode, code, `${args}: ${outcome.stderr}`)
        assert.match(outcome.stderr, message)
        assert.strictEqual(outcome.stdout, "")
      }
      assert.strictEqual((yield* stats).logins, 0)
    })
  )

  it.live("an unknown column is named with the nearest one, and nothing is written", () =>
    Effect.gen(function* () {
      const { fetch, out } = yield* ground()
      const filter = yield* fetch(["A1", "--filters", "SYMBOL = BRCA1"])
      assert.deepInclude(filter, { exitCode: 64, stdout: "" })
      assert.match(filter.stderr, /^Error: Analysis A1: Unknown column SYMBOL; there are ID, Chr, /)
      const outcome = yield* fetch(["A1", "A2", "--columns", "Gnee,Chr", "-o", "a.jsonl"])
      assert.strictEqual(outcome.exitCode, 64)
      assert.match(
        outcome.stderr,
        /^Error: Analysis A1: Unknown column Gnee \(did you mean Gene\?\); there are ID, Chr, /
      )
      assert.deepStrictEqual(namesIn(out), [])
    })
  )

  it.live("svc-steps fetch-annotations is the same", () =>
    Effect.gen(function* () {
      const { env, fetch, out } = yield* ground()
      const outcome = yield* runWarm("svc-steps", ["fetch-annotations", "A1"], { cwd: out, env })
      assert.strictEqual(outcome.stdout, (yield* fetch(["A1"])).stdout)
    })
  )
})

describe("faults", () => {
  it.live("N7 a body that breaks off is fetched anew, and given up after three times", () =>
    Effect.gen(function* () {
      const { fetch, out, setFaults } = yield* ground()
      const whole = yield* fetch(["A1"])
      yield* setFaults([fault({ ...annotations, times: 1 }, { reset: 9_000 })])
      const again = yield* fetch(["A1", "-o", "a.jsonl"])
      assert.strictEqual(again.exitCode, 0, again.stderr)
      assert.match(
        again.stderr,
        /\[warn\]: 127\.0\.0\.1:\d+: connection reset after part of analysis A1; fetching it anew/
      )
      assert.strictEqual(readFileSync(join(out, "a.jsonl"), "utf8"), whole.stdout)
      yield* setFaults([fault(annotations, { close: 9_000 })])
      const never = yield* fetch(["A1", "-o", "b.jsonl"])
      assert.strictEqual(never.exitCode, 69)
      assert.match(never.stderr, /Error: 127\.0\.0\.1:\d+ is unavailable: .* \(3 attempts\)/)
      assert.deepStrictEqual(namesIn(out), ["a.jsonl"])
    })
  )

  it.live("a reader that has seen enough ends it quietly; a full disk does not", () =>
    Effect.gen(function* () {
      const { shell } = yield* ground({ behaviour: { annotationRows: 30_000 } })
      const head = yield* shell('$fetch A1 | head -1; echo "$' + '{PIPESTATUS[0]}"')
      assert.match(head.stdout, /^\{"analysisId":"A1",.*\}\n141\n$/)
      assert.strictEqual(head.stderr, "")
      if (existsSync("/dev/full")) {
        const full = yield* shell("$fetch A1 -o /dev/full")
        assert.strictEqual(full.exitCode, 74)
        assert.match(full.stderr, /Error: Cannot write \/dev\/full: the disk is full\n$/)
        assert.strictEqual((yield* shell("$fetch A1 > /dev/full")).exitCode, 74)
      }
    })
  )

  it.live("what is open already is written to by its name in /dev/fd, where nobody can make a file", () =>
    Effect.gen(function* () {
      const { fetch, shell } = yield* ground({ behaviour: { annotationRows: 30_000 } })
      const { stdout } = yield* fetch(["A1"])
      const named = yield* shell("set -o pipefail; $fetch A1 -o /dev/fd/3 3>&1 >/dev/null | cat")
      assert.deepInclude(named, { exitCode: 0, stdout }, named.stderr)
    })
  )

  it.live(
    "standard output by its name is written to where it stands, be it a file that has something already, or a socket",
    () =>
      Effect.gen(function* () {
        const { fetch, out, shell } = yield* ground()
        const { stdout } = yield* fetch(["A1"])
        // What Node gives its children is a socket, as what systemd gives a service.
        const socket = yield* shell("$fetch A1 -o /dev/stdout --logfile /dev/stderr")
        assert.deepInclude(socket, { exitCode: 0, stdout })
        assert.match(socket.stderr, /begins, target .*Ended with exit code 0: all done\n$/s)
        const added = yield* shell("echo old > all; $fetch A1 -o /dev/stdout >> all")
        assert.deepInclude(added, { exitCode: 0, stdout: "" }, added.stderr)
        assert.strictEqual(readFileSync(join(out, "all"), "utf8"), `old\n${stdout}`)
      })
  )

  const slowly = [
    ["before the answer begins: the session is ended after it", { delay: 1000 }],
    // A logout could meet the work on an answer that was cut off.
    ["while the answer comes", { slow: 500_000 }]
  ] as const
  it.live.each(slowly)("a signal leaves nothing behind %s", ([, how]) =>
    Effect.gen(function* () {
      const { env, out, setFaults, stats } = yield* ground({ behaviour: { annotationRows: 30_000 } })
      yield* setFaults([fault(annotations, how)])
      const running = yield* start("svc-fetch-annotations", ["A1", "-o", "a.jsonl"], { cwd: out, env })
      yield* untilOrEnd(
        running,
        "the annotations come",
        Effect.map(stats, ({ faultsFired }) => faultsFired > 0 && namesIn(out).length > 0)
      )
      yield* running.kill("SIGTERM")
      const outcome = yield* running.outcome
      assert.strictEqual(outcome.exitCode, 143, outcome.stderr)
      assert.match(outcome.stderr, /Stopped by SIGTERM/)
      assert.deepStrictEqual(namesIn(out), [])
      if ("delay" in how) assert.strictEqual((yield* stats).logouts, 1)
    })
  )
})
