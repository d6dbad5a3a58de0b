/** The socket that readers come to, with the limits that keep it alive among bad ones. */
import { createServer, type Server } from "node:http"
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

/** Connections that send nothing take some kB each; more than these are closed at once. */
const mostConnections = 16_384

/** Times in ms. A request is small, so who needs longer to send it holds the connection for its own sake. */
const limits = {
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  connectionsCheckingInterval: 2_000,
  keepAliveTimeout: 65_000,
  maxHeaderSize: 16 * 1024
}

/** A listening server; the end of the scope closes it with every connection, finished or not. */
export const listen = (host: string, port: number): Effect.Effect<Server, ListenFailed, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<Server, ListenFailed>((resume) => {
      const server = createServer(limits)
      server.maxConnections = mostConnections
      server.maxHeadersCount = 100
      const failed = (error: NodeJS.ErrnoException) =>
        resume(new ListenFailed({ host, port, errno: error.code ?? error.message }))
      server.once("error", failed)
      server.listen({ host, port, backlog: 1024 }, () => {
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

/** The address of a server; the wildcard addresses mean this machine. */
export const addressOf = (server: Server, host: string): string => {
  const name = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host
  return `http://${name.includes(":") ? `[${name}]` : name}:${(server.address() as AddressInfo).port}`
}
