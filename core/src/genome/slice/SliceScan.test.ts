import { assert, describe } from "@effect/vitest"
import { bamFile, read } from "../../../../test/genome/Fixtures.ts"
import { withCodecHere } from "../../../../test/genome/WithCodec.ts"
import * as Bgzf from "../bgzf/Bgzf.ts"
import { Codec } from "../bgzf/Codec.ts"
import { recordFormat } from "../formats/RecordFormats.ts"
import { Leads } from "../index/Tiling.ts"
import { headroom } from "./SliceCursor.ts"
import * as SliceScan from "./SliceScan.ts"
import { Stretches } from "./StretchPlan.ts"

describe("a record of many blocks", () => {
  withCodecHere("takes no more memory than it claims, and a block", function* () {
    const codec = yield* Codec
    const { bam } = bamFile(codec, [{ ...read("long", 0, 100), tags: [["CO", "x".repeat(290_000)]] }], {
      blockBytes: 60_000
    })
    const begin = Bgzf.blockSize(bam, 0)
    const dataEnd = bam.length - Bgzf.eofBlock.length
    const stretches = new Stretches()
    const ends = { fetchEnd: bam.length, expectedEnd: bam.length, likelyEnd: bam.length }
    stretches.add({ ...ends, ref: 0, begin: [begin, 0], end: [dataEnd, 0], until: 1_000, whole: true })
    const format = recordFormat({ format: "BAM", references: 1 })
    const room: Array<readonly [taken: number, size: number]> = []
    const scan = SliceScan.make({
      ...{ codec, stretches, dataEnd, takeUnplaced: false, limit: 1_000_000, form: "content", names: ["chr1"] },
      ...{ leads: Leads.none, order: { extents: [], rank: (ref: number) => ref } },
      wanted: new Map([[0, [0, 1_000]]]),
      format: {
        ...format,
        readSpan: (data, at, size, span) => {
          room.push([data.bytes.buffer.byteLength, size])
          return format.readSpan(data, at, size, span)
        }
      }
    })
    const buffer = new Uint8Array(headroom + bam.length - begin)
    buffer.set(bam.subarray(begin), headroom)
    assert.isNull(scan.push({ buffer, at: headroom, offset: begin, length: bam.length - begin, ahead: null }))
    assert.deepStrictEqual([scan.records(), room.length], [1, 1])
    const [taken, size] = room[0]!
    assert.isAbove(size, 4 * 60_000)
    assert.isAtMost(taken, size + Bgzf.maxBlock)
  })
})
