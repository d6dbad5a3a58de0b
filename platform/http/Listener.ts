/** A listening HTTP server for as long as a scope is open: of the gateway and of the sandbox. */
import { lstatSync, statSync, unlinkSync } from "node:fs"
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse
} from "node:http"
import { type AddressInfo, connect, type ListenOptions, type Socket } from "node:net"
import { hostname, networkInterfaces } from "node:os"
import { dirname } from "node:path"
import * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { errnoOf } from "../../core/src/Errors.ts"

/**
 * The address cannot be listened on: taken, not ours, or not allowed.
 *
 * @category errors
 * @since 0.1.0
 */
export class ListenFailed extends Schema.TaggedError<ListenFailed>()("SvcListenFailed", {
  /** Host and port, or the path of a socket. */
  where: Schema.String,
  errno: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 69
  override get message() {
    return `Cannot listen on ${this.where}: ${reasons[this.errno] ?? this.errno}`
  }
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EADDRINUSE: "it is in use",
  ENOENT: "its folder does not exist",
  ENOTDIR: "its folder is not a folder",
  ENOTSOCK: "there is a file that is no socket",
  EADDRNOTAVAIL: "this machine does not have that address",
  ENOTFOUND: "there is no such host; an IPv6 address has no brackets here",
  ENAMETOOLONG: "the path is too long for a socket"
}

export type ListenAddress =
  /** Port 0 takes a free one. */
  | { readonly host: string; readonly port: number }
  /** The path of a socket file, which only its owner may use. */
  | { readonly socket: string }

/**
 * The end of the scope closes the server with every connection, finished or not.
 *
 * @param limits - of the server; what is not said is as Node has it
 */
export const listen = (
  address: ListenAddress,
  limits: ServerOptions
): Effect.Effect<Server, ListenFailed, Scope.Scope> => {
  const opened =
    "socket" in address
      ? Effect.andThen(removeDead(address.socket), open({ path: address.socket }, address.socket, limits))
      : open(address, `${address.host}:${address.port}`, limits)
  return Effect.acquireRelease(opened, (server) =>
    Effect.callback<void>((resume) => {
      server.close(() => resume(Effect.void))
      server.closeAllConnections()
    })
  )
}

const open = (options: ListenOptions, where: string, limits: ServerOptions) =>
  Effect.callback<Server, ListenFailed>((resume) => {
    const server = createServer(limits)
    /** EINVAL is a path that is too long, or an address such as fe80::1 that lacks its interface. */
    const invalid = options.path === undefined ? "EADDRNOTAVAIL" : "ENAMETOOLONG"
    const failed = (error: Error) => {
      const errno = errnoOf(error, error.message)
      resume(new ListenFailed({ where, errno: errno === "EINVAL" ? invalid : errno }))
    }
    server.once("error", failed)
    // The file of a socket gets its mode when it is made, within this call: there is no moment in which others may use it.
    const umask = options.path === undefined ? null : process.umask(0o177)
    server.listen({ ...options, backlog: 1024 }, () => {
      server.off("error", failed)
      resume(Effect.succeed(server))
    })
    if (umask !== null) process.umask(umask)
  })

/** Removes the socket of a process that was killed; one that answers, and a file that is no socket, stay. */
const removeDead = Effect.fnUntraced(function* (path: string): Effect.fn.Return<void, ListenFailed> {
  const system = <A>(call: () => A) =>
    Effect.try({ try: call, catch: (error) => new ListenFailed({ where: path, errno: errnoOf(error) }) })
  // What Node says of a missing folder is EACCES.
  yield* system(() => statSync(dirname(path)))
  const found = yield* system(() => lstatSync(path, { throwIfNoEntry: false }))
  if (found === undefined) return
  if (!found.isSocket()) return yield* new ListenFailed({ where: path, errno: "ENOTSOCK" })
  const answer = yield* Effect.callback<string>((resume) => {
    const probe = connect(path, () => {
      probe.destroy()
      resume(Effect.succeed("EADDRINUSE"))
    })
    probe.once("error", (error) => resume(Effect.succeed(errnoOf(error))))
  })
  if (answer !== "ECONNREFUSED") return yield* new ListenFailed({ where: path, errno: answer })
  yield* system(() => unlinkSync(path))
})

/**
 * Handles the requests of one connection one after the other. Node hands over all that came in one packet, and reads on: a single
 * connection could have thousands under way.
 *
 * A client that ends its side once it has asked may wait for its answer.
 */
export const handleInTurn = (server: Server, handle: RequestListener): void => {
  // Node has had this since its first days, and its types never. Without it the client's end is the end of the connection.
  Object.assign(server, { httpAllowHalfOpen: true })
  /** What waits for the request under way, by connection. */
  const waiting = new WeakMap<Socket, Array<() => void>>()
  server.on("request", (request, response) => {
    const { socket } = request
    const queue = waiting.get(socket) ?? []
    const begin = () => {
      response.once("close", next)
      lookForClient(request, response)
      handle(request, response)
    }
    const next = () => {
      const following = queue.shift()
      if (following === undefined) waiting.delete(socket)
      else if (socket.writable) {
        if (queue.length === 0) socket.resume()
        following()
      }
    }
    if (waiting.has(socket)) {
      socket.pause()
      queue.push(begin)
    } else {
      waiting.set(socket, queue)
      begin()
    }
  })
}

/** What Node answers to requests that it cannot read; 400 for all others. */
const unread: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "413 Payload Too Large",
  ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout"
}

/** Answers requests that cannot be read, as Node does where nobody asks, and tells of them. */
export const onUnread = (server: Server, tell: (address: string, status: number) => void): void => {
  server.on("clientError", (error, socket) => {
    const code = errnoOf(error)
    const answer = unread[code] ?? "400 Bad Request"
    // Another one on the same connection may be half answered, and a connection that broke, or said nothing, is none.
    if (socket.writable && code !== "ECONNRESET") {
      if ((socket as Socket).bytesWritten === 0) socket.write(`HTTP/1.1 ${answer}\r\nConnection: close\r\n\r\n`)
      if ((socket as Socket).bytesRead > 0)
        tell((socket as Socket).remoteAddress ?? "socket", Number.parseInt(answer, 10))
    }
    socket.destroy()
  })
}

/** In ms, and each further time twice as long. */
const firstLook = 100

/**
 * One that has left altogether looks like one that waits until something is sent to it, and only the second time fails. `100 Continue`,
 * which all clients skip, finds out, so that nothing is asked for somebody who is gone. HTTP/1.0 has no such thing: there the end of the
 * client's side is the end of the connection.
 */
const lookForClient = ({ httpVersion, socket }: IncomingMessage, response: ServerResponse): void => {
  let timer: NodeJS.Timeout | undefined
  const look = (again: number) => {
    if (response.headersSent) return
    response.writeContinue()
    timer = setTimeout(look, again, 2 * again)
  }
  const ended = () => {
    if (httpVersion !== "1.0") look(firstLook)
    else if (!response.headersSent) socket.end()
  }
  if (socket.readableEnded) ended()
  else socket.once("end", ended)
  response.once("close", () => {
    socket.off("end", ended)
    clearTimeout(timer)
  })
}

export const portOf = (server: Server): number => (server.address() as AddressInfo).port

/** The address under which this machine reaches the server: the wildcard addresses mean this machine, a socket has no name of its own. */
export const addressOf = (server: Server, address: ListenAddress): string => {
  if ("socket" in address) return "http://localhost"
  const { host } = address
  return urlOf(host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host, portOf(server))
}

const urlOf = (host: string, port: number | string) => `http://${host.includes(":") ? `[${host}]` : host}:${port}`

/** The address under which other machines reach a server at `url`: one that listens on a wildcard address by the name of this machine. */
export const nameOf = (url: string, host: string): string =>
  host === "0.0.0.0" || host === "::" ? urlOf(hostname(), new URL(url).port || "80") : url

/** The addresses under which others reach a server that listens on a wildcard address: those of this machine at its networks. */
export const outerAddresses = (host: string, port: string, interfaces = networkInterfaces()): ReadonlyArray<string> =>
  host === "0.0.0.0" || host === "::"
    ? Object.values(interfaces).flatMap((addresses = []) =>
        addresses
          // One that is good on one link alone needs the name that its interface has at the other end.
          .filter(
            ({ address, family, internal }) =>
              !(internal || address.startsWith("fe80:")) && (host === "::" || family === "IPv4")
          )
          .map(({ address }) => urlOf(address, port))
      )
    : []
