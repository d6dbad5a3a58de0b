/** Answers of both planes on their way to the socket, and what a fault does to them there. */

import type { IncomingMessage, ServerResponse } from "node:http"
import { gzipSync } from "node:zlib"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Fault } from "./Faults.ts"
import { htmlPage } from "./Pages.ts"

/** Does nothing more for a request, whose work ends with its connection. */
const silence = (response: ServerResponse): Effect.Effect<never> =>
  Effect.callback<void>((resume) => {
    if (response.closed) resume(Effect.void)
    else response.once("close", () => resume(Effect.void))
  }).pipe(Effect.andThen(Effect.interrupt))

/** Ends the connection with RST, so that the client sees a broken connection and not an end. */
export const reset = (response: ServerResponse) =>
  Effect.andThen(
    Effect.sync(() => void response.socket?.resetAndDestroy()),
    silence(response)
  )

/** Sends what is written, then FIN: a client that waits for more bytes gets the end of the connection. */
export const close = (response: ServerResponse) =>
  Effect.andThen(
    Effect.sync(() => void response.socket?.end()),
    silence(response)
  )

/** The fault happens before the first byte of the answer, and there will be none. */
export const atHead = (fault: Fault, response: ServerResponse): Effect.Effect<void> =>
  fault.reset === "head"
    ? reset(response)
    : fault.close === "head"
      ? close(response)
      : fault.stall === "head"
        ? silence(response)
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
const distort = <E>(
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
  if (typeof fault.stall === "number") out = upTo(fault.stall, Effect.andThen(head, silence(response)))(out)
  return fault.slow === undefined ? out : slowly(fault.slow)(out)
}

/** An answer of either plane, before a fault touches it. Header names are lower case. */
export interface WireReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string>>>
  readonly body: Stream.Stream<Uint8Array, Error>
}

/** A text in one piece, with its length. */
export const textReply = (status: number, headers: WireReply["headers"], text: string): WireReply => ({
  status,
  headers: { "content-length": `${Buffer.byteLength(text)}`, ...headers },
  body: text === "" ? Stream.empty : Stream.make(Buffer.from(text))
})

/** The answer a fault gives instead of doing what was asked, if it does. */
export const replacement = (fault: Fault): WireReply | null =>
  fault.redirect !== undefined
    ? textReply(fault.status ?? 302, { location: fault.redirect }, fault.body ?? "")
    : fault.html === true
      ? textReply(
          200,
          { "content-type": "text/html;charset=UTF-8" },
          fault.body ?? htmlPage("Maintenance", "Back soon.")
        )
      : fault.status !== undefined
        ? textReply(fault.status, {}, fault.body ?? "")
        : null

/** Bytes in pieces of a size a socket likes. */
export const pieces = (bytes: Uint8Array): Stream.Stream<Uint8Array> =>
  Stream.range(0, Math.ceil(bytes.length / 65_536) - 1).pipe(
    Stream.rechunk(1),
    Stream.map((i) => bytes.subarray(i * 65_536, (i + 1) * 65_536))
  )

const gzipReply = Effect.fnUntraced(function* (reply: WireReply, how: NonNullable<Fault["gzip"]>) {
  const headers = { ...reply.headers, "content-encoding": "gzip" }
  if (how === "claimed") return { ...reply, headers }
  const whole = gzipSync(Buffer.concat(yield* Stream.runCollect(reply.body)))
  const bytes = how === "whole" ? whole : whole.subarray(0, Math.floor(whole.length / 2))
  return { ...reply, headers: { ...headers, "content-length": `${bytes.length}` }, body: pieces(bytes) }
})

/** Sets the head of the answer as the fault wants it; `null` removes what Node would add by itself, too. */
export const writeHead = (response: ServerResponse, reply: WireReply, fault: Fault) => {
  const headers: Record<string, string | Array<string>> = {}
  const put = (name: string, value: string | ReadonlyArray<string>) => {
    headers[name.toLowerCase()] = typeof value === "string" ? value : [...value]
  }
  for (const [name, value] of Object.entries(reply.headers)) put(name, value)
  for (const [name, value] of Object.entries(fault.headers ?? {})) {
    if (value !== null) put(name, value)
    else {
      delete headers[name.toLowerCase()]
      response.removeHeader(name)
    }
  }
  response.writeHead(reply.status, headers)
}

const write = (response: ServerResponse, chunk: Uint8Array) =>
  Effect.callback<void>((resume) => {
    // Its client has left.
    if (response.closed) resume(Effect.interrupt)
    else if (response.write(chunk)) resume(Effect.void)
    else response.once("drain", () => resume(Effect.void))
  })

/** Writes the whole answer with the fault in it, at the pace of the client. `wrote` hears of each piece of the body. */
export const deliver = Effect.fnUntraced(function* (
  response: ServerResponse,
  reply: WireReply,
  fault: Fault,
  wrote: (bytes: number) => void = () => {}
) {
  const encoded = fault.gzip === undefined ? reply : yield* gzipReply(reply, fault.gzip)
  writeHead(response, encoded, fault)
  yield* distort(encoded.body, fault, response).pipe(
    Stream.runForEach((chunk) => {
      wrote(chunk.length)
      return write(response, chunk)
    })
  )
  response.end()
})

/** Runs once, when the answer is out or its connection is gone. */
export const onceOver = (response: ServerResponse, run: () => void) => {
  let over = false
  const once = () => {
    if (!over) run()
    over = true
  }
  response.once("finish", once)
  response.once("close", once)
}

export const headerOf = (request: IncomingMessage, name: string): string | undefined => {
  const value = request.headers[name]
  return Array.isArray(value) ? value[0] : value
}
