/**
 * `LinkHost` over HTTP/1.1: one plain GET, nothing that identifies the user, connections kept for the next request.
 *
 * No redirect is followed here, no body is decoded, no proxy variable of the environment is read.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { type ConfigUnusable, LinkRefused } from "../../core/src/Errors.ts"
import type { ProxyAddress } from "../../core/src/settings/Settings.ts"
import { portOf } from "../../core/src/settings/Target.ts"
import { bareHost, type Reach, reachOf, reachOfName } from "../../core/src/text/HostReach.ts"
import {
  type LinkAddress,
  LinkBroken,
  type LinkError,
  LinkHost,
  type LinkPolicy,
  type LinkReply,
  type LinkRequest,
  parseLink
} from "../../core/src/transfer/LinkHost.ts"
import { type ApiHttpSettings, makeDialer } from "./ApiHttp.ts"
import { credentialsOf, type Dialer, keepFor, proxyAnswered } from "./Dialer.ts"
import { ChunkedFrames, type HttpHead, parseHead } from "./HttpReply.ts"
import { type Ended, type LinkConnection, readHead } from "./LinkConnection.ts"
import { checkHost, failure, open, resolveAll } from "./LinkDialing.ts"

export interface LinkHttpSettings extends ApiHttpSettings {
  /** The service: its scheme and address decide which link hosts may be visited. */
  readonly target: URL
  /** Value of `User-Agent`. */
  readonly userAgent: string
  /** The most that one call of `next` waits for, in bytes (default 512 KiB). The memory of a connection is that of `ringOf`. */
  readonly batch?: number
}

const defaultBatch = 512 * 1024

/**
 * Bytes of the ring that a connection reads into: two batches, of which the reader has one while the other comes. Large batches are
 * for the disk: a ring of four lets the socket bring the next bytes while a batch is written. With two, a file of 1.4 GB took a
 * fifth longer.
 */
const ringOf = (batch: number): number => (batch > defaultBatch ? 4 : 2) * batch

/** Link hosts over connections of their own, without the cookie and token of the session. */
export const layer = (settings: LinkHttpSettings): Layer.Layer<LinkHost, ConfigUnusable> =>
  Layer.effect(
    LinkHost,
    Effect.gen(function* () {
      const dialer = yield* makeDialer(settings)
      const { target } = settings
      // Behind a proxy a name that cannot be resolved here stays so. Elsewhere the resolver is down, or the service has moved.
      const policy =
        dialer.proxyFor(target.hostname, portOf(target)) === null
          ? yield* Effect.cachedWithTTL(policyOf(target), believed)
          : yield* Effect.cached(policyOf(target))
      const pool = yield* Effect.acquireRelease(
        Effect.sync(() => new ConnectionPool()),
        (connections) => Effect.sync(() => connections.close())
      )
      return LinkHost.of({
        get: (request) => get(settings, dialer, policy, pool, request),
        approve: (link) => approve(dialer, policy, link)
      })
    })
  )

/** How long what a resolver says of the target, or cannot say, is believed. */
const believed = "1 minute"

/** What the target is decides where links may lead. Where its name cannot be resolved here (a proxy does), the name decides. */
const policyOf = (target: URL): Effect.Effect<LinkPolicy> => {
  const host = bareHost(target.hostname)
  return resolveAll(host).pipe(
    Effect.map((addresses) => addresses.map(({ address }) => reachOf(address))),
    Effect.orElseSucceed((): ReadonlyArray<Reach> => [reachOfName(host)]),
    Effect.map((reaches) => ({
      insecure: target.protocol === "http:",
      reach: reaches[0] ?? "public",
      name: reachOfName(host)
    }))
  )
}

/** Parses the link by the rules for this target. */
const addressOf = Effect.fnUntraced(function* (
  policy: LinkPolicy,
  { file, link }: Pick<LinkRequest, "file" | "link">
): Effect.fn.Return<LinkAddress, LinkRefused> {
  const parsed = parseLink(Redacted.value(link), policy)
  if (Result.isFailure(parsed)) return yield* new LinkRefused({ file, reason: parsed.failure })
  return parsed.success
})

/** Where a name cannot be resolved here, which a reader may do elsewhere, the name decides. */
const approve = Effect.fn("svc.platform.approveLink")(function* (
  dialer: Dialer,
  policyOnce: Effect.Effect<LinkPolicy>,
  request: Pick<LinkRequest, "file" | "link">
): Effect.fn.Return<string, LinkRefused> {
  const policy = yield* policyOnce
  const address = yield* addressOf(policy, request)
  yield* checkHost(request.file, address, policy, dialer)
  return `${address.scheme}://${address.authority}${address.path}`
})

const get = Effect.fn("svc.platform.getLink")(function* (
  { batch = defaultBatch, userAgent }: LinkHttpSettings,
  dialer: Dialer,
  policyOnce: Effect.Effect<LinkPolicy>,
  pool: ConnectionPool,
  request: LinkRequest
): Effect.fn.Return<LinkReply, LinkError, Scope.Scope> {
  const policy = yield* policyOnce
  const address = yield* addressOf(policy, request)
  const forwarder = address.scheme === "http" ? dialer.proxyFor(address.host, address.port) : null
  const text = requestText(userAgent, forwarder, address, request)
  const key = `${address.scheme}://${address.host}:${address.port}`
  // A connection is always closed or returned to the pool, also when the fiber is interrupted.
  const exchangeOwned = (connect: Effect.Effect<LinkConnection, LinkError>) =>
    Effect.acquireRelease(connect, (connection) => Effect.sync(() => pool.giveBack(key, connection)), {
      interruptible: true
    }).pipe(Effect.flatMap((connection) => exchange(connection, address, text)))
  const fresh = exchangeOwned(open(request.file, address, policy, dialer, ringOf(batch)))
  const kept = pool.take(key)
  // A host may close a kept connection just as it is used again: the request was not processed, so a new connection is opened.
  const { connection, head } = yield* kept === null
    ? fresh
    : exchangeOwned(Effect.succeed(kept)).pipe(Effect.catchTag("LinkBroken", (error) => (kept.ended ? fresh : error)))
  if (head.status === 407 && forwarder !== null) {
    const answered = proxyAnswered(forwarder.url.host, head.status, head.headers.get("proxy-authenticate"))
    return yield* failure(address.host, answered)
  }
  const framed = head.framing._tag !== "Close"
  return {
    host: address.authority,
    status: head.status,
    headers: head.headers,
    framed,
    next: bodyOf(connection, address.host, head, batch)
  }
})

/** The whole request: what identifies the user, or tells a store to transform the file, is not in it. */
const requestText = (
  userAgent: string,
  forwarder: ProxyAddress | null,
  { authority, path }: LinkAddress,
  { range }: LinkRequest
): string => {
  const fields = {
    host: authority,
    "user-agent": userAgent,
    accept: "*/*",
    "accept-encoding": "identity",
    connection: "keep-alive",
    ...(range === null ? {} : { range }),
    ...(forwarder === null ? {} : credentialsOf(forwarder))
  }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  return `GET ${forwarder === null ? "" : `http://${authority}`}${path} HTTP/1.1\r\n${lines.join("")}\r\n`
}

/** Sends the request and reads the head of the final response. */
const exchange = Effect.fnUntraced(function* (connection: LinkConnection, address: LinkAddress, text: string) {
  connection.idle(false)
  connection.send(text)
  // Interim responses (100, 103) announce a final one; more than a few are an attack.
  for (let interim = 0; interim < 10; interim++) {
    const lines = yield* readHead(connection).pipe(Effect.catchTag("Ended", (ended) => reset(address.host, ended)))
    const head = lines === null ? Result.fail("sent a head that does not end") : parseHead(lines)
    if (Result.isFailure(head)) return yield* protocol(address.host, head.failure)
    if (head.success.status >= 200) return { connection, head: head.success }
    if (head.success.status === 101) break
  }
  return yield* protocol(address.host, "never answered for good")
})

/** The body batch by batch; after its end the connection may be used again. */
const bodyOf = (
  connection: LinkConnection,
  host: string,
  { framing, keepAlive }: HttpHead,
  batch: number
): LinkReply["next"] => {
  let lent = 0
  let left = framing._tag === "Length" ? framing.length : Number.POSITIVE_INFINITY
  let complete = false
  const frames = framing._tag === "Chunked" ? new ChunkedFrames() : null

  const takePortion = (bytes: Uint8Array): Effect.Effect<Uint8Array | null | "more", LinkBroken> => {
    if (frames === null) {
      lent = Math.min(bytes.length, left)
      left -= lent
      if (left === 0) finish()
      return Effect.succeed(bytes.subarray(0, lent))
    }
    const seen = frames.look(bytes)
    if (Result.isFailure(seen)) return protocol(host, seen.failure)
    const { skip, data } = seen.success
    connection.take(skip)
    lent = data
    if (frames.ended) finish()
    return Effect.succeed(data > 0 ? bytes.subarray(skip, skip + data) : complete ? null : "more")
  }

  const finish = () => {
    complete = true
    connection.spent = keepAlive
  }
  if (left === 0) finish()

  return Effect.gen(function* () {
    connection.take(lent)
    lent = 0
    while (!complete) {
      const enough = frames === null ? Math.min(batch, left) : 1
      const bytes = yield* Effect.match(connection.available(enough), {
        onFailure: (ended) => ended,
        onSuccess: (b) => b
      })
      if (bytes instanceof Uint8Array) {
        const taken = yield* takePortion(bytes)
        if (taken !== "more") return taken
      } else if (framing._tag === "Close" && bytes.error === null) {
        finish()
      } else {
        return yield* reset(host, bytes)
      }
    }
    return null
  })
}

const reset = (host: string, { error }: Ended): LinkBroken =>
  error === null
    ? new LinkBroken({ host, fault: "Short", reason: "the connection ended too early" })
    : new LinkBroken({ host, fault: "Reset", reason: "the connection was reset" })

const protocol = (host: string, reason: string) => new LinkBroken({ host, fault: "Protocol", reason })

interface Waiting {
  readonly connection: LinkConnection
  /** Closes it when no request came. */
  readonly timer: NodeJS.Timeout
}

/** Connections that wait for the next request to the same host. */
export class ConnectionPool {
  readonly #idle = new Map<string, Array<Waiting>>()

  /** The connection that was given back last; null when none can be used. */
  take(key: string): LinkConnection | null {
    const idle = this.#idle.get(key) ?? []
    for (let last = idle.pop(); last !== undefined; last = idle.pop()) {
      // Left to run, the timer of an earlier rest would close it soon after a later use: a run of 1,000 files opened 23
      // connections, each with 2 MiB of memory, instead of 8.
      clearTimeout(last.timer)
      if (last.connection.reusable) return last.connection
      last.connection.destroy()
    }
    return null
  }

  /** Keeps the connection when its last reply was taken to the end, and closes it otherwise. */
  giveBack(key: string, connection: LinkConnection): void {
    if (!connection.spent || !connection.reusable) {
      connection.destroy()
      return
    }
    const idle = this.#idle.get(key) ?? []
    this.#idle.set(key, idle)
    connection.idle(true)
    const timer = setTimeout(() => {
      forget()
      connection.destroy()
    }, keepFor).unref()
    const waiting = { connection, timer }
    const forget = () => {
      clearTimeout(timer)
      const at = idle.indexOf(waiting)
      if (at >= 0) idle.splice(at, 1)
    }
    idle.push(waiting)
    connection.onEnd = forget
  }

  close(): void {
    for (const idle of this.#idle.values()) for (const { connection } of idle.splice(0)) connection.destroy()
  }
}
