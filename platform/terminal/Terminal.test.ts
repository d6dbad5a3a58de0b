import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { makeLine } from "./Terminal.ts"

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
