/**
 * The session part of the service on a real socket, as strict as it gets: two requests of the account at once end all
 * its sessions (302 with a page, then 403).
 */
import http from "node:http"
import https from "node:https"
import type { AddressInfo } from "node:net"
import { Effect, type Scope } from "effect"

export interface StrictService {
  readonly url: URL
  readonly counts: {
    overlaps: number
    logins: number
    rejected: number
    logouts: number
    requests: number
    connections: number
    /** TCP connections, whatever became of their TLS. */
    accepted: number
    readonly seen: Array<string>
    /** All that arrived: heads and bodies, for the search for what must not arrive. */
    readonly heads: Array<string>
  }
}

export interface StrictOptions {
  /** How long each answer takes, ms. */
  readonly delay?: number
  readonly tls?: { readonly cert: string; readonly key: string; readonly maxVersion?: "TLSv1.2" | "TLSv1.1" }
  /** Answers a request itself when it returns true. */
  readonly answer?: (request: http.IncomingMessage, response: http.ServerResponse, count: number) => boolean
}

const page = `<!DOCTYPE html><html><body>${"nothing ".repeat(6000)}</body></html>`

export const strictService = (options: StrictOptions = {}): Effect.Effect<StrictService, never, Scope.Scope> =>
  Effect.gen(function* () {
    const counts: StrictService["counts"] = {
      overlaps: 0,
      logins: 0,
      rejected: 0,
      logouts: 0,
      requests: 0,
      connections: 0,
      accepted: 0,
      seen: [],
      heads: []
    }
    const sessions = new Map<string, { token: string; user: boolean; alive: boolean }>()
    let inFlight = 0
    let number = 0

    const answer = (
      request: http.IncomingMessage,
      response: http.ServerResponse,
      body: string,
      overlapped: boolean
    ) => {
      const { method = "", url = "" } = request
      counts.seen.push(`${method} ${url}`)
      counts.heads.push(`${JSON.stringify(request.headers)}\n${body}`)
      if (options.answer?.(request, response, counts.seen.filter((other) => other === `${method} ${url}`).length))
        return
      if (overlapped) {
        for (const session of sessions.values()) session.alive = false
        response.writeHead(302, { location: "/", "content-type": "text/html" }).end(page)
        return
      }
      const begin = (user: boolean) => {
        const id = `s${++number}`
        const session = { token: `t${number}-${Math.random()}`, user, alive: true }
        sessions.set(id, session)
        response.setHeader("set-cookie", `JSESSIONID=${id}; Path=/; HttpOnly`)
        response.setHeader("x-csrf-token", session.token)
      }
      const session = sessions.get(/JSESSIONID=(\w+)/.exec(request.headers.cookie ?? "")?.[1] ?? "")
      if (method === "HEAD") {
        begin(false)
        response.end()
      } else if (session === undefined || !session.alive) {
        response.writeHead(403, { "content-type": "text/html" }).end(page)
      } else if (url === "/login") {
        counts.logins++
        const form = new URLSearchParams(body)
        if (form.get("_csrf") === session.token && form.get("password") === "right") begin(true)
        else counts.rejected++
        response.end("<html><form><input type=password></form></html>")
      } else if (!session.user || request.headers["x-csrf-token"] !== session.token) {
        response.writeHead(403).end(page)
      } else if (url === "/logout") {
        counts.logouts++
        session.alive = false
        response.writeHead(302, { location: "/" }).end()
      } else {
        counts.requests++
        response.setHeader("content-type", "application/json")
        response.end(JSON.stringify({ url }))
      }
    }

    const listener: http.RequestListener = (request, response) => {
      const overlapped = ++inFlight > 1
      if (overlapped) counts.overlaps++
      response.once("close", () => inFlight--)
      const parts: Array<Buffer> = []
      request.on("data", (part) => parts.push(part))
      request.on("end", () => {
        setTimeout(() => answer(request, response, Buffer.concat(parts).toString(), overlapped), options.delay ?? 2)
      })
    }
    const server =
      options.tls === undefined ? http.createServer(listener) : https.createServer(tlsOf(options.tls), listener)
    server.on(options.tls === undefined ? "connection" : "secureConnection", () => counts.connections++)
    server.on("connection", () => counts.accepted++)
    const port = yield* listening(server)
    return { url: new URL(`${options.tls === undefined ? "http" : "https"}://127.0.0.1:${port}`), counts }
  })

const tlsOf = ({ cert, key, maxVersion }: NonNullable<StrictOptions["tls"]>): https.ServerOptions =>
  maxVersion === "TLSv1.1"
    ? { cert, key, maxVersion, minVersion: "TLSv1", ciphers: "DEFAULT@SECLEVEL=0" }
    : { cert, key }

interface Listening {
  listen(port: number, host: string, done: () => void): unknown
  address(): AddressInfo | string | null
  close(): unknown
  closeAllConnections?(): void
}

/** Listens on a free port of 127.0.0.1 until the scope closes. */
export const listening = (server: Listening): Effect.Effect<number, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<number>((resume) => {
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0))
      })
    }),
    () =>
      Effect.sync(() => {
        server.closeAllConnections?.()
        server.close()
      })
  )
