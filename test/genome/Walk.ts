/** A whole BGZF file read as a verification does: what its beginning is, then every block. */
import { Effect } from "effect"
import type { ByteReader } from "../../core/src/genome/ByteReader.ts"
import { readBlocks } from "../../core/src/genome/bgzf/Blocks.ts"
import { type ContentCheck, unread } from "../../core/src/genome/bgzf/ContentCheck.ts"
import { Damage, walkWhole } from "../../core/src/verify/WholeWalk.ts"

/** How many blocks and inflated bytes it has. Fails with the `FileDamaged` of the first damage. */
export const walk = <E>(file: string, reader: ByteReader<E>, content: ContentCheck = unread) =>
  readBlocks(file, reader, 0, 0).pipe(
    Effect.andThen(walkWhole(file, reader, content, () => Effect.void)),
    Effect.mapError((error) => (error instanceof Damage ? error.error : error))
  )
