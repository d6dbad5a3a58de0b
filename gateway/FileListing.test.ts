import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Schema } from "effect"
import * as A from "effect/Arbitrary"
import { readListing } from "./FileListing.ts"

const utf8 = new TextEncoder()
const names = ["S1.bam", "S1.bam.bai", "S2.bam", 'with "downloadLink":"x"', "ü;1#?.vcf.gz", "", ".."]
const linkTo = (name: string, at: number) => `https://host/${at}?of=${encodeURIComponent(name)}`

/** What stands in fields that the contract does not know: links too. */
const extra = A.schema(
  Schema.Literals([
    "{}",
    '{"downloadLink":"https://host/other"}',
    '{"before":{"apiFileLinks":[{"fileName":"S1.bam","downloadLink":"https://host/other"}]}}',
    '{"note":"\\"downloadLink\\": \\"https://host/other\\"","id":123456789012345678901}'
  ])
)

const lists = A.all({
  files: A.array(
    A.all({
      name: A.schema(Schema.NullOr(Schema.Literals([...names, "absent"]))),
      link: A.schema(Schema.Literals(["link", "link", "link", "null", "absent", "empty"])),
      size: A.schema(Schema.Literals(["absent", "5", 5])),
      extra,
      first: A.schema(Schema.Boolean)
    })
  ),
  envelope: A.schema(Schema.Boolean),
  extra,
  cut: A.schema(Schema.Literals([1, 1, 1, 0.9, 0.5]))
})

type Json = Readonly<Record<string, unknown>>

describe("a list of files on its way through the gateway", () => {
  it.effect("W1 each link leads to its own file, all else stays, and what is not understood is refused", () =>
    Effect.gen(function* () {
      const result = yield* A.checkEffect(lists, ({ cut, envelope, extra, files }) =>
        Effect.gen(function* () {
          const given = files.map(({ extra, first, link, name, size }, at) => {
            const more = { unknown: JSON.parse(extra) as unknown }
            const known = {
              ...(name === "absent" ? {} : { fileName: name }),
              ...(link === "absent"
                ? {}
                : { downloadLink: link === "link" ? linkTo(name ?? "", at) : link === "null" ? null : "" }),
              ...(size === "absent" ? {} : { size })
            }
            return first ? { ...more, ...known } : { ...known, ...more }
          })
          const payload = { id: 7, unknown: JSON.parse(extra) as unknown, apiFileLinks: given }
          const answer = envelope ? { downloadLink: "x", success: true, response: payload } : payload
          const text = JSON.stringify(answer).replaceAll("123456789012345680000", "123456789012345678901.5")
          const bytes = utf8.encode(text)
          const read = yield* Effect.exit(readListing(bytes.subarray(0, Math.floor(bytes.length * cut)), 200))
          if (cut < 1) return Exit.isFailure(read)
          if (!Exit.isSuccess(read) || read.value === null) return false
          const out = JSON.stringify(read.value.withLinks((name) => `own:${name}`))
          const whole = JSON.parse(out) as Json
          const sent = ((envelope ? whole["response"] : whole) as Json)["apiFileLinks"] as ReadonlyArray<Json>
          assert.strictEqual(sent.length, given.length)
          for (const [at, file] of sent.entries()) {
            const { downloadLink, ...others } = file
            const { downloadLink: before, ...othersBefore } = given[at] as Json
            assert.deepStrictEqual(others, othersBefore)
            const name = file["fileName"]
            const alone =
              names.slice(0, 5).includes(String(name)) && files.filter((one) => one.name === name).length === 1
            if (before === undefined || before === null || before === "") assert.strictEqual(downloadLink, before)
            else assert.strictEqual(downloadLink, alone ? `own:${name}` : null)
          }
          const { apiFileLinks: _, ...others } = (envelope ? whole["response"] : whole) as Json
          assert.deepStrictEqual(others, { id: 7, unknown: JSON.parse(extra) })
          if (envelope) assert.deepStrictEqual([whole["downloadLink"], whole["success"]], ["x", true])
          return text.includes("123456789012345678901.5") === out.includes("123456789012345678901.5")
        })
      )
      assert.isUndefined(A.formatCheckFailure(result))
    })
  )

  it.effect(
    "what the service refuses in words of the contract is passed on; other texts, and other forms, are not",
    () =>
      Effect.gen(function* () {
        const read = (body: Uint8Array | string) =>
          Effect.exit(readListing(typeof body === "string" ? utf8.encode(body) : body, 200))
        const no = yield* read('{"success":false,"errorMessageId":"ANALYSIS_NOT_FOUND","response":null}')
        assert.isTrue(Exit.isSuccess(no) && no.value === null)
        const latin1 = Buffer.from(
          '{"id":"1","apiFileLinks":[{"fileName":"M\u00fcller.bam","downloadLink":"l"}]}',
          "latin1"
        )
        for (const body of [
          latin1,
          "",
          "<html>",
          "[]",
          '{"success":true,"response":{"files":[]}}',
          '{"success":true,"response":{"apiFileLinks":[{"fileName":"S1.bam","downloadLink":7}]}}',
          `{"apiFileLinks":[],"deep":${"[".repeat(2000)}${"]".repeat(2000)}}`
        ]) {
          assert.isTrue(Exit.isFailure(yield* read(body)), String(body).slice(0, 40))
        }
      })
  )
})
