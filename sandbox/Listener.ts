import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect, Runtime, Schema, type Scope } from "effect"

/** The address cannot be listened on: taken, not ours, or not allowed. */
export class ListenFailed extends Schema.TaggedError<ListenFailed>()("ListenFailed", {
  host: Schema.String,
  port: Schema.Int,
  errno: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 69
  override get message() {
    const why = this.errno === "EADDRINUSE" ? "the port is in use" : this.errno
    return `Cannot listen on ${this.host}:${this.port}: ${why}`
  }
}

export interface ListenOptions {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  /** Milliseconds an idle connection is kept. */
  readonly keepAlive: number
}

/** A listening server; the end of the scope closes it with every connection, finished or not. */
export const listen = (options: ListenOptions): Effect.Effect<Server, ListenFailed, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<Server, ListenFailed>((resume) => {
      // Presigned addresses with a security token are long; Node's own limit for a request head is 16 KiB.
      const server = createServer({ keepAliveTimeout: options.keepAlive, maxHeaderSize: 128 * 1024 })
      const failed = (error: NodeJS.ErrnoException) =>
        resume(new ListenFailed({ host: options.host, port: options.port, errno: error.code ?? error.message }))
      server.once("error", failed)
      server.listen(options.port, options.host, () => {
        server.off("error", failed)
        resume(Effect.succeed(server))
      })
    }),
    (server) =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )

export const portOf = (server: Server) => (server.address() as AddressInfo).port

/** The address another process reaches the server under: the wildcard addresses mean this machine. */
export const addressOf = (server: Server, host: string) => {
  const name = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host
  return `http://${name.includes(":") ? `[${name}]` : name}:${portOf(server)}`
}

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
