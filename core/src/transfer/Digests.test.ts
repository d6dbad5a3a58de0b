import { assert, describe, it } from "@effect/vitest"
import { algorithmsFor, comparisonOf, conflict, mergeDigests, statedDigests } from "./Digests.ts"

const stated = (headers: Readonly<Record<string, string>>, status = 200) =>
  statedDigests(status, new Map(Object.entries(headers))).map((one) => `${comparisonOf(one)}: ${one.hex}`)

// Digests of the text "123456789".
const md5 = { hex: "25f9e794323b453885f5181f1b624d0b", base64: "JfnnlDI7RTiF9RgfG2JNCw==" }
const sha256 = {
  hex: "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225",
  base64: "FeKw08M4keuw8e9gnsQZQgwg4yDOlMZfvIwzEkSOsiU="
}
const sha1 = { hex: "f7c3bc1d808e04732adf679965ccc34ca7ae3441", base64: "98O8HYCOBHMq32eZZczDTKeuNEE=" }
const crc32 = { hex: "cbf43926", base64: "y/Q5Jg==" }
const crc32c = { hex: "e3069283", base64: "4waSgw==" }

const s3 = { etag: `"${md5.hex}"` }

describe("what a link host tells of a whole file", () => {
  it("is read from the fields that say so", () => {
    assert.deepStrictEqual(stated({ "content-md5": md5.base64 }), [`md5 of Content-MD5: ${md5.hex}`])
    const both = `sha-256=:${sha256.base64}:, md5=:${md5.base64}:;x=1`
    assert.deepStrictEqual(stated({ "repr-digest": both }), [
      `sha256 of Repr-Digest: ${sha256.hex}`,
      `md5 of Repr-Digest: ${md5.hex}`
    ])
    assert.deepStrictEqual(stated({ "content-digest": `sha-256=:${sha256.base64}:` }), [
      `sha256 of Content-Digest: ${sha256.hex}`
    ])
    assert.deepStrictEqual(stated({ "x-goog-hash": `crc32c=${crc32c.base64}, md5=${md5.base64}` }), [
      `crc32c of x-goog-hash: ${crc32c.hex}`,
      `md5 of x-goog-hash: ${md5.hex}`
    ])
    assert.deepStrictEqual(stated(s3), [`md5 of ETag: ${md5.hex}`])
    assert.deepStrictEqual(stated({ ...s3, "x-amz-server-side-encryption": "AES256" }), [`md5 of ETag: ${md5.hex}`])
  })

  const amazon = {
    "x-amz-checksum-crc32": crc32.base64,
    "x-amz-checksum-crc32c": crc32c.base64,
    "x-amz-checksum-sha1": sha1.base64,
    "x-amz-checksum-sha256": sha256.base64,
    // Node computes no CRC-64.
    "x-amz-checksum-crc64nvme": "rosUhgy5i9A="
  }
  const ofAmazon = [
    `crc32 of x-amz-checksum-crc32: ${crc32.hex}`,
    `crc32c of x-amz-checksum-crc32c: ${crc32c.hex}`,
    `sha1 of x-amz-checksum-sha1: ${sha1.hex}`,
    `sha256 of x-amz-checksum-sha256: ${sha256.hex}`
  ]

  it("is read from the checksums of S3, unless they are of parts", () => {
    for (const [name, value] of Object.entries(amazon)) {
      assert.deepStrictEqual(
        stated({ [name]: value }),
        ofAmazon.filter((line) => line.includes(`${name}:`))
      )
      assert.deepStrictEqual(stated({ [name]: `${value}-3` }), [])
      assert.deepStrictEqual(stated({ [name]: value, "x-amz-checksum-type": "COMPOSITE" }), [])
    }
    assert.deepStrictEqual(stated({ ...amazon, "x-amz-checksum-type": "FULL_OBJECT" }), ofAmazon)
  })

  it("in a range counts where the range is the whole file", () => {
    const of = (range: string) => stated({ ...amazon, "content-range": range }, 206)
    assert.deepStrictEqual(of("bytes 0-8/9"), ofAmazon)
    for (const range of ["bytes 0-7/9", "bytes 1-8/9", "bytes 0-8/*", "bytes */9", "0-8/9", ""]) {
      assert.deepStrictEqual(of(range), [], range)
    }
    assert.deepStrictEqual(stated({ "content-md5": md5.base64, "content-range": "bytes 0-8/9" }, 206), [
      `md5 of Content-MD5: ${md5.hex}`
    ])
  })

  it("in the reply to a part is only what speaks of the whole", () => {
    const headers = {
      "content-md5": md5.base64,
      "content-digest": `md5=:${md5.base64}:`,
      "repr-digest": `md5=:${md5.base64}:`,
      "x-goog-hash": `md5=${md5.base64}`
    }
    assert.deepStrictEqual(stated(headers, 206), [`md5 of Repr-Digest: ${md5.hex}`, `md5 of x-goog-hash: ${md5.hex}`])
  })

  it("is not taken where it would be a guess", () => {
    const guesses: ReadonlyArray<Readonly<Record<string, string>>> = [
      { ...s3, etag: `"${md5.hex}-3"` },
      { ...s3, etag: `W/"${md5.hex}"` },
      { ...s3, etag: `"${md5.hex.toUpperCase()}"` },
      { ...s3, "x-amz-server-side-encryption": "aws:kms" },
      { ...s3, "x-amz-server-side-encryption-customer-algorithm": "AES256" },
      { "x-goog-hash": `md5=${md5.base64}`, "x-goog-stored-content-encoding": "gzip" },
      { "content-md5": crc32c.base64 },
      { "content-md5": `${md5.base64}, ${md5.base64}` },
      { "content-md5": md5.hex },
      { "repr-digest": `unixsum=:AAA=:, sha-256=${sha256.base64}, sha-512=:${md5.base64}:` },
      { "x-goog-hash": "crc32c=n0, md5" }
    ]
    for (const headers of guesses) assert.deepStrictEqual(stated(headers), [], JSON.stringify(headers))
  })

  it("is put together from several replies, and contradicted by another value of the same field", () => {
    const of = (headers: Readonly<Record<string, string>>) => statedDigests(200, new Map(Object.entries(headers)))
    const one = of({ "content-md5": md5.base64 })
    const more = mergeDigests(one, of({ "content-md5": md5.base64, "x-goog-hash": `crc32c=${crc32c.base64}` }))
    assert.deepStrictEqual(more.map(comparisonOf), ["md5 of Content-MD5", "crc32c of x-goog-hash"])
    assert.deepStrictEqual(algorithmsFor(more, { own: ["sha256"], triesTags: true }), ["sha256", "md5", "crc32c"])
    assert.isNull(conflict(more, one))
    assert.strictEqual(conflict(more, of({ "content-md5": "AAAAAAAAAAAAAAAAAAAAAA==" }))?.field, "Content-MD5")
  })
})
