/**
 * How long a request is in flight, as its client can know it: from the first byte it sent until just before it can have the
 * last byte of the answer. So requests sent one after the other never overlap, and those sent at once always do. One whose client has
 * left before the answer began is in flight until the work on it is done: a server learns that nobody listens when it writes.
 */
import type { Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import * as Effect from "effect/Effect"

/** When the first byte of the request under way, or of the next one, came over a connection. */
const firstBytes = new WeakMap<Socket, number>()
/** Connections whose request is being answered: what comes then is its body. */
const busy = new WeakSet<Socket>()

/** Notes when requests begin; to be called before the server takes its first connection. */
export const watchRequests = (server: Server): void => {
  server.on("connection", (socket: Socket) => {
    // Node's HTTP parser reads a socket without events unless it has a listener for data; the prepended one sees the bytes first.
    socket.on("data", () => {})
    socket.prependListener("data", () => {
      if (!busy.has(socket) && !firstBytes.has(socket)) firstBytes.set(socket, performance.now())
    })
  })
}

export interface RequestUnderWay {
  /** When it began (`performance.now()`, ms). */
  readonly began: number
  /** To be called when the work on it is done, and its answer is yet to be sent. */
  readonly worked: () => void
}

export interface RequestEnds {
  /** Called just before the client can have its last byte, or when the work that nobody waits for is done. */
  readonly over: () => void
  /** Called when the client leaves before its answer began. */
  readonly abandoned: () => void
}

export const takeRequest = (response: ServerResponse, { abandoned, over }: RequestEnds): RequestUnderWay => {
  const { socket } = response
  const began = (socket === null ? undefined : firstBytes.get(socket)) ?? performance.now()
  if (socket !== null) {
    firstBytes.delete(socket)
    busy.add(socket)
  }
  let open = true
  let working = true
  let gone = false
  const end = () => {
    if (!open) return
    open = false
    if (socket !== null) busy.delete(socket)
    over()
  }
  const { end: endAnswer, write: writeAnswer } = response
  let left = Number.POSITIVE_INFINITY
  let written = 0
  const isLast = (chunk: unknown) => {
    left = Number(response.getHeader("content-length") ?? left)
    written += typeof chunk === "string" ? Buffer.byteLength(chunk) : chunk instanceof Uint8Array ? chunk.length : 0
    return written >= left
  }
  response.write = function (this: ServerResponse, ...args: Parameters<typeof writeAnswer>) {
    if (isLast(args[0])) end()
    return writeAnswer.apply(this, args)
  } as typeof writeAnswer
  response.end = function (this: ServerResponse, ...args: Parameters<typeof endAnswer>) {
    end()
    return endAnswer.apply(this, args)
  } as typeof endAnswer
  response.once("close", () => {
    gone = true
    if (response.headersSent || !working) end()
    else if (open) abandoned()
  })
  const worked = () => {
    working = false
    if (gone) end()
  }
  return { began, worked }
}

/**
 * Lets bytes in that have reached this machine already, so that a request sent at the same time is seen before this one is
 * answered.
 *
 * @param hold - ms to wait for those that are still on their way
 */
export const awaitOthers = (hold: number): Effect.Effect<void> =>
  Effect.andThen(hold === 0 ? Effect.void : onTheWire(hold), Effect.repeat(nextTurn, { times: 3 }))

/** Bytes travel in real time: under a TestClock a sleep would never end, and neither would the request. */
const onTheWire = (ms: number) =>
  Effect.callback<void>((resume) => {
    const timer = setTimeout(() => resume(Effect.void), ms)
    return Effect.sync(() => clearTimeout(timer))
  })

/** New connections are taken in one turn of the event loop, and their first bytes in the next. */
const nextTurn = Effect.callback<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})
