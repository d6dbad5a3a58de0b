import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { checksumIn, parseChecksums } from "./ChecksumList.ts"

const md5 = "0123456789abcdef".repeat(2)
const other = "f".repeat(32)
const stated = (written: string) => checksumIn("md5", written, "a b.bam")
const refused = (written: string) => Result.getOrThrow(Result.flip(stated(written)))

describe("checksums", () => {
  it("the checksum of a file: as md5sum writes it, in another folder, among others, in capitals, the digits alone", () => {
    for (const written of [
      `${md5}  a b.bam\n`,
      `${md5} *out/a b.bam\r\n`,
      `${other}  z.bam\n\n${md5}  a b.bam\n${md5}  a b.bam\n`,
      `${md5.toUpperCase()}  a b.bam`,
      `${md5}\n`,
      md5
    ])
      assert.deepStrictEqual(stated(written), Result.succeed(md5), written)
  })

  it("what is no checksum of the file says why", () => {
    assert.strictEqual(refused(""), "it has no checksum of a b.bam")
    assert.strictEqual(refused(`${md5}  b.bam\n`), "it has no checksum of a b.bam")
    assert.strictEqual(refused(`${md5}  a b.bam\n${other}  a b.bam\n`), "it has two different checksums of a b.bam")
    assert.strictEqual(refused(`${md5}  a b.bam\n${md5.slice(1)}  a b.bam\n`), "line 2 is not one of md5sum")
    assert.strictEqual(refused(`${md5}${md5}  a b.bam\n`), "line 1 is not one of md5sum")
  })

  it.effect.prop(
    "no text makes it throw, and each line that coreutils could write is read",
    [Schema.String],
    ([name]) =>
      Effect.sync(() => {
        assert.isBoolean(Result.isSuccess(stated(name)))
        const hex = createHash("sha256").update(name).digest("hex")
        const escaped = name.replace(/[\\\n\r]/g, (char) => ({ "\n": "\\n", "\r": "\\r" })[char] ?? "\\\\")
        const line = `${escaped === name ? "" : "\\"}${hex}  ${escaped}\n`
        if (name === "") return
        assert.deepStrictEqual(parseChecksums("sha256", line), Result.succeed([{ path: name, hex }]))
      })
  )
})
