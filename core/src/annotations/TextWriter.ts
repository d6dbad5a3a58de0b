/** The text of several analyses as it grows, with a way back for one that fails. */
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import type { LocalIo } from "../Errors.ts"
import { analysisIdName } from "./Columns.ts"
import { tabHeader } from "./TabSeparated.ts"

/** Takes text in order. */
export interface TextOutput {
  readonly write: (bytes: Uint8Array) => Effect.Effect<void, LocalIo>
  /** Forgets what was written after the first `size` bytes; false where it has been seen already. */
  readonly rewind: (size: number) => Effect.Effect<boolean, LocalIo>
}

export interface TextWriter {
  readonly write: (bytes: Uint8Array) => Effect.Effect<void, LocalIo>
  /** The columns of the table: `names` when it begins with them, else those of the analysis that it began with. */
  readonly columns: (names: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<string>, LocalIo>
  /** What takes back all that is written from now on; false where it has been seen already. */
  readonly undo: Effect.Effect<Effect.Effect<boolean, LocalIo>>
}

interface Written {
  /** Bytes of text. */
  readonly size: number
  /** The columns of the table, once there is one. */
  readonly columns: ReadonlyArray<string> | null
}

const encoder = new TextEncoder()

export const makeTextWriter = (output: TextOutput): Effect.Effect<TextWriter> =>
  Effect.map(Ref.make<Written>({ size: 0, columns: null }), (written) => {
    const write: TextWriter["write"] = (bytes) =>
      bytes.length === 0
        ? Effect.void
        : Effect.andThen(
            output.write(bytes),
            Ref.update(written, (now) => ({ ...now, size: now.size + bytes.length }))
          )
    return {
      write,
      columns: Effect.fnUntraced(function* (names) {
        const { columns } = yield* Ref.get(written)
        if (columns !== null) return columns
        yield* write(encoder.encode(tabHeader([analysisIdName, ...names])))
        yield* Ref.update(written, (now) => ({ ...now, columns: names }))
        return names
      }),
      undo: Effect.map(Ref.get(written), (before) =>
        Effect.gen(function* () {
          if ((yield* Ref.get(written)).size === before.size) return true
          if (!(yield* output.rewind(before.size))) return false
          yield* Ref.set(written, before)
          return true
        })
      )
    }
  })
