/** A proxy for HTTP and CONNECT with Basic credentials, on a real socket, with the ways in which proxies fail. */
import http from "node:http"
import https from "node:https"
import net from "node:net"
import { Effect, type Scope } from "effect"
import { listening } from "./StrictService.ts"

export interface ProxyOptions {
  /** `user:password`; none needed when absent. */
  readonly credentials?: string
  readonly tls?: { readonly cert: string; readonly key: string }
  /** The first so many requests and tunnels fail so: a status, or the connection dies. */
  readonly failing?: { readonly times: number; readonly how: number | "dies" }
}

export interface TestProxy {
  readonly url: URL
  /** Requests and tunnels that were let through, as `GET http://...` or `CONNECT host:port`. */
  readonly passed: Array<string>
  readonly asked: { count: number }
}

export const makeProxy = (options: ProxyOptions = {}): Effect.Effect<TestProxy, never, Scope.Scope> =>
  Effect.gen(function* () {
    const passed: Array<string> = []
    const asked = { count: 0 }
    const verdict = (request: http.IncomingMessage): number | "dies" => {
      asked.count++
      if (options.failing !== undefined && asked.count <= options.failing.times) return options.failing.how
      if (options.credentials === undefined) return 200
      const expected = `Basic ${Buffer.from(options.credentials).toString("base64")}`
      return request.headers["proxy-authorization"] === expected ? 200 : 407
    }
    const server = options.tls === undefined ? http.createServer() : https.createServer(options.tls)
    server.on("request", (request: http.IncomingMessage, response: http.ServerResponse) => {
      const status = verdict(request)
      if (status === "dies") return request.socket.destroy()
      if (status !== 200) return response.writeHead(status, { "content-type": "text/html" }).end("<html>proxy</html>")
      passed.push(`${request.method} ${request.url}`)
      const { "proxy-authorization": _, ...headers } = request.headers
      // A connection of its own: one that is kept may be closed by the server at the moment in which it is used again.
      const about = { method: request.method ?? "GET", headers, agent: false }
      const onward = http.request(request.url ?? "", about, (reply) => {
        response.writeHead(reply.statusCode ?? 502, reply.headers)
        reply.pipe(response)
      })
      onward.on("error", () => response.destroy())
      return request.pipe(onward)
    })
    server.on("connect", (request: http.IncomingMessage, socket: net.Socket, head: Buffer) => {
      socket.on("error", () => socket.destroy())
      const status = verdict(request)
      if (status === "dies") return socket.destroy()
      if (status !== 200) return socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`)
      passed.push(`CONNECT ${request.url}`)
      const [host = "", port = ""] = (request.url ?? "").split(":")
      const onward = net.connect(Number(port), host, () => {
        socket.write("HTTP/1.1 200 Connection established\r\n\r\n")
        onward.write(head)
        socket.pipe(onward).pipe(socket)
      })
      onward.on("error", () => socket.destroy())
      return socket.on("close", () => onward.destroy())
    })
    const port = yield* listening(server)
    return { url: new URL(`${options.tls === undefined ? "http" : "https"}://127.0.0.1:${port}`), passed, asked }
  })
