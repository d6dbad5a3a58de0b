/** A listening HTTP server for as long as a scope is open: of the gateway and of the sandbox. */
import { createServer, type Server, type ServerOptions } from "node:http"
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
  /** Limits of the server; what is not said is as Node has it. */
  readonly limits: ServerOptions
}

/** The end of the scope closes the server with every connection, finished or not. */
export const listen = ({ host, limits, port }: ListenOptions): Effect.Effect<Server, ListenFailed, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<Server, ListenFailed>((resume) => {
      const server = createServer(limits)
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

export const portOf = (server: Server): number => (server.address() as AddressInfo).port

/** The address under which this machine reaches the server: the wildcard addresses mean this machine. */
export const addressOf = (server: Server, host: string): string => {
  const name = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host
  return `http://${name.includes(":") ? `[${name}]` : name}:${portOf(server)}`
}
