/** A program of the library that inflates a block on a thread and never closes the layer of its threads; prints `inflated`. */
import { Effect, Layer, Scope } from "effect"
import * as Bgzf from "../../core/src/genome/bgzf/Bgzf.ts"
import { BlockPool } from "../../core/src/verify/BlockPool.ts"
import * as ZlibCodec from "../../platform/inflate/ZlibCodec.ts"
import * as GenomeThreads from "../../platform/threads/GenomeThreads.ts"

const threads = Layer.provide(GenomeThreads.poolLayer(1), ZlibCodec.layer)
const neverClosed = Scope.makeUnsafe()

await Effect.runPromise(
  Effect.gen(function* () {
    const pool = yield* Effect.provideContext(BlockPool, yield* Layer.buildWithScope(threads, neverClosed))
    const bytes = new Uint8Array(Bgzf.eofBlock)
    const { wrong } = yield* pool.inflate({ bytes, starts: [0, bytes.length] })
    process.stdout.write(wrong === null ? "inflated\n" : `${wrong}\n`)
  })
)
