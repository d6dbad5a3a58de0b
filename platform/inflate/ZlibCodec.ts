/** The layer of the codec. */
import * as Layer from "effect/Layer"
import { Codec } from "../../core/src/genome/bgzf/Codec.ts"
import { make } from "./BlockCodec.ts"

export const layer: Layer.Layer<Codec> = Layer.sync(Codec, make)
