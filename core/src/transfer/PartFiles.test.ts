import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readerOfPart } from "./PartFiles.ts"

describe("readerOfPart", () => {
  it.effect("a read takes no buffer that is larger than what is left of the file", () =>
    Effect.gen(function* () {
      const asked: Array<readonly [offset: number, length: number]> = []
      const read = (offset: number, length: number) => {
        asked.push([offset, length])
        return Effect.succeed(new Uint8Array(length))
      }
      const reader = readerOfPart({ read }, 100)
      const lengths = yield* Effect.forEach([0, 60, 100, 130], (offset) => reader.read(offset, 65_536))
      assert.deepStrictEqual(
        lengths.map((bytes) => bytes.length),
        [100, 40, 0, 0]
      )
      assert.deepStrictEqual(yield* Effect.map(reader.read(10, 5), (bytes) => bytes.length), 5)
      assert.deepStrictEqual(asked.at(-1), [10, 5])
    })
  )
})
