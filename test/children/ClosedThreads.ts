/** A program of the library that closes the layer of its threads while the report of one is on its way; prints `closed`. */
import { Effect, Layer } from "effect"
import * as Bgzf from "../../core/src/genome/bgzf/Bgzf.ts"
import { BlockPool } from "../../core/src/verify/BlockPool.ts"
import * as ZlibCodec from "../../platform/inflate/ZlibCodec.ts"
import * as GenomeThreads from "../../platform/threads/GenomeThreads.ts"

await Effect.runPromise(
  Effect.gen(function* () {
    const pool = yield* BlockPool
    const inflated = Effect.suspend(() => {
      const bytes = new Uint8Array(Bgzf.eofBlock)
      return pool.inflate({ bytes, starts: [0, bytes.length] })
    })
    yield* inflated
    yield* Effect.forkChild(inflated, { startImmediately: true })
    // Nothing of this thread runs meanwhile, so the report is not yet heard when the layer closes.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300)
  }).pipe(Effect.provide(Layer.provide(GenomeThreads.poolLayer(1), ZlibCodec.layer)))
)
process.stdout.write("closed\n")
