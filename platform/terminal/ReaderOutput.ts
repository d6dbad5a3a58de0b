/**
 * Bytes to a reader over HTTP, at the reader's pace: the next piece is taken when the kernel has the one before, so nothing
 * piles up here, and the buffer of the link host is free again.
 *
 * Written to the response itself: the bytes are lent by the link host's buffer, and a stream would have to copy them
 * (bench/README.md has what that gives).
 */
import type { ServerResponse } from "node:http"
import * as Effect from "effect/Effect"

export interface ReaderOutput {
  /** Whether the head is on its way, so that nothing else can be answered. */
  readonly begun: () => boolean
  /** Ends when the reader took the bytes; never, when the reader is gone. Interrupting it takes nothing back. */
  readonly write: (bytes: Uint8Array) => Effect.Effect<void>
  /** As `write`, but cuts the connection and never ends, when the reader takes nothing for too long. */
  readonly hand: (bytes: Uint8Array) => Effect.Effect<void>
  /** Ends when the reader took all that was written; cuts the connection and never ends, when it takes nothing for too long. */
  readonly rest: Effect.Effect<void>
  /** Ends the body. */
  readonly end: Effect.Effect<void>
  /** Cuts the connection, so that the reader cannot take a part for the whole. */
  readonly cut: Effect.Effect<void>
}

/** A reader who is waited for so long is cut off; it was waited for half a minute before, with a connection to the link host. */
const patience = "270 seconds"

/**
 * @param head - sent before the first byte
 * @param turn - is waited for before so many bytes are written, also when the reader has left or its connection is given away
 * @param onCut - is told when the connection is cut from here
 */
export const makeReaderOutput = (
  response: ServerResponse,
  head: { readonly status: number; readonly headers: Readonly<Record<string, string>> },
  turn: (bytes: number) => Effect.Effect<void> = () => Effect.void,
  onCut: () => void = () => {}
): ReaderOutput => {
  let begun = false
  let pending = 0
  /** Is told when nothing is pending any more. */
  let taken: (() => void) | null = null
  const begin = () => {
    if (begun) return
    begun = true
    response.writeHead(head.status, head.headers)
  }

  const cut = Effect.sync(() => {
    onCut()
    response.destroy()
  })

  const allTaken = Effect.callback<void>((resume) => {
    if (pending === 0) return resume(Effect.void)
    taken = () => resume(Effect.void)
  })

  const rest = Effect.timeoutOrElse(allTaken, {
    duration: patience,
    orElse: () => Effect.andThen(cut, Effect.never)
  })

  /** The turn comes soon, whoever has left; after it the bytes are on their way, and only that the reader takes them may last. */
  const writeThen = (bytes: Uint8Array, wait: Effect.Effect<void>) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(turn(bytes.length), () => {
        begin()
        pending++
        // A reader that went away has its request interrupted: what it did not take stays pending.
        response.write(bytes, (error) => {
          if (error != null) return
          pending--
          if (pending === 0) taken?.()
        })
        return restore(wait)
      })
    )

  return {
    begun: () => begun,
    write: (bytes) => writeThen(bytes, allTaken),
    hand: (bytes) => writeThen(bytes, rest),
    rest,
    end: Effect.sync(() => {
      begin()
      response.end()
    }),
    cut
  }
}
