/** The codec that does all at once on this thread: for virtual clocks, and programs that run without a pause. */
import { Effect, Layer } from "effect"
import { Codec } from "../../core/src/genome/bgzf/Codec.ts"
import * as ZlibCodec from "../../platform/inflate/ZlibCodec.ts"

export const codecHere: Layer.Layer<Codec> = Layer.effect(Codec, Effect.map(Codec, Codec.here)).pipe(
  Layer.provide(ZlibCodec.layer)
)
