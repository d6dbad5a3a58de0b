/**
 * Connections to link hosts: TCP, or TLS over it, directly or through a proxy. Where a name leads is checked before
 * anything is sent there.
 */
import { lookup } from "node:dns"
import { isIP, type LookupFunction, type OnReadOpts, connect as tcpConnect } from "node:net"
import type { Duplex } from "node:stream"
import { connect as tlsConnect } from "node:tls"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { LinkRefused, type ProxyRefused, type TlsRefused } from "../../core/src/Errors.ts"
import { faultOfCause, refusalOf, type TransportFault } from "../../core/src/session/TransportFault.ts"
import type { ProxyAddress } from "../../core/src/settings/Settings.ts"
import { reachOf } from "../../core/src/text/HostReach.ts"
import {
  type LinkAddress,
  LinkBroken,
  type LinkError,
  type LinkPolicy,
  mayReach,
  mayReachName,
  unreachable,
  unreachableName
} from "../../core/src/transfer/LinkHost.ts"
import { ByteRing } from "./ByteRing.ts"
import type { Dialer } from "./Dialer.ts"
import { LinkConnection } from "./LinkConnection.ts"

/**
 * Connects, with the address checked on the way when no proxy does it for us.
 *
 * @param capacity - of the ring that the connection reads into, in bytes
 */
export const open = Effect.fnUntraced(function* (
  file: string,
  address: LinkAddress,
  policy: LinkPolicy,
  dialer: Dialer,
  capacity: number
): Effect.fn.Return<LinkConnection, LinkError> {
  const proxy = dialer.proxyFor(address.host, address.port)
  if (proxy !== null && !mayReachName(address.host, policy)) {
    return yield* new LinkRefused({ file, reason: unreachableName(address.host) })
  }
  const route =
    proxy === null
      ? { addresses: yield* resolve(file, address, policy) }
      : { socket: yield* viaProxy(dialer, proxy, address) }
  return yield* establish(address, route, dialer, capacity)
})

/** Refuses a host that a connection would be refused to; one whose name cannot be resolved here is judged by its name. */
export const checkHost = Effect.fnUntraced(function* (
  file: string,
  address: LinkAddress,
  policy: LinkPolicy,
  dialer: Dialer
): Effect.fn.Return<void, LinkRefused> {
  const found =
    dialer.proxyFor(address.host, address.port) === null
      ? yield* Effect.catchTag(Effect.asSome(resolve(file, address, policy)), "LinkBroken", () => Effect.succeedNone)
      : Option.none()
  if (Option.isNone(found) && !mayReachName(address.host, policy)) {
    return yield* new LinkRefused({ file, reason: unreachableName(address.host) })
  }
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

/** What the error of a connection that never stood means, or the answer of a proxy. */
export const failure = (host: string, error: Error): LinkBroken | TlsRefused | ProxyRefused => {
  const fault = faultOfCause(error)
  return refusalOf(host, fault) ?? new LinkBroken({ host, fault: "Connect", reason: fault.reason })
}

/** The addresses of the host that may be visited. */
const resolve = (
  file: string,
  { host }: LinkAddress,
  policy: LinkPolicy
): Effect.Effect<ReadonlyArray<ResolvedAddress>, LinkBroken | LinkRefused> =>
  resolveAll(host).pipe(
    Effect.mapError(({ reason }) => new LinkBroken({ host, fault: "Connect", reason })),
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
export const resolveAll = (host: string): Effect.Effect<ReadonlyArray<ResolvedAddress>, TransportFault> =>
  Effect.callback((resume) => {
    lookup(host, { all: true }, (error, addresses) =>
      resume(error === null ? Effect.succeed(addresses) : Effect.fail(faultOfCause(error)))
    )
  })

type Route = { readonly addresses: ReadonlyArray<ResolvedAddress> } | { readonly socket: Duplex }

/** The connection that hears of received bytes; null until the socket has become one. */
interface Listener {
  connection: LinkConnection | null
}

const announceBytes = ({ connection }: Listener): boolean => connection === null || connection.received()

/**
 * How a socket reads into the ring. This stays with the socket, and within `establish` it would keep all that it can see there:
 * the fiber that opened the connection, and what came of it.
 */
const readingInto = (ring: ByteRing, secure: boolean, listener: Listener): OnReadOpts => ({
  // Asked for as soon as the bytes before are here, when the ring may be full. A plain socket that was stopped writes into it only when
  // it goes on, and the ring has room again; by the spill more than half of all bytes were copied twice.
  buffer: () => (secure && !ring.roomy ? spill : ring.target),
  callback: (length, buffer) => {
    if (buffer === spill) ring.push(Buffer.from(spill.subarray(0, length)))
    else ring.filled(length)
    return announceBytes(listener)
  }
})

/** The same for a socket inside another one, which does not know `onread`: its bytes are copied into the ring. */
const copyInto = (ring: ByteRing, socket: Duplex, listener: Listener): void => {
  socket.on("data", (bytes: Uint8Array) => {
    ring.push(bytes)
    if (!announceBytes(listener)) socket.pause()
  })
}

/** A connection that reads into a ring, ready for a request. */
const establish = (address: LinkAddress, route: Route, dialer: Dialer, capacity: number) =>
  Effect.callback<LinkConnection, LinkBroken | TlsRefused | ProxyRefused>((resume) => {
    const { host, port } = address
    const secure = address.scheme === "https"
    const ring = new ByteRing(capacity)
    const listener: Listener = { connection: null }
    const onread = readingInto(ring, secure, listener)
    const direct = (addresses: ReadonlyArray<ResolvedAddress>) => ({
      host,
      port,
      autoSelectFamily: true,
      // As in the Dialer: 250 ms, the default of Node, are less than some links take.
      autoSelectFamilyAttemptTimeout: 2000,
      lookup: checkedLookup(addresses),
      onread
    })
    const tls = () => ({
      // The name that the certificate must be for, also when the socket leads to a proxy.
      host,
      secureContext: dialer.secureContext(),
      rejectUnauthorized: true,
      ALPNProtocols: ["http/1.1"],
      ...(isIP(host) === 0 ? { servername: host } : {})
    })
    const connected = "socket" in route && !secure
    const socket =
      "socket" in route
        ? secure
          ? tlsConnect({ ...tls(), socket: route.socket })
          : route.socket
        : secure
          ? tlsConnect({ ...tls(), ...direct(route.addresses) })
          : tcpConnect(direct(route.addresses))
    const connection = new LinkConnection(socket, ring)
    listener.connection = connection
    if ("socket" in route) copyInto(ring, socket, listener)
    const fail = (error: Error) => {
      socket.destroy()
      resume(Effect.fail(failure(host, error)))
    }
    const onClose = () => fail(new Error("closed"))
    const onReady = () => {
      socket.off("error", fail)
      socket.off("close", onClose)
      resume(Effect.succeed(connection))
    }
    socket.once("error", fail)
    socket.once("close", onClose)
    if (connected) onReady()
    else socket.once(secure ? "secureConnect" : "connect", onReady)
    return Effect.sync(() => socket.destroy())
  }).pipe(
    Effect.timeoutOrElse({
      duration: connectTimeout,
      orElse: () =>
        new LinkBroken({ host: address.host, fault: "Connect", reason: `no connection within ${connectTimeout}` })
    })
  )

const connectTimeout = "15 seconds"
/**
 * TLS hands over what it has deciphered even after a pause: those bytes must not overwrite others that are still being read. One
 * buffer serves all sockets, since what is read into it is copied before anything else happens.
 */
const spill = Buffer.allocUnsafeSlow(64 * 1024)

/** Makes the socket connect to the addresses that were checked, and to no others that a second look-up may bring. */
const checkedLookup =
  (addresses: ReadonlyArray<ResolvedAddress>): LookupFunction =>
  (_host, _options, done) =>
    done(null, [...addresses])
