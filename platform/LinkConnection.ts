/**
 * One connection to a link host: TCP, or TLS over it, directly or through a proxy, with the bytes it brings in a ring.
 *
 * The socket reads into our ring (`onread`) instead of allocating a buffer per read and passing it through two streams
 * and an HTTP parser: bench/README.md has the figures.
 */
import { lookup } from "node:dns"
import { isIP, type LookupFunction, type OnReadOpts, Socket, connect as tcpConnect } from "node:net"
import type { Duplex } from "node:stream"
import { connect as tlsConnect } from "node:tls"
import { Data, Effect } from "effect"
import { LinkRefused, ProxyRefused, TlsRefused } from "../core/src/Errors.ts"
import { faultOfCause } from "../core/src/session/TransportFault.ts"
import type { ProxyAddress } from "../core/src/settings/Settings.ts"
import { reachOf } from "../core/src/text/HostReach.ts"
import {
  type LinkAddress,
  type LinkPolicy,
  mayReach,
  mayReachName,
  unreachable,
  unreachableName
} from "../core/src/transfer/LinkAddress.ts"
import { LinkBroken, type LinkError } from "../core/src/transfer/LinkHost.ts"
import { ByteRing } from "./ByteRing.ts"
import type { Dialer } from "./Dialer.ts"
import { longestHead } from "./HttpReply.ts"

/** The connection ended; nothing more will come. */
export class Ended extends Data.TaggedError("Ended")<{ readonly error: Error | null }> {}

/** A reader that finds a few bytes waits this long for more of them, in milliseconds. */
const linger = 20

export class LinkConnection {
  readonly #ring: ByteRing
  readonly #socket: Duplex
  #ended: Ended | null = null
  #notify: (() => void) | null = null
  /** Whether the last reply was taken to its end and the host keeps the connection. */
  spent = false
  onEnd: () => void = () => {}

  constructor(socket: Duplex, ring: ByteRing) {
    this.#socket = socket
    this.#ring = ring
    const end = (error: Error | null) => {
      this.#ended ??= new Ended({ error })
      this.#notify?.()
      this.onEnd()
    }
    socket.on("error", end)
    socket.on("end", () => end(null))
    socket.on("close", () => end(null))
  }

  get ended(): boolean {
    return this.#ended !== null
  }

  /** Whether another request may be sent: open, and silent since the last one. */
  get reusable(): boolean {
    return this.#ended === null && this.#ring.used === 0
  }

  /** Bytes were put into the ring. Returns whether more may come. */
  received(): boolean {
    this.#notify?.()
    return this.#ring.roomy
  }

  send(text: string): void {
    this.spent = false
    this.#socket.write(text, "latin1")
  }

  /** The oldest bytes not taken: at least `enough`, or what has come after a moment, or the last. */
  available(enough: number): Effect.Effect<Uint8Array, Ended> {
    return Effect.callback((resume) => {
      let timer: NodeJS.Timeout | null = null
      const look = (late: boolean) => {
        const bytes = this.#ring.peek()
        // No more can join bytes that lie at the end of the ring: the next ones lie at its beginning.
        const complete = bytes.length >= enough || this.#ring.used > bytes.length
        if (bytes.length > 0 && (late || complete || this.#ended !== null || !this.#ring.roomy)) {
          finish(Effect.succeed(bytes))
        } else if (bytes.length === 0 && this.#ended !== null) finish(Effect.fail(this.#ended))
        else if (bytes.length > 0) timer ??= setTimeout(look, linger, true)
      }
      const stop = () => {
        if (timer !== null) clearTimeout(timer)
        this.#notify = null
      }
      const finish = (result: Effect.Effect<Uint8Array, Ended>) => {
        stop()
        resume(result)
      }
      this.#notify = () => look(false)
      look(false)
      return Effect.sync(stop)
    })
  }

  /** Frees the oldest `length` bytes. */
  take(length: number): void {
    this.#ring.take(length)
    if (this.#ring.roomy) this.#socket.resume()
  }

  /** Waits without keeping the process alive, or goes on. */
  idle(now: boolean): void {
    if (!(this.#socket instanceof Socket)) return
    if (now) this.#socket.unref()
    else this.#socket.ref()
  }

  destroy(): void {
    this.#socket.destroy()
  }
}

/** The head of the next response, as text without the empty line at its end; null when it is longer than allowed. */
export const readHead = Effect.fnUntraced(function* (connection: LinkConnection) {
  let text = ""
  while (text.length < longestHead) {
    const bytes = yield* connection.available(1)
    const portion = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, longestHead)).toString("latin1")
    // The empty line may begin in the portion before.
    const from = Math.max(0, text.length - 3)
    const joined = text + portion
    const end = /\r?\n\r?\n/.exec(joined.slice(from))
    if (end !== null) {
      const length = from + end.index
      connection.take(length + end[0].length - text.length)
      return length > longestHead ? null : joined.slice(0, length)
    }
    connection.take(portion.length)
    text = joined
  }
  return null
})

/** Connects, with the address checked on the way when no proxy does it for us. */
export const open = Effect.fnUntraced(function* (
  file: string,
  address: LinkAddress,
  policy: LinkPolicy,
  dialer: Dialer
): Effect.fn.Return<LinkConnection, LinkError> {
  const proxy = dialer.proxyFor(address.host, address.port)
  if (proxy !== null && !mayReachName(address.host, policy)) {
    return yield* new LinkRefused({ file, reason: unreachableName(address.host) })
  }
  const route =
    proxy === null
      ? { addresses: yield* resolve(file, address, policy) }
      : { socket: yield* viaProxy(dialer, proxy, address) }
  return yield* establish(address, route, dialer)
})

/** The socket to the proxy, or through it when TLS is to be spoken with the host itself. */
const viaProxy = (
  dialer: Dialer,
  proxy: ProxyAddress,
  { scheme, host, port }: LinkAddress
): Effect.Effect<Duplex, LinkBroken | TlsRefused | ProxyRefused> =>
  Effect.callback((resume) => {
    let abandoned = false
    const done = (error: Error | null, socket: Duplex) => {
      if (abandoned) socket?.destroy()
      resume(error === null ? Effect.succeed(socket) : Effect.fail(failure(host, error)))
    }
    if (scheme === "https") dialer.tunnel(proxy, host, port, done)
    else dialer.connectProxy(proxy, done)
    return Effect.sync(() => {
      abandoned = true
    })
  })

/** What the error of a connection that never stood means. */
const failure = (host: string, error: Error): LinkBroken | TlsRefused | ProxyRefused => {
  const { kind, reason, proxy, status } = faultOfCause(error)
  if (kind === "Tls") return new TlsRefused({ host, reason })
  if (kind === "Proxy") return new ProxyRefused({ proxy: proxy ?? "", status: status ?? 0 })
  return new LinkBroken({ host, fault: "Connect", reason })
}

/** The addresses of the host that may be visited. */
const resolve = (
  file: string,
  { host }: LinkAddress,
  policy: LinkPolicy
): Effect.Effect<ReadonlyArray<ResolvedAddress>, LinkBroken | LinkRefused> =>
  resolveAll(host).pipe(
    Effect.flatMap((all) => {
      const good = all.filter(({ address }) => mayReach(reachOf(address), policy))
      const bad = all[0]
      if (good.length > 0 || bad === undefined) return Effect.succeed(good)
      const reason = `${host} leads to ${unreachable(bad.address, reachOf(bad.address))}`
      return new LinkRefused({ file, reason: isIP(host) ? unreachable(host, reachOf(host)) : reason })
    })
  )

interface ResolvedAddress {
  readonly address: string
  readonly family: number
}

/** All addresses of a name, as the system resolves it; an address is its own. */
export const resolveAll = (host: string): Effect.Effect<ReadonlyArray<ResolvedAddress>, LinkBroken> =>
  Effect.callback((resume) => {
    lookup(host, { all: true }, (error, addresses) =>
      resume(
        error === null
          ? Effect.succeed(addresses)
          : Effect.fail(new LinkBroken({ host, fault: "Connect", reason: faultOfCause(error).reason }))
      )
    )
  })

type Route = { readonly addresses: ReadonlyArray<ResolvedAddress> } | { readonly socket: Duplex }

/** Who is told of bytes, as soon as there is one. */
interface Listener {
  connection: LinkConnection | null
}

const told = ({ connection }: Listener): boolean => connection === null || connection.received()

/**
 * How a socket reads into the ring. This stays with the socket, and within `establish` it would keep all that it can see there:
 * the fiber that opened the connection, and what came of it.
 */
const readingInto = (ring: ByteRing, listener: Listener): OnReadOpts => {
  // TLS hands over what it has deciphered even after it was told to stop. That must not meet bytes still being read.
  const spill = Buffer.allocUnsafeSlow(spillSize)
  return {
    buffer: () => (ring.roomy ? ring.target : spill),
    callback: (length, buffer) => {
      if (buffer === spill) ring.push(Buffer.from(spill.subarray(0, length)))
      else ring.filled(length)
      return told(listener)
    }
  }
}

/** The same for a socket inside another one, which does not know `onread`: its bytes are copied into the ring. */
const copyInto = (ring: ByteRing, socket: Duplex, listener: Listener): void => {
  socket.on("data", (bytes: Uint8Array) => {
    ring.push(bytes)
    if (!told(listener)) socket.pause()
  })
}

/** A connection that reads into a ring, ready for a request. */
const establish = (address: LinkAddress, route: Route, dialer: Dialer) =>
  Effect.callback<LinkConnection, LinkBroken | TlsRefused | ProxyRefused>((resume) => {
    const { host, port } = address
    const secure = address.scheme === "https"
    const ring = new ByteRing()
    const listener: Listener = { connection: null }
    const onread = readingInto(ring, listener)
    const direct = (addresses: ReadonlyArray<ResolvedAddress>) => ({
      host,
      port,
      autoSelectFamily: true,
      // As in the Dialer: 250 ms, the default of Node, are less than some links take.
      autoSelectFamilyAttemptTimeout: 2000,
      lookup: checkedLookup(addresses),
      onread
    })
    const tls = {
      // The name that the certificate must be for, also when the socket leads to a proxy.
      host,
      secureContext: dialer.secureContext(),
      rejectUnauthorized: true,
      ALPNProtocols: ["http/1.1"],
      ...(isIP(host) === 0 ? { servername: host } : {})
    }
    const connected = "socket" in route && !secure
    const socket =
      "socket" in route
        ? secure
          ? tlsConnect({ ...tls, socket: route.socket })
          : route.socket
        : secure
          ? tlsConnect({ ...tls, ...direct(route.addresses) })
          : tcpConnect(direct(route.addresses))
    const connection = new LinkConnection(socket, ring)
    listener.connection = connection
    if ("socket" in route) copyInto(ring, socket, listener)
    const fail = (error: Error) => {
      socket.destroy()
      resume(Effect.fail(failure(host, error)))
    }
    const closed = () => fail(new Error("closed"))
    const ready = () => {
      socket.off("error", fail)
      socket.off("close", closed)
      resume(Effect.succeed(connection))
    }
    socket.once("error", fail)
    socket.once("close", closed)
    if (connected) ready()
    else socket.once(secure ? "secureConnect" : "connect", ready)
    return Effect.sync(() => socket.destroy())
  }).pipe(
    Effect.timeoutOrElse({
      duration: connectTimeout,
      orElse: () =>
        new LinkBroken({ host: address.host, fault: "Connect", reason: `no connection within ${connectTimeout}` })
    })
  )

const connectTimeout = "15 seconds"
/** Of the buffer for bytes that come although reading was stopped. */
const spillSize = 64 * 1024

/** Makes the socket connect to the addresses that were checked, and to no others that a second look-up may bring. */
const checkedLookup =
  (addresses: ReadonlyArray<ResolvedAddress>): LookupFunction =>
  (_host, _options, done) =>
    done(null, [...addresses])
