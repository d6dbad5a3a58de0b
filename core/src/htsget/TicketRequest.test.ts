import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { fromBody, fromQuery, type TicketRequest } from "./TicketRequest.ts"

const shown = (parsed: Result.Result<TicketRequest, { readonly kind: string }>) =>
  Result.match(parsed, {
    onFailure: ({ kind }) => kind,
    onSuccess: ({ header, regions, unplaced }) =>
      [
        header ? "header" : "records",
        regions?.map(({ readings: [one] }) => `${one?.name} ${one?.starts[0]} ${one?.ends[0]}`).join(", ") ?? "all",
        unplaced ? "unplaced" : ""
      ].join("; ")
  })
const reads = (query: string) => shown(fromQuery("reads", new URLSearchParams(query)))
const variants = (query: string) => shown(fromQuery("variants", new URLSearchParams(query)))
const posted = (body: unknown, query = "") =>
  shown(fromBody("reads", new URLSearchParams(query), typeof body === "string" ? body : JSON.stringify(body)))

describe("what is asked of a ticket", () => {
  it("stands in the parameters of a GET", () => {
    assert.strictEqual(reads(""), "records; all; ")
    assert.strictEqual(reads("format=BAM&class=header"), "header; all; ")
    assert.strictEqual(reads("referenceName=chr1"), "records; chr1 0 Infinity; ")
    assert.strictEqual(reads("referenceName=chr1&start=10&end=20"), "records; chr1 10 20; ")
    assert.strictEqual(reads("referenceName=HLA-A*01:01&end=20"), "records; HLA-A*01:01 0 20; ")
    assert.strictEqual(reads("referenceName=*"), "records; ; unplaced")
    assert.strictEqual(variants("format=vcf&referenceName=1&start=0"), "records; 1 0 Infinity; ")
    assert.strictEqual(reads("fields=QNAME,FLAG&tags=RG&notags=NM,XX&later=1"), "records; all; ")
  })

  it("stands in the body of a POST", () => {
    assert.strictEqual(posted({}), "records; all; ")
    assert.strictEqual(posted({ class: "header" }), "header; all; ")
    const regions = [{ referenceName: "chr1", start: 1, end: 9 }, { referenceName: "chr2" }, { referenceName: "*" }]
    assert.strictEqual(posted({ format: "bam", regions }), "records; chr1 1 9, chr2 0 Infinity; unplaced")
  })

  it("has an error of its own kind for each thing that cannot be", () => {
    assert.strictEqual(reads("format=CRAM"), "UnsupportedFormat")
    assert.strictEqual(variants("format=BCF"), "UnsupportedFormat")
    assert.strictEqual(variants("referenceName=*"), "NotFound")
    for (const query of [
      "start=1",
      "end=1",
      "class=body",
      "class=",
      "tags=RG&notags=RG",
      "referenceName=a&referenceName=b"
    ]) {
      assert.strictEqual(reads(query), "InvalidInput", query)
    }
    for (const number of ["-1", "1.5", "1e3", "x", "", "9007199254740993", "99999999999999999999"]) {
      assert.strictEqual(reads(`referenceName=chr1&start=${number}`), "InvalidInput", number)
    }
    assert.strictEqual(reads("referenceName=*&start=1"), "InvalidInput")
    assert.strictEqual(reads("class=header&referenceName=chr1"), "InvalidInput")
    for (const narrowed of ["fields=QNAME", "tags=RG", "notags=RG", "tags="]) {
      assert.strictEqual(reads(`class=header&${narrowed}`), "InvalidInput", narrowed)
    }
    assert.strictEqual(posted({ class: "header", fields: ["QNAME"] }), "InvalidInput")
    assert.strictEqual(posted({ class: "header", notags: [] }), "InvalidInput")
    assert.strictEqual(reads("referenceName=chr1&start=4294967295"), "records; chr1 4294967295 Infinity; ")
    assert.strictEqual(reads("referenceName=chr1&start=4294967296"), "InvalidInput")
    assert.strictEqual(posted({ regions: [{ referenceName: "chr1", end: 4294967296 }] }), "InvalidInput")
    for (const key of ["referenceName", "start", "end"]) assert.strictEqual(posted({ [key]: 1 }), "InvalidInput", key)
    assert.strictEqual(posted({ referenceName: "chr1", regions: [{ referenceName: "chr1" }] }), "InvalidInput")
    assert.strictEqual(reads("referenceName=chr1&start=20&end=20"), "InvalidRange")
    assert.strictEqual(posted({ regions: [{ referenceName: "chr1", start: 9, end: 1 }] }), "InvalidRange")
    assert.strictEqual(posted({ regions: [] }), "InvalidInput")
    assert.strictEqual(posted({ regions: [{ start: 1 }] }), "InvalidInput")
    assert.strictEqual(posted({ regions: [{ referenceName: "chr1", start: -1 }] }), "InvalidInput")
    assert.strictEqual(posted({ format: "CRAM" }), "UnsupportedFormat")
    assert.strictEqual(posted({}, "format=BAM"), "InvalidInput")
    for (const text of ["", "[]", "null", "{", "7"]) assert.strictEqual(posted(text), "InvalidInput", text)
  })

  it.prop("is a request or an error for any text", [Schema.String, Schema.String], ([one, other]) => {
    for (const query of [
      one,
      `referenceName=${one}&start=${other}`,
      `referenceName=${one}&end=${other}`,
      `class=${one}`
    ]) {
      reads(query)
    }
    posted(one)
  })
})
