/** What a person sees on a terminal while files come: the built `svc-download` behind a pseudo-terminal of util-linux. */
import { readdirSync, readlinkSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readConfigFile } from "../../platform/inputs/PrivateFile.ts"
import { fault, type Ground, ground } from "../DownloadGround.ts"
import { commandOf, runCommand, startOnTerminal } from "../Executables.ts"
import { lacks, unless } from "../Lacks.ts"

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** `svc-download` in a window of so many columns and ten rows, until the scope closes. */
const inTerminal = Effect.fnUntraced(function* (
  { env, folder }: Ground,
  columns: number,
  args: ReadonlyArray<string>,
  more: Readonly<Record<string, string>> = {}
) {
  const program = [...commandOf("svc-download"), ...args].map(quoted).join(" ")
  const line = `echo pid $$ at $(tty); stty cols ${columns} rows 10; exec ${program}`
  const terminal = yield* startOnTerminal(line, { cwd: folder, env: { ...env, ...more } })
  yield* terminal.shows(/^pid \d+ at \S+\r?\n/)
  const [, pid = "", tty = ""] = /^pid (\d+) at (\S+)/.exec(terminal.output()) ?? []
  return {
    ...terminal,
    exitCode: Effect.map(terminal.outcome, ({ exitCode }) => exitCode),
    resize: (columns: number) => runCommand("stty", ["-F", tty, "cols", String(columns)]),
    interrupt: Effect.sync(() => void process.kill(Number(pid), "SIGINT"))
  }
})

const start = "\u001b["
const eraser = new RegExp(String.raw`(\r${start.replace("[", "\\[")}\d+A${start.replace("[", "\\[")}J|\n)`)

/** What stays on the screen: the status is taken back before each of its redraws, and at the end. */
const remains = (output: string): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const part of output.replaceAll("\r\n", "\n").split(eraser)) {
    const up = /\[(\d+)A/.exec(part)?.[1]
    if (up !== undefined) lines.splice(lines.length - Number(up))
    else if (part !== "\n" && part !== "") lines.push(part)
    // An empty line cannot be told from an end of line here; the program writes none.
  }
  return lines
}

/** Frames of the status that were drawn, each as its lines. */
const frames = (output: string): ReadonlyArray<ReadonlyArray<string>> =>
  output
    .replaceAll("\r\n", "\n")
    .split(`${start}J`)
    .map((frame) => frame.split(`\r${start}`)[0] ?? "")
    .map((frame) => frame.split("\n").filter((line) => line !== "" && !/^\S+Z \[/.test(line)))

const isStatus = (line: string) => /^\S+ +\d+%|^\d+(\/| of )\d+/.test(line)

const files = ["-a", "A1", "-d", "out", "-f", "bam,bam.bai"]
const drawn = (text: string) => /\d+% /.test(text) || /\d+%\r?\n/.test(text)

/** What was written with a colour. */
const colored = (output: string): ReadonlyArray<string> =>
  output
    .split(`${start}39m`)
    .slice(0, -1)
    .map((text) => text.slice(text.lastIndexOf(`${start}3`) + start.length))

describe("settings that are typed at a terminal", unless(lacks.terminal), () => {
  it.live("are read to Ctrl-D, and the terminal is closed again", () =>
    Effect.gen(function* () {
      // A program that keeps the terminal, and does not read from it.
      const script = yield* startOnTerminal("tty; exec tail -f /dev/null")
      yield* script.shows("\n")
      const terminal = script.output().trim()
      const open = () =>
        readdirSync("/proc/self/fd").filter((fd) => {
          try {
            return readlinkSync(`/proc/self/fd/${fd}`) === terminal
          } catch {
            // The one of this look, which is closed again.
            return false
          }
        })
      yield* script.type('{"username": "ada"}\n\u0004')
      assert.deepStrictEqual((yield* readConfigFile(terminal)).layer, { username: ["ada"] })
      assert.deepStrictEqual(open(), [])
    })
  )
})

describe("svc-download on a terminal", unless(lacks.terminal), () => {
  const place = Effect.gen(function* () {
    const made = yield* ground()
    yield* made.setFaults([fault({ plane: "link", file: "*.bam" }, { slow: 60_000 })])
    return made
  })

  it.live("Y2 40 columns: no line of the status is wrapped, and nothing of it stays", () =>
    Effect.gen(function* () {
      const terminal = yield* inTerminal(yield* place, 40, files)
      assert.strictEqual(yield* terminal.exitCode, 0, terminal.output())
      assert.isTrue(drawn(terminal.output()), terminal.output())
      const status = frames(terminal.output()).flat().filter(isStatus)
      assert.isAbove(status.length, 2)
      for (const line of status) assert.isBelow([...line].length, 40, line)
      const left = remains(terminal.output())
      assert.deepStrictEqual(left.filter(isStatus), [])
      assert.strictEqual(left.filter((line) => line.includes(": downloaded, ")).length, 2, left.join("\n"))
      assert.isTrue(
        ["\n", `${start}J`].some((end) => terminal.output().endsWith(end)),
        "the cursor is at the begin of a line"
      )
    })
  )

  it.live(
    "Y2 80 columns: a bar, a rate and a time for each file; green is what was downloaded, yellow what was kept",
    () =>
      Effect.gen(function* () {
        const made = yield* place
        const terminal = yield* inTerminal(made, 80, files)
        assert.strictEqual(yield* terminal.exitCode, 0, terminal.output())
        const bars = frames(terminal.output())
          .flat()
          .filter((line) => line.includes("["))
        assert.isAbove(bars.length, 2)
        for (const line of bars)
          assert.match(
            line,
            /^\S+\.bam(\.bai)? +\[=*>? *\] +\d+% +[\d.]+ [KM]?i?B( +[\d.]+ [KM]?i?B\/s( +\d+:\d\d)?)? *$/
          )
        assert.isTrue(
          bars.some((line) => /\d+:\d\d *$/.test(line)),
          bars.join("\n")
        )
        for (const line of frames(terminal.output()).flat()) assert.isBelow([...line].length, 80, line)
        assert.deepStrictEqual(
          colored(terminal.output())
            .map((text) => text.replace(/, .*/, ""))
            .toSorted(),
          ["32mS1.bam.bai: downloaded", "32mS1.bam: downloaded"]
        )
        const again = yield* inTerminal(made, 80, files)
        assert.strictEqual(yield* again.exitCode, 0, again.output())
        assert.deepStrictEqual(colored(again.output()).toSorted(), [
          "33mS1.bam.bai: exists, kept",
          "33mS1.bam: exists, kept"
        ])
      })
  )

  it.live("Y2 P4 a window made narrower, then Ctrl-C: the lines fit the new width, and the screen is clean", () =>
    Effect.gen(function* () {
      const terminal = yield* inTerminal(yield* place, 100, files)
      yield* terminal.shows(/\[=*>? *\] +\d+% .*iB\/s +\d+:\d\d\r?\n/)
      yield* terminal.resize(44)
      yield* terminal.shows(/\n0\/2, /)
      yield* terminal.interrupt
      assert.strictEqual(yield* terminal.exitCode, 130, terminal.output())
      const end = terminal.output().slice(terminal.output().lastIndexOf(`${start}J`) + 3)
      assert.match(
        end,
        /0 files whole, 1 resumes where it stopped, 1 not begun: run the same command to go on\r?\nError: Stopped by SIGINT/
      )
      assert.deepStrictEqual(end.split(/\r?\n/).filter(isStatus), [])
      assert.isTrue(end.endsWith("\n"))
    })
  )

  it.live("Y2 a file that fails: its line in words, and the screen is clean", () =>
    Effect.gen(function* () {
      const made = yield* place
      yield* made.setFaults([
        fault({ plane: "link", file: "*.bam" }, { slow: 120_000 }),
        fault({ plane: "link", file: "*.bai" }, { status: 403 })
      ])
      const colors = yield* inTerminal(made, 80, files)
      assert.strictEqual(yield* colors.exitCode, 77, colors.output())
      assert.isTrue(colored(colors.output()).some((text) => text.startsWith("31m") && text.includes("S1.bam.bai")))
      const terminal = yield* inTerminal(made, 80, [...files, "--overwrite"], { NO_COLOR: "1" })
      assert.strictEqual(yield* terminal.exitCode, 77, terminal.output())
      assert.isTrue(drawn(terminal.output()))
      const left = remains(terminal.output())
      assert.deepStrictEqual(left.filter(isStatus), [])
      assert.isTrue(left.some((line) => line.includes("[error]")))
      const codes = terminal.output().split(start).slice(1)
      assert.deepStrictEqual(
        codes.filter((code) => /^[\d;]*m/.test(code)),
        [],
        "no colours"
      )
    })
  )

  it.live("Y2 TERM=dumb: plain lines", () =>
    Effect.gen(function* () {
      const terminal = yield* inTerminal(yield* place, 80, files, { TERM: "dumb" })
      assert.strictEqual(yield* terminal.exitCode, 0, terminal.output())
      assert.notInclude(terminal.output(), start)
      assert.notMatch(terminal.output(), /\d+%/)
    })
  )

  it.live("--stdout is refused where a person would get the bytes of a BAM on the screen", () =>
    Effect.gen(function* () {
      const terminal = yield* inTerminal(yield* place, 80, [...files, "--filetypes", "bam", "--stdout"])
      assert.strictEqual(yield* terminal.exitCode, 64, terminal.output())
      assert.match(terminal.output(), /Standard output is a terminal/)
    })
  )
})
