/** Where in a file its first damage is. */
import * as Data from "effect/Data"
import { FileDamaged } from "../Errors.ts"

export interface BlockPosition {
  /** From 1. */
  readonly block: number
  /** Of the block's first byte in the file, 0-based. */
  readonly offset: number
}

/** A damaged file; `place` is null when the damage is not in one block. */
export class Damage extends Data.TaggedError("Damage")<{
  readonly error: FileDamaged
  readonly place: BlockPosition | null
}> {}

/** @param phrase - with the block as subject, such as `has a wrong checksum` */
export const damageAt = (file: string, fault: FileDamaged["fault"], place: BlockPosition, phrase: string): Damage =>
  new Damage({
    error: new FileDamaged({ file, fault, reason: `block ${place.block} at byte ${place.offset} ${phrase}` }),
    place
  })
