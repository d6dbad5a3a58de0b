import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { JsonPassage } from "./ServiceStreams.ts"

const bytesOf = (text: string) => new TextEncoder().encode(text)

/** What comes through, and the outline; or the reason why not. `cuts` are the places between chunks. */
const passed = (body: Uint8Array, cuts: ReadonlyArray<number> = []) => {
  const passage = new JsonPassage()
  const places = [0, ...cuts.filter((cut) => cut > 0 && cut < body.length).sort((a, b) => a - b), body.length]
  let text = ""
  const decoder = new TextDecoder()
  for (const [index, from] of places.slice(0, -1).entries()) {
    const parts = passage.push(body.slice(from, places[index + 1]))
    if (typeof parts === "string") return { fault: parts, text }
    for (const part of parts) text += decoder.decode(part, { stream: true })
  }
  const end = passage.end()
  return typeof end === "string" ? { fault: end, text } : { text, outline: end.outline }
}

const all = (body: string) => passed(bytesOf(body))

describe("a body without an envelope", () => {
  it("comes through byte for byte", () => {
    for (const body of [
      '{"data":[[1,"\\u00e9",null]],"header":[]}',
      "[]",
      "{}",
      " [1, -0.5e+10, true]",
      '"ä€𝄞"',
      "12"
    ]) {
      assert.deepStrictEqual(all(body), { text: body.trimStart(), outline: "0" }, body)
    }
    assert.deepStrictEqual(all("\ufeff[1]"), { text: "[1]", outline: "0" })
    assert.deepStrictEqual(all("[1]\r\n"), { text: "[1]", outline: "0" })
  })

  it("H21 keeps digits that no number of a program has", () => {
    const body = '{"a":9007199254740993,"b":1e400,"c":0.10000000000000000000001}'
    assert.strictEqual(all(body).text, body)
  })

  it("null alone is no payload", () => {
    assert.deepStrictEqual(all(" null"), { text: "", outline: "null" })
  })
})

describe("a body in an envelope", () => {
  it("gives its response, wherever it stands, and the rest as the outline", () => {
    assert.deepStrictEqual(all('{"success":true, "response": {"a":[1,{}]} ,"errorId":null}'), {
      text: '{"a":[1,{}]}',
      outline: '{"success":true, "response": 0 ,"errorId":null}'
    })
    assert.deepStrictEqual(all('{"response":[1],"success":true}'), {
      text: "[1]",
      outline: '{"response":0,"success":true}'
    })
    assert.deepStrictEqual(all('{"success":true,"response":17}'), {
      text: "17",
      outline: '{"success":true,"response":0}'
    })
  })

  it("without a response gives nothing", () => {
    const body = '{"success":false,"response":null,"errorMessageId":"E1"}'
    assert.deepStrictEqual(all(body), { text: "", outline: body })
  })

  it("a field of that name further inside is only a field", () => {
    const body = '{"data":{"response":1},"success":true}'
    assert.deepStrictEqual(all(body), { text: body, outline: "0" })
    assert.strictEqual(
      all('{"success":true,"response":{"response":null,"success":1}}').text,
      '{"response":null,"success":1}'
    )
  })

  it("H20 two responses are refused", () => {
    assert.match(all('{"response":1,"response":2}').fault ?? "", /^two payloads/)
  })

  it("H19 an envelope that never ends is refused", () => {
    assert.strictEqual(all(`{"success":"${"x".repeat(70_000)}`).fault, "an envelope that is too large")
  })
})

describe("what is not JSON", () => {
  it.each([
    "",
    "{",
    "[1,",
    '"a',
    "[1}",
    '{"a"}',
    '{"a":}',
    "{,}",
    "[,1]",
    "[1,]",
    '{"a":1,}',
    "01",
    "1.",
    "-",
    "1e",
    "+1",
    "nul",
    "nulL",
    "[1]]",
    "{} {}",
    '"\\x"',
    '"\\u12g4"',
    '"a\nb"',
    "'a'",
    "\ud800[",
    "<html>"
  ])("H18 %j is refused", (body) => {
    assert.isString(all(body).fault)
  })

  it("H19 is deeper than a thousand levels", () => {
    assert.strictEqual(all("[".repeat(1001)).fault, "JSON nested deeper than 1000 levels, at byte 1001")
    assert.isUndefined(all("[".repeat(1000) + "]".repeat(1000)).fault)
  })

  it("H18 UTF-16, or a NUL", () => {
    assert.isString(passed(new Uint8Array([0xff, 0xfe, 0x5b, 0, 0x5d, 0])).fault)
    assert.isString(all("[1]\u0000").fault)
  })
})

describe("any JSON", () => {
  const written = (value: unknown, indent: number) => JSON.stringify(value, null, indent)

  it.prop(
    "H18 comes through in chunks of any size, and cut at any byte it is refused",
    [Schema.Json, Schema.Literals([0, 2]), Schema.Array(Schema.Int), Schema.Boolean],
    ([value, indent, places, wrapped]) => {
      const body = bytesOf(
        wrapped ? `{"success":true,"response":${written(value, indent)},"errorId":null}` : written(value, indent)
      )
      const cuts = places.map((place) => Math.abs(place) % (body.length + 1))
      const result = passed(body, cuts)
      assert.isUndefined(result.fault)
      const isEnvelope = !wrapped && typeof value === "object" && value !== null && "response" in value
      if (value !== null && !isEnvelope) assert.deepStrictEqual(JSON.parse(result.text), JSON.parse(written(value, 0)))
      const cut = Math.abs(places[0] ?? 0) % body.length
      const isNumber = typeof value === "number" && !wrapped
      if (!isNumber) assert.isString(passed(body.subarray(0, cut), cuts).fault)
    }
  )

  it.prop(
    "agrees with JSON.parse on any text",
    [
      Schema.Array(
        Schema.Literals([
          "{",
          "}",
          "[",
          "]",
          ",",
          ":",
          '"a"',
          '"response"',
          '"success"',
          "1",
          "-0",
          ".5",
          "e3",
          "null",
          "true",
          " "
        ])
      )
    ],
    ([tokens]) => {
      const text = tokens.join("")
      let fits = true
      try {
        JSON.parse(text)
      } catch {
        fits = false
      }
      const { fault } = all(text)
      assert.strictEqual(fault === undefined || fault.startsWith("two payloads"), fits, text)
    }
  )
})
