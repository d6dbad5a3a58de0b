/**
 * Bytes to a reader over HTTP, at the reader's pace: the next piece is taken when the kernel has the one before, so nothing
 * piles up here, and the buffer of the link host is free again.
 *
 * Written to the response itself: the bytes are lent by the link host's buffer, and a stream would have to copy them
 * (bench/README.md has what that gives).
 */
import type { ServerResponse } from "node:http"
import { Effect } from "effect"

export interface ReaderOutput {
  /** Whether the head is on its way, so that nothing else can be answered. */
  readonly begun: () => boolean
  /** Ends when the reader took the bytes; never, when the reader is gone or takes nothing for too long. */
  readonly write: (bytes: Uint8Array) => Effect.Effect<void>
  /** Ends the body. */
  readonly end: Effect.Effect<void>
  /** Cuts the connection, so that the reader cannot take a part for the whole. */
  readonly cut: Effect.Effect<void>
}

/** A reader who takes nothing for this long is cut off. Tools pause for seconds while they work on what they read. */
const patience = "5 minutes"
/** A reader who takes this many bytes within that time is not cut off, however slow it is. */
const piece = 256 * 1024

/** @param head - sent before the first byte */
export const makeReaderOutput = (
  response: ServerResponse,
  head: { readonly status: number; readonly headers: Readonly<Record<string, string>> }
): ReaderOutput => {
  let begun = false
  const begin = () => {
    if (begun) return
    begun = true
    response.writeHead(head.status, head.headers)
  }

  const cut = Effect.sync(() => void response.destroy())

  const writePiece = (bytes: Uint8Array) =>
    Effect.callback<void>((resume) => {
      if (response.destroyed) return
      response.write(bytes, (error) => {
        // A reader that went away has its request interrupted.
        if (error == null) resume(Effect.void)
      })
    }).pipe(Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.andThen(cut, Effect.never) }))

  return {
    begun: () => begun,
    write: (bytes) =>
      Effect.suspend(() => {
        begin()
        if (bytes.length <= piece) return writePiece(bytes)
        const starts = Array.from({ length: Math.ceil(bytes.length / piece) }, (_, i) => i * piece)
        return Effect.forEach(starts, (start) => writePiece(bytes.subarray(start, start + piece)), { discard: true })
      }),
    end: Effect.sync(() => {
      begin()
      response.end()
    }),
    cut
  }
}
