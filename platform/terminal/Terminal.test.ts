import { PassThrough } from "node:stream"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Redacted, Schema } from "effect"
import { makeLine, makeOperator } from "./Terminal.ts"

/** Types `keys`; gives the line or how it ended, and what the terminal showed. */
const type = (keys: string, echoed = true) => {
  let shown = ""
  const read = makeLine((text) => {
    if (echoed) shown += text
  })
  for (const key of keys) {
    const answer = read(key)
    if (answer.kind !== "typing") return { ...answer, shown }
  }
  return { kind: "typing", shown }
}

describe("a typed line", () => {
  it("ends with return or line feed", () => {
    assert.deepInclude(type("päss 💡\r"), { kind: "line", text: "päss 💡" })
    assert.deepInclude(type("a\n"), { kind: "line", text: "a" })
  })

  it("can be corrected", () => {
    assert.deepInclude(type("ab\u007fc\r"), { kind: "line", text: "ac", shown: "ab\b \bc" })
    assert.deepInclude(type("\b\bab\u0015c\r"), { kind: "line", text: "c" })
  })

  it("Y3 ends without an answer at Ctrl-C, and at Ctrl-D when empty", () => {
    assert.deepInclude(type("abc\u0003"), { kind: "stop" })
    assert.deepInclude(type("\u0004"), { kind: "end" })
    assert.deepInclude(type("a\u0004b\r"), { kind: "line", text: "ab" })
  })

  it("drops arrow keys and other control characters", () => {
    assert.deepInclude(type("a\u001b[Ab\u001bOPc\u001b[1;5Cd\u0007\t\r"), { kind: "line", text: "abcd" })
  })

  it("Y3 takes 10 KB at once", () => {
    const long = "x".repeat(10_240)
    assert.deepInclude(type(`${long}\r`), { kind: "line", text: long })
  })

  it.prop("takes every printable text as it is", [Schema.String], ([text]) => {
    const printable = [...text].filter((character) => character >= " " && character !== "\u007f").join("")
    assert.deepInclude(type(`${printable}\r`), { kind: "line", text: printable })
  })
})

/** A terminal in memory, of which a test has the keyboard. */
const makeTerminal = (setRawMode: (raw: boolean) => void = () => {}) => {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode })
  const stderr = Object.assign(new PassThrough(), { isTTY: true })
  const signals: Array<string> = []
  const operator = makeOperator({
    stdin: stdin as unknown as NodeJS.ReadStream,
    stderr: stderr as unknown as NodeJS.WriteStream,
    prose: (text) => text,
    interrupt: (signal) => signals.push(signal)
  })
  return { operator, stdin, signals }
}

describe("a question", () => {
  it.live("S10 Y3 a letter whose bytes come in two pieces is one letter", () =>
    Effect.gen(function* () {
      const { operator, stdin } = makeTerminal()
      const fiber = yield* Effect.forkChild(operator.secret("Password: "), { startImmediately: true })
      const bytes = new TextEncoder().encode("paß💡wort\r")
      for (const byte of bytes) stdin.write(Buffer.of(byte))
      assert.strictEqual(Redacted.value(yield* Fiber.join(fiber)), "paß💡wort")
    })
  )

  const refuse = (refused: boolean) => (raw: boolean) => {
    if (raw === refused) throw Object.assign(new Error("setRawMode EIO"), { code: "EIO" })
  }
  const endings: ReadonlyArray<readonly [string, boolean, (stdin: PassThrough) => void]> = [
    ["before the question", true, () => {}],
    ["at the question, with an end", false, (stdin) => stdin.end()],
    ["at the question, with an error", false, (stdin) => stdin.destroy(new Error("read EIO"))]
  ]
  for (const [when, refused, goAway] of endings) {
    it.live(`P4 Y3 a terminal that goes away ${when} is no answer, and no defect`, () =>
      Effect.gen(function* () {
        const { operator, signals, stdin } = makeTerminal(refuse(refused))
        const fiber = yield* Effect.forkChild(operator.confirm("Restore it?"), { startImmediately: true })
        goAway(stdin)
        assert.isFalse(yield* Fiber.join(fiber))
        assert.deepStrictEqual(signals, [])
      })
    )
  }

  it.live("P4 Y3 a step that needs an answer ends as after Ctrl-C, or as its terminal does", () =>
    Effect.gen(function* () {
      for (const [signal, end] of [
        ["SIGINT", (stdin: PassThrough) => stdin.write("\u0003")],
        ["SIGINT", (stdin: PassThrough) => stdin.write("\u0004")],
        ["SIGHUP", (stdin: PassThrough) => stdin.end()]
      ] as const) {
        const { operator, signals, stdin } = makeTerminal()
        const fiber = yield* Effect.forkChild(operator.line("User name: "), { startImmediately: true })
        end(stdin)
        yield* Effect.sleep(1).pipe(Effect.repeat({ while: () => signals.length === 0 }))
        assert.deepStrictEqual(signals, [signal])
        yield* Fiber.interrupt(fiber)
      }
    })
  )
})
