import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Bgzf from "../core/src/genome/Bgzf.ts"
import { Codec } from "../core/src/genome/Codec.ts"
import { BlockPool, inflateRun } from "../core/src/verify/BlockPool.ts"
import { concat } from "../test/genome/Fixtures.ts"
import * as BlockThreads from "./BlockThreads.ts"
import * as ZlibCodec from "./ZlibCodec.ts"

const live = Layer.provideMerge(BlockThreads.layer(2), ZlibCodec.layer)

const runOf = (codec: Codec["Service"], blocks: ReadonlyArray<Uint8Array>) => {
  const parts = blocks.map((content) => Bgzf.deflateBlock(codec, content, 6))
  const starts = [0]
  for (const part of parts) starts.push((starts.at(-1) ?? 0) + part.length)
  return { bytes: concat(...parts) as Uint8Array<ArrayBuffer>, starts }
}
const copy = (run: ReturnType<typeof runOf>) => ({ ...run, bytes: run.bytes.slice() })

const contents = [1, 0, 65_280, 63, 8192, 30_000].map((length, i) => new Uint8Array(length).fill(i + 65))

describe("block threads", () => {
  layer(live, { excludeTestServices: true })((it) => {
    it.effect("give what one thread gives, for many runs at once and in their order", () =>
      Effect.gen(function* () {
        const codec = yield* Codec
        const pool = yield* BlockPool
        const runs = Array.from({ length: 40 }, (_, i) => runOf(codec, contents.slice(0, 1 + (i % contents.length))))
        const here = runs.map((run) => inflateRun(codec, copy(run)))
        const there = yield* Effect.forEach(runs, pool.inflate, { concurrency: pool.width })
        assert.deepStrictEqual(there, here)
      })
    )

    it.effect("stop at a damaged block and say the same about it", () =>
      Effect.gen(function* () {
        const codec = yield* Codec
        const pool = yield* BlockPool
        const run = runOf(codec, contents)
        for (const at of [run.starts[3] ?? 0, run.starts[5] ?? 0].flatMap((end) => [end - 1, end - 5])) {
          const spoiled = copy(run)
          spoiled.bytes[at] = (spoiled.bytes[at] ?? 0) ^ 0x40
          const here = inflateRun(codec, copy(spoiled))
          assert.isNotNull(here.wrong)
          assert.deepStrictEqual(yield* pool.inflate(spoiled), here)
        }
      })
    )
  })
})
