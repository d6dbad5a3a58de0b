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
  /** Ends when the reader took the bytes; cuts the connection and never ends, when it takes nothing for too long. Never ends when the reader is gone. */
  readonly write: (bytes: Uint8Array) => Effect.Effect<void>
  /** Ends the body. */
  readonly end: Effect.Effect<void>
  /** Cuts the connection, so that the reader cannot take a part for the whole. */
  readonly cut: Effect.Effect<void>
}

/** Tools pause while they work on what they read. */
const patience = "5 minutes"

/**
 * @param head - sent before the first byte
 * @param onCut - is told when the connection is cut from here
 */
export const makeReaderOutput = (
  response: ServerResponse,
  head: { readonly status: number; readonly headers: Readonly<Record<string, string>> },
  onCut: () => void = () => {}
): ReaderOutput => {
  let begun = false
  const begin = () => {
    if (begun) return
    begun = true
    response.writeHead(head.status, head.headers)
  }

  const cut = Effect.sync(() => {
    onCut()
    response.destroy()
  })

  const write = (bytes: Uint8Array) =>
    Effect.callback<void>((resume) => {
      begin()
      // A reader that went away has its request interrupted.
      response.write(bytes, (error) => {
        if (error == null) resume(Effect.void)
      })
    }).pipe(Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.andThen(cut, Effect.never) }))

  return {
    begun: () => begun,
    write,
    end: Effect.sync(() => {
      begin()
      response.end()
    }),
    cut
  }
}
