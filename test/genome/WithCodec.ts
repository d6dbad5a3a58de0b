/** Tests that pack and unpack blocks: all of them have the codec of a program, or the one of CodecHere.ts. */
import { it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { Codec } from "../../core/src/genome/bgzf/Codec.ts"
import * as ZlibCodec from "../../platform/inflate/ZlibCodec.ts"
import type { Failure } from "../Failure.ts"
import { codecHere } from "./CodecHere.ts"

const withThe =
  (codec: Layer.Layer<Codec>) =>
  (name: string, body: () => Effect.fn.Return<void, Failure, Codec>, timeout?: number): void =>
    it.effect(name, () => Effect.provide(Effect.gen(body), codec), timeout)

export const withCodec = withThe(ZlibCodec.layer)
export const withCodecHere = withThe(codecHere)
