import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { chance, chunksOf, jsonText, tableOf } from "../../../test/annotations/Bodies.ts"
import { JsonScanner } from "./JsonScanner.ts"
import { endOfValue } from "./JsonText.ts"

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** What a listener hears of a text in these chunks, with offsets from the start of the text; and the fault. */
const heard = (chunks: ReadonlyArray<Uint8Array>, depth = 3) => {
  const events: Array<string> = []
  const scanner: JsonScanner = new JsonScanner(
    {
      began: (at, byte, level) => {
        events.push(`${level} ${String.fromCharCode(byte)} from ${scanner.size + at}`)
        return null
      },
      ended: (at, level) => {
        events.push(`${level} to ${scanner.size + at}`)
      },
      named: (name, from, to) => {
        events.push(`${name} from ${scanner.size + from} to ${scanner.size + to}`)
        return null
      }
    },
    depth
  )
  for (const chunk of chunks) scanner.push(chunk)
  const fault = scanner.end()
  return { events, fault }
}

describe("the scanner", () => {
  it("tells where values and the names of the outermost object lie, as deep as one listens", () => {
    assert.deepStrictEqual(heard([encoder.encode('{"a": [1, "x"],"\\u0062":-1.50}')], 1), {
      events: [
        "0 { from 0",
        "a from 1 to 4",
        "1 [ from 6",
        "1 to 14",
        "b from 15 to 23",
        "1 - from 24",
        "1 to 29",
        "0 to 30"
      ],
      fault: null
    })
  })

  it("tells the end of a number at the end of the text", () => {
    assert.deepStrictEqual(heard([encoder.encode(" 12")]).events, ["0 1 from 1", "0 to 3"])
  })

  it("ends with the reason of a listener that refuses", () => {
    const refusing = new JsonScanner({ began: (at) => (at === 3 ? "no" : null), ended: () => {} }, 1)
    assert.deepStrictEqual(refusing.push(encoder.encode("[1,2]")), { at: 3, reason: "no" })
    assert.deepStrictEqual(refusing.push(encoder.encode(",3]")), { at: 3, reason: "no" })
    assert.deepStrictEqual(refusing.end(), { at: 3, reason: "no" })
  })

  it.prop(
    "H18 says the same of every split of a text, sound or damaged",
    [Schema.Int, Schema.Boolean, Schema.Boolean],
    ([seed, dense, damaged]) => {
      const pick = chance(seed)
      const { data, header } = tableOf(pick, 3, 4)
      const bytes = encoder.encode(`{"data":${jsonText(data, pick, dense)},"h":${jsonText(header, pick, dense)}}`)
      if (damaged) bytes[pick(bytes.length)] = [0x22, 0x5c, 0x5d, 0x2c, 0x30, 0x65, 0x00, 0xc3][pick(8)] ?? 0
      const whole = heard([bytes])
      for (const longest of [1, 3, 50]) assert.deepStrictEqual(heard(chunksOf(bytes, pick, longest)), whole)
    }
  )

  it("a name of any length is read, and one that is longer than any that is looked for has no text", () => {
    const { events, fault } = heard(chunksOf(encoder.encode(`{"${"x".repeat(200_000)}":1,"a":2}`), chance(1), 9000), 0)
    assert.isNull(fault)
    assert.deepStrictEqual(events, ["0 { from 0", " from 1 to 200003", "a from 200006 to 200009", "0 to 200012"])
  })
})

describe("the end of a value", () => {
  it.prop(
    "is found in whatever JSON, and not before all of it is there",
    [Schema.Int, Schema.Boolean],
    ([seed, dense]) => {
      const pick = chance(seed)
      const { data } = tableOf(pick, 2, 2)
      const value = jsonText(data, pick, dense)
      const bytes = encoder.encode(`${value},1]`)
      const end = encoder.encode(value).length
      assert.strictEqual(decoder.decode(bytes.subarray(0, endOfValue(bytes, 0, bytes.length))), value)
      for (let cut = 0; cut <= end; cut++) assert.strictEqual(endOfValue(bytes, 0, cut), -1)
    }
  )
})
