/** A TCP server whose every byte is decided by the test. */
import { createServer, type Server, type Socket } from "node:net"
import { createServer as createTlsServer, type TlsOptions } from "node:tls"
import { Effect } from "effect"

/** A request as it came: its head as text, and which it was on its connection and over all (from 0). */
export interface RawRequest {
  readonly head: string
  readonly target: string
  readonly range: readonly [first: number, end: number | null] | null
  readonly connection: number
  readonly number: number
}

export type Answer = (request: RawRequest, socket: Socket) => void

/** Listens on a free port of 127.0.0.1 until the scope closes. */
export const rawServer = Effect.fnUntraced(function* (
  answer: Answer,
  options: { readonly tls?: TlsOptions; readonly onConnection?: (socket: Socket) => boolean } = {}
) {
  const requests: Array<RawRequest> = []
  const sockets = new Set<Socket>()
  let connections = 0
  const accept = (socket: Socket) => {
    const connection = connections++
    sockets.add(socket)
    socket.on("close", () => sockets.delete(socket))
    socket.on("error", () => {})
    if (options.onConnection?.(socket) === false) return
    let text = ""
    socket.on("data", (bytes: Buffer) => {
      text += bytes.toString("latin1")
      for (let end = text.indexOf("\r\n\r\n"); end >= 0; end = text.indexOf("\r\n\r\n")) {
        const head = text.slice(0, end)
        text = text.slice(end + 4)
        const asked = /^range: bytes=(\d+)-(\d*)/im.exec(head)
        const range =
          asked === null ? null : ([Number(asked[1]), asked[2] === "" ? null : Number(asked[2]) + 1] as const)
        const request = { head, target: head.split(" ")[1] ?? "", range, connection, number: requests.length }
        requests.push(request)
        answer(request, socket)
      }
    })
  }
  const server: Server = yield* Effect.acquireRelease(
    Effect.sync(() => (options.tls === undefined ? createServer(accept) : createTlsServer(options.tls, accept))),
    (it) =>
      Effect.callback<void>((resume) => {
        for (const socket of sockets) socket.destroy()
        it.close(() => resume(Effect.void))
      })
  )
  yield* Effect.callback<void>((resume) => {
    server.listen(0, "127.0.0.1", () => resume(Effect.void))
  })
  const address = server.address()
  const port = address !== null && typeof address === "object" ? address.port : 0
  return {
    port,
    url: `${options.tls === undefined ? "http" : "https"}://127.0.0.1:${port}`,
    requests,
    connections: () => connections
  }
})

/** The head of a good answer, for the whole object or the range that was asked for, and its bytes. */
export const goodAnswer = (object: Buffer, { range }: RawRequest, etag = '"v1"') => {
  const [first, last] = range ?? [0, null]
  const end = Math.min(object.length, last ?? object.length)
  const bytes = object.subarray(first, end)
  const status =
    range === null
      ? "HTTP/1.1 200 OK\r\n"
      : `HTTP/1.1 206 Partial Content\r\nContent-Range: bytes ${first}-${end - 1}/${object.length}\r\n`
  return { head: `${status}ETag: ${etag}\r\nContent-Length: ${bytes.length}\r\n\r\n`, bytes }
}

/** Serves `object` as a good host does. */
export const good =
  (object: Buffer): Answer =>
  (request, socket) => {
    const { head, bytes } = goodAnswer(object, request)
    socket.write(head)
    socket.write(bytes)
  }
