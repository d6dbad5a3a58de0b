import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { ByteRing } from "./ByteRing.ts"

const Amount = Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 1, maximum: 700_000 })))
const Step = Schema.Struct({ how: Schema.Literals(["fill", "push", "take"]), amount: Amount })

const numbers = Uint8Array.from({ length: 3 * 1024 * 1024 }, (_, i) => i % 251)
/** The bytes that follow `from` others, each one more than the one before. */
const sequence = (from: number, length: number) => numbers.subarray(from % 251, (from % 251) + length)

describe("ByteRing", () => {
  it.prop("gives the bytes in the order in which they came, whatever the portions", [Schema.Array(Step)], ([steps]) => {
    const ring = new ByteRing(1024 * 1024)
    let next = 0
    let due = 0
    const check = (bytes: Uint8Array) => {
      assert.isTrue(Buffer.from(sequence(due, bytes.length)).equals(bytes))
      due += bytes.length
    }
    const fresh = (length: number) => {
      next += length
      return sequence(next - length, length)
    }
    for (const { how, amount } of steps) {
      if (how === "take") {
        const bytes = ring.peek().subarray(0, amount)
        check(bytes)
        ring.take(bytes.length)
      } else if (how === "push") {
        ring.push(fresh(amount))
      } else if (ring.roomy) {
        const { target } = ring
        const length = Math.min(amount, target.length)
        target.set(fresh(length))
        ring.filled(length)
      }
    }
    while (ring.used > 0) {
      const bytes = ring.peek()
      check(bytes)
      ring.take(bytes.length)
    }
    assert.strictEqual(due, next)
  })

  it("where the next read lands does not depend on what is taken meanwhile", () => {
    const ring = new ByteRing(1024 * 1024)
    while (ring.roomy) ring.filled(ring.target.length)
    const told = ring.target
    ring.take(ring.peek().length)
    assert.isTrue(ring.roomy)
    assert.strictEqual(ring.target.byteOffset, told.byteOffset)
    assert.strictEqual(ring.target.length, told.length)
  })

  it("a ring of 4 MiB takes reads of 1 MiB while 3 MiB of it are in use, so that a download does not wait for its writes", () => {
    const mebibyte = 1024 * 1024
    const ring = new ByteRing(4 * mebibyte)
    // The first long read takes all the memory.
    ring.filled(ring.target.length)
    ring.take(ring.used)
    for (let read = 1; read <= 3; read++) {
      assert.isTrue(ring.roomy, `before read ${read}`)
      assert.strictEqual(ring.target.length, mebibyte)
      ring.filled(mebibyte)
    }
    assert.isTrue(ring.roomy)
    ring.filled(ring.target.length)
    assert.isFalse(ring.roomy)
    ring.take(mebibyte)
    assert.isTrue(ring.roomy)
  })

  it("a ring keeps to little memory while replies are small, and takes all when a read fills what it may", () => {
    const ring = new ByteRing(1024 * 1024)
    for (let reply = 0; reply < 1000; reply++) {
      ring.filled(Math.min(500, ring.target.length))
      while (ring.used > 0) ring.take(ring.peek().length)
    }
    assert.strictEqual(ring.target.buffer.byteLength, 64 * 1024)
    while (ring.target.length < 32 * 1024) {
      ring.filled(ring.target.length)
      ring.take(ring.peek().length)
    }
    ring.target.fill(7)
    ring.filled(ring.target.length)
    assert.strictEqual(ring.target.buffer.byteLength, 1024 * 1024)
    assert.isTrue(ring.peek().length === 32 * 1024 && ring.peek().every((byte) => byte === 7))
  })

  it("a push that finds too little room gets all the memory, and the bytes that are there stay in order", () => {
    const ring = new ByteRing(1024 * 1024)
    let due = 0
    let next = 0
    const push = (length: number) => {
      ring.push(sequence(next, length))
      next += length
    }
    const take = (length: number) => {
      for (let rest = length; rest > 0; ) {
        const bytes = ring.peek().subarray(0, rest)
        assert.isTrue(Buffer.from(sequence(due, bytes.length)).equals(bytes))
        ring.take(bytes.length)
        due += bytes.length
        rest -= bytes.length
      }
    }
    push(30_000)
    push(30_000)
    take(50_000)
    // Ends at the beginning of the first 64 KiB.
    push(20_000)
    assert.strictEqual(ring.target.buffer.byteLength, 64 * 1024)
    push(200_000)
    assert.strictEqual(ring.target.buffer.byteLength, 1024 * 1024)
    assert.strictEqual(ring.used, 230_000)
    assert.isTrue(ring.roomy)
    take(230_000)
  })
})
