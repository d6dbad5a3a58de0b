import { assert, describe, it } from "@effect/vitest"
import * as Bgzf from "../genome/Bgzf.ts"
import * as HeaderCensus from "./HeaderCensus.ts"

/** A block header with its extra flags (byte 8) and its time (byte 4). */
const headerWith = (extraFlags: number, time = 0) => {
  const header = Bgzf.eofBlock.slice()
  header[8] = extraFlags
  header[4] = time
  return header
}

const oddOf = (...headers: ReadonlyArray<Uint8Array>) => {
  const census = HeaderCensus.make()
  for (const [i, header] of headers.entries()) census.take(header, 0, { block: i + 1, offset: i * 100 })
  return census.odd()
}

describe("headers of blocks", () => {
  it("one bit of one block differs from all others", () => {
    assert.deepStrictEqual(oddOf(headerWith(0), headerWith(0, 16), headerWith(0)), { block: 2, offset: 100 })
    assert.deepStrictEqual(oddOf(headerWith(2), headerWith(2), headerWith(3), headerWith(0)), { block: 3, offset: 200 })
  })

  it("files of other writers, and files joined from several, are sound", () => {
    assert.isNull(oddOf(headerWith(4), headerWith(4), headerWith(0)))
    assert.isNull(oddOf(headerWith(0), headerWith(2), headerWith(2), headerWith(0)))
    assert.isNull(oddOf(headerWith(0, 0x35), headerWith(0)))
  })

  it("the size of a block is not compared, wherever it stands in the header", () => {
    const withField = (size: number) =>
      Uint8Array.of(0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 255, 12, 0, 65, 66, 2, 0, 7, 7, 66, 67, 2, 0, size, 0, 3, 0)
    assert.isNull(oddOf(withField(40), withField(41), withField(43)))
  })
})
