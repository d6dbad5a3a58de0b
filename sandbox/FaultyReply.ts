import type { ServerResponse } from "node:http"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Fault } from "./Faults.ts"

/** Ends the connection with RST, so that the client sees a broken connection and not an end. */
export const reset = (response: ServerResponse) =>
  Effect.sync(() => void response.socket?.resetAndDestroy()).pipe(Effect.andThen(Effect.never))

/** Sends what is written, then FIN: a client that waits for more bytes gets the end of the connection. */
export const close = (response: ServerResponse) =>
  Effect.sync(() => void response.socket?.end()).pipe(Effect.andThen(Effect.never))

/** The fault happens before the first byte of the answer, and there will be none. */
export const atHead = (fault: Fault, response: ServerResponse): Effect.Effect<void> =>
  fault.reset === "head"
    ? reset(response)
    : fault.close === "head"
      ? close(response)
      : fault.stall === "head"
        ? Effect.never
        : Effect.void

/** True when the body cannot simply be sent. */
export const changesBody = (fault: Fault) =>
  fault.reset !== undefined ||
  fault.close !== undefined ||
  fault.stall !== undefined ||
  fault.slow !== undefined ||
  fault.corrupt !== undefined ||
  fault.gzip !== undefined

const slowly = (bytesPerSecond: number) => {
  const piece = Math.max(1, Math.floor(bytesPerSecond / 10))
  return <E>(body: Stream.Stream<Uint8Array, E>): Stream.Stream<Uint8Array, E> =>
    body.pipe(
      Stream.flatMap((chunk) =>
        Stream.range(0, Math.ceil(chunk.length / piece) - 1).pipe(
          Stream.map((i) => chunk.subarray(i * piece, (i + 1) * piece))
        )
      ),
      Stream.mapEffect((part) => Effect.delay(Effect.succeed(part), (part.length / bytesPerSecond) * 1000))
    )
}

/** The first `count` bytes, then `end` instead of the rest (also when the body is not longer than that). */
const upTo =
  (count: number, end: Effect.Effect<never>) =>
  <E>(body: Stream.Stream<Uint8Array, E>): Stream.Stream<Uint8Array, E> =>
    Stream.suspend(() => {
      if (count === 0) return Stream.fromEffect(end)
      let left = count
      return body.pipe(
        Stream.takeUntil((chunk) => {
          left -= chunk.length
          return left <= 0
        }),
        Stream.map((chunk) => (left < 0 ? chunk.subarray(0, chunk.length + left) : chunk)),
        Stream.filter((chunk) => chunk.length > 0),
        Stream.concat(Stream.fromEffect(end))
      )
    })

const flip =
  (offset: number) =>
  <E>(body: Stream.Stream<Uint8Array, E>): Stream.Stream<Uint8Array, E> =>
    Stream.suspend(() => {
      let at = 0
      return Stream.map(body, (chunk) => {
        const place = offset - at
        at += chunk.length
        if (place < 0 || place >= chunk.length) return chunk
        const damaged = Uint8Array.from(chunk)
        damaged[place] = (damaged[place] ?? 0) ^ 1
        return damaged
      })
    })

// RST throws away what the kernel has not delivered yet: without this pause "reset after k bytes" would be "after 0".
const delivered = Effect.sleep("20 millis")

/** The body as the fault lets it through; `response` is what it is written to, its head already set. */
export const distort = <E>(
  body: Stream.Stream<Uint8Array, E>,
  fault: Fault,
  response: ServerResponse
): Stream.Stream<Uint8Array, E> => {
  const head = Effect.sync(() => response.flushHeaders())
  let out = body
  if (fault.corrupt !== undefined) out = flip(fault.corrupt)(out)
  if (typeof fault.reset === "number") {
    out = upTo(fault.reset, head.pipe(Effect.andThen(delivered), Effect.andThen(reset(response))))(out)
  }
  if (typeof fault.close === "number") out = upTo(fault.close, Effect.andThen(head, close(response)))(out)
  if (typeof fault.stall === "number") out = upTo(fault.stall, Effect.andThen(head, Effect.never))(out)
  return fault.slow === undefined ? out : slowly(fault.slow)(out)
}
