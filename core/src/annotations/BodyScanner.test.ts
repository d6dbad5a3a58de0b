import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { bodyText, chance, chunksOf, jsonText, tableOf } from "../../../test/annotations/Bodies.ts"
import { BodyScanner, type ScanFault, type ScanLimits, usualLimits } from "./BodyReading.ts"

const bytesOf = (text: string) => new TextEncoder().encode(text)
const textOf = (bytes: Uint8Array) => new TextDecoder("utf-8", { fatal: true }).decode(bytes)
const joined = (parts: ReadonlyArray<Uint8Array>) => Uint8Array.from(parts.flatMap((part) => [...part]))

interface Scan {
  readonly fault: ScanFault | null
  readonly rows: Uint8Array
  readonly header: Uint8Array
  readonly scanner: BodyScanner
}

const scan = (chunks: ReadonlyArray<Uint8Array>, limits: ScanLimits = usualLimits): Scan => {
  const scanner = new BodyScanner(limits)
  const rows: Array<Uint8Array> = []
  const header: Array<Uint8Array> = []
  for (const chunk of chunks) {
    if (scanner.push(chunk) !== null) break
    const { data: inRows, header: inHeader } = scanner
    if (inRows !== null) rows.push(chunk.subarray(inRows.from, inRows.to))
    if (inHeader !== null) header.push(chunk.subarray(inHeader.from, inHeader.to))
  }
  return { fault: scanner.end(), rows: joined(rows), header: joined(header), scanner }
}

const scanText = (text: string, limits?: ScanLimits) => scan([bytesOf(text)], limits)

const rowsIn = (list: Uint8Array): unknown => JSON.parse(textOf(list))

const body = '{"data":[["a",1,[],null,[2,"x;"]],[ ],["yy",-0.5,1e5,{"a":[1]},true,false]],"header":[{"id":"A"}],"x":{}}'

describe("rows and header", () => {
  it("are found", () => {
    const { fault, header, rows, scanner } = scanText(body)
    assert.isNull(fault)
    assert.strictEqual(textOf(header), '[{"id":"A"}]')
    assert.strictEqual(textOf(rows), body.slice(8, body.indexOf(',"header"')))
    assert.deepStrictEqual([scanner.rowCount, scanner.hasData, scanner.hasHeader], [3, true, true])
  })

  it("are known by their names, however these are escaped, and only in the object of the body", () => {
    const escaped = '{"x":{"data":1,"header":[]},"d\\u0061ta":[["\\u0001"]],"h\\u0065ader":[]}'
    const { fault, rows } = scanText(escaped)
    assert.isNull(fault)
    assert.deepStrictEqual(rowsIn(rows), [["\u0001"]])
    const { scanner } = scanText(`{"${"\\u0064".repeat(9)}":[[1]]}`)
    assert.isFalse(scanner.hasData)
  })

  it.effect.prop(
    "H18 are the same for every split, in every spelling, as JSON.parse finds them",
    [Schema.Int, Schema.Boolean, Schema.Boolean],
    ([seed, dense, headerFirst]) =>
      Effect.sync(() => {
        const pick = chance(seed)
        const { data, header } = tableOf(pick, 1 + pick(4), pick(6))
        const members = [["data", data] as const, ["header", header] as const, ["more", [data, { data }]] as const]
        const bytes = bodyText(headerFirst ? members.toReversed() : members, pick, dense)
        const whole = scan([bytes.slice()])
        assert.isNull(whole.fault)
        assert.deepStrictEqual(rowsIn(whole.rows), data)
        assert.deepStrictEqual(JSON.parse(textOf(whole.header)), header)
        for (const longest of [1, 3, 20, 200]) {
          const split = scan(chunksOf(bytes, pick, longest))
          assert.isNull(split.fault)
          assert.deepStrictEqual([split.rows, split.header], [whole.rows, whole.header])
          assert.strictEqual(split.scanner.rowCount, data.length)
        }
      })
  )
})

describe("bodies that cannot be read", () => {
  const reasonOf = (text: string) => {
    const { fault } = scanText(text)
    return fault?._tag === "Malformed" ? `${fault.at}: ${fault.reason}` : fault
  }

  it("H18 cut at any byte are known as cut, wherever the chunks end", () => {
    const bytes = bytesOf(`${body.slice(0, -1)},"y":"\\u00e4ä",\n "z":[-1.5e-10, 0, 1.5]}`)
    const pick = chance(1)
    for (let cut = 0; cut < bytes.length; cut++) {
      for (const chunks of [[bytes.slice(0, cut)], chunksOf(bytes.subarray(0, cut), pick, 7)]) {
        const { fault } = scan(chunks)
        assert.deepStrictEqual(fault, {
          _tag: "Malformed",
          at: cut,
          reason: cut === 0 ? "its body is empty" : "it breaks off"
        })
      }
    }
    assert.isNull(scan([bytes]).fault)
  })

  it("H18 trailing garbage, NUL, UTF-16 and broken UTF-8 are refused, a byte order mark is accepted", () => {
    assert.strictEqual(reasonOf(`${body}x`), `${body.length}: expected nothing more`)
    assert.strictEqual(reasonOf(`${body}{}`), `${body.length}: expected nothing more`)
    assert.strictEqual(reasonOf(`${body}\u0000`), `${body.length}: expected nothing more`)
    assert.isNull(reasonOf(`${body} \r\n\t`))
    assert.isNull(reasonOf(`\ufeff${body}`))
    assert.strictEqual(reasonOf(`\ufeff\ufeff${body}`), "3: expected a value")
    assert.strictEqual(reasonOf('{"a":"\u0000"}'), "6: a control character inside a string")
    const utf16 = Uint8Array.from([0xff, 0xfe, ...[...'{"data":[]}'].flatMap((c) => [c.charCodeAt(0), 0])])
    assert.strictEqual(scan([utf16]).fault?._tag, "Malformed")
    assert.strictEqual(scan([utf16.slice(2)]).fault?._tag, "Malformed")
    for (const bytes of [
      [0x80],
      [0xc0, 0xaf],
      [0xe0, 0x80, 0x80],
      [0xed, 0xa0, 0x80],
      [0xf5, 0x80, 0x80, 0x80],
      [0xc3]
    ]) {
      const { fault } = scan([bytesOf('{"data":[["'), Uint8Array.from(bytes), bytesOf('"]],"header":[]}')])
      assert.deepStrictEqual(fault?._tag === "Malformed" && fault.reason, "text that is not UTF-8")
    }
  })

  it("H18 a body of one value is JSON as well", () => {
    for (const text of ["null", " true\n", "0", "-1.5e3", '"x"', "[]", '[1,{"data":[1]}]'])
      assert.isNull(reasonOf(text))
    for (const text of ["nul", "-", "1.", "1e", '"x', "["]) {
      assert.strictEqual(reasonOf(text), `${text.length}: it breaks off`)
    }
    for (const text of ["null,1", "1 2", "[]]", "01"]) assert.match(String(reasonOf(text)), /expected nothing more$/)
  })

  it("H17 a page of HTML is called one", () => {
    assert.strictEqual(reasonOf("<!DOCTYPE html>"), "0: a page of HTML or XML instead of JSON")
    assert.strictEqual(reasonOf("  <html>"), "2: a page of HTML or XML instead of JSON")
  })

  it("values that are not rows or headers are refused", () => {
    assert.strictEqual(reasonOf('{"data":{}}'), "8: data is not a list")
    assert.strictEqual(reasonOf('{"data":null}'), "8: data is not a list")
    assert.strictEqual(reasonOf('{"header":"x"}'), "10: header is not a list")
    assert.strictEqual(reasonOf('{"data":[[1],{"a":1}]}'), "13: a row that is not a list")
    assert.strictEqual(reasonOf('{"data":[[1],[2],3]}'), "17: a row that is not a list")
    assert.strictEqual(reasonOf('{"data":[[1,2],"a"]}'), "15: a row that is not a list")
    assert.strictEqual(reasonOf('{"data":[],"data":[]}'), "16: data is there twice")
    assert.strictEqual(reasonOf('{"header":[],"header":[]}'), "20: header is there twice")
  })

  it("H19 nesting, rows and headers have a limit, met in small chunks as well", () => {
    const limits = { depth: 5, piece: 100 }
    const nested = (levels: number) => `{"data":[[${"[".repeat(levels)}${"]".repeat(levels)}]],"header":[]}`
    assert.isNull(scanText(nested(2), limits).fault)
    assert.deepStrictEqual(scanText(nested(3), limits).fault, {
      _tag: "Malformed",
      at: 12,
      reason: "JSON nested deeper than 5 levels"
    })
    assert.strictEqual(scanText(`{"a":${"[".repeat(200_000)}`).fault?._tag, "Malformed")
    const long = { _tag: "TooLarge", limit: 100 } as const
    for (const text of [`{"data":[["${"x".repeat(200)}`, `{"header":[{"id":"${"x".repeat(200)}`]) {
      assert.deepStrictEqual(scan(chunksOf(bytesOf(text), chance(1), 30), limits).fault, long)
    }
    const many = `{"data":[${Array(100).fill('["xxxxxxxxxx"]').join(",")}],"header":[]}`
    assert.isNull(scan(chunksOf(bytesOf(many), chance(1), 30), limits).fault)
    assert.isNull(scan(chunksOf(bytesOf(many), chance(1), 200), limits).fault)
  })

  const isJson = (bytes: Uint8Array) => {
    try {
      JSON.parse(textOf(bytes))
      return true
    } catch {
      return false
    }
  }

  it.effect.prop(
    "H18 with some bytes changed are refused exactly when JSON.parse refuses them",
    [Schema.Int, Schema.Boolean],
    ([seed, dense]) =>
      Effect.sync(() => {
        const pick = chance(seed)
        const { data, header } = tableOf(pick, 3, 4)
        const original = bytesOf(`{"a":${jsonText(data, pick, dense)},"b":${jsonText(header, pick, dense)}}`)
        // The rows under other names, so that JSON is all that is asked for; and the same as rows.
        const asRows = bytesOf(`{"data":${jsonText(data, pick, dense)},"header":[]}`)
        for (let n = 0; n < 20; n++) {
          for (const source of [original, asRows]) {
            const bytes = source.slice()
            for (let edits = 1 + pick(2); edits > 0; edits--) {
              bytes[8 + pick(bytes.length - 8)] =
                [0x22, 0x5c, 0x5b, 0x5d, 0x2c, 0x30, 0x2e, 0x65, 0x20, 0x00, 0xc3][pick(11)] ?? 0
            }
            const { fault } = scan(chunksOf(bytes, pick, pick(2) === 0 ? 9 : 5000))
            const structural = fault?._tag === "Malformed" && /not a list|twice/.test(fault.reason)
            if (!structural) assert.strictEqual(fault === null, isJson(bytes), textOfLossy(bytes))
          }
        }
      })
  )
})

const textOfLossy = (bytes: Uint8Array) => JSON.stringify(new TextDecoder().decode(bytes))
