import type { ServerResponse } from "node:http"
import { gzipSync } from "node:zlib"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Fault } from "./Faults.ts"
import { distort } from "./FaultyReply.ts"
import { htmlPage } from "./Pages.ts"

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
    if (response.write(chunk)) resume(Effect.void)
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
