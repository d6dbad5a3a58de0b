import { assert, describe, it } from "@effect/vitest"
import { columnsOf, makeScreen } from "./Screen.ts"

const screenOf = (environment: Readonly<Record<string, string>>, isTTY = true, columns = 80) =>
  makeScreen({ isTTY, columns, write: () => {} }, environment, (text) => text)

describe("what a terminal can", () => {
  it("Y2 a status only where it can be redrawn", () => {
    assert.isTrue(screenOf({ TERM: "xterm" }).live)
    assert.isFalse(screenOf({ TERM: "xterm" }, false).live)
    assert.isFalse(screenOf({ TERM: "dumb" }).live)
    assert.isFalse(screenOf({ TERM: "xterm", CI: "true" }).live)
    assert.isFalse(screenOf({ TERM: "xterm" }, true, 20).live)
    assert.isTrue(screenOf({ TERM: "xterm" }, true, 0).live)
  })

  it("Y2 colours neither with NO_COLOR nor without a terminal", () => {
    assert.isTrue(screenOf({}).colors)
    assert.isTrue(screenOf({ NO_COLOR: "" }).colors)
    assert.isFalse(screenOf({ NO_COLOR: "1" }).colors)
    assert.isFalse(screenOf({}, false).colors)
  })

  it("Y2 columns of 0 or unknown are 80, tiny ones 20", () => {
    assert.deepStrictEqual([undefined, 0, 5, 132].map(columnsOf), [80, 80, 20, 132])
  })
})

describe("screen", () => {
  const onto = (isTTY: boolean) => {
    const written: Array<string> = []
    return {
      written,
      screen: makeScreen({ isTTY, columns: 80, write: (text) => written.push(text) }, { TERM: "xterm" }, (text) => text)
    }
  }

  it("draws the status below the log and replaces it", () => {
    const { screen, written } = onto(true)
    screen.status(["50 %", "two"])
    screen.line("a log line")
    screen.status(["60 %"])
    screen.status([])
    screen.line("end")
    assert.deepStrictEqual(written, [
      "50 %\ntwo\n",
      "\r\u001b[2A\u001b[Ja log line\n50 %\ntwo\n",
      "\r\u001b[2A\u001b[J60 %\n",
      "\r\u001b[1A\u001b[J",
      "end\n"
    ])
  })

  it("Y2 a window that became narrower: the wrapped lines are taken back as well", () => {
    const written: Array<string> = []
    const stream = { isTTY: true, columns: 80, rows: 24, write: (text: string) => written.push(text) }
    const screen = makeScreen(stream, { TERM: "xterm" }, (text) => text)
    screen.status(["a".repeat(70), "漢".repeat(30)])
    stream.columns = 40
    screen.status(["b"])
    assert.strictEqual(written.at(-1), "\r\u001b[4A\u001b[Jb\n")
  })

  it("Y2 a window of few rows shows the last lines, and the cursor never leaves it", () => {
    const written: Array<string> = []
    const screen = makeScreen(
      { isTTY: true, columns: 80, rows: 4, write: (text) => written.push(text) },
      { TERM: "xterm" },
      (text) => text
    )
    screen.status(["1", "2", "3", "4", "all"])
    screen.status([])
    assert.deepStrictEqual(written, ["3\n4\nall\n", "\r\u001b[3A\u001b[J"])
  })

  it("Y2 writes no escape code into a file or a pipe", () => {
    const { screen, written } = onto(false)
    screen.status(["50 %"])
    screen.line("a log line")
    assert.deepStrictEqual(written, ["a log line\n"])
  })
})
