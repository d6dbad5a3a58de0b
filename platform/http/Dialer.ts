/**
 * Connections to hosts, direct or through a proxy, as agents for `node:http`: the only place that knows proxies,
 * certificate authorities and connect timeouts.
 *
 * An agent speaks TLS itself, so requests are made with `http.request` for `https:` too. Certificates are always
 * checked, whatever `NODE_TLS_REJECT_UNAUTHORIZED` says (G5). What goes wrong before a connection stands is a
 * `TransportFault`; the proxy password is sent to the proxy only.
 */

import { X509Certificate } from "node:crypto"
import type Http from "node:http"
import net from "node:net"
import type { Duplex } from "node:stream"
// By its default export: an old Node has no `getCACertificates` to import, and would fail before it is told that it is old.
import tls, { type SecureContext } from "node:tls"
import * as Redacted from "effect/Redacted"
import { faultOfCause, offersOf, TransportFault } from "../../core/src/session/TransportFault.ts"
import type { ProxyAddress } from "../../core/src/settings/Settings.ts"
import { isDirect, portOf } from "../../core/src/settings/Target.ts"
import { bareHost } from "../../core/src/text/HostReach.ts"

/**
 * Node's HTTP client. An `import` of `node:http` reads each of its exports once, also those that load the parts of a browser
 * (WebSocket and what it needs): 70 ms of CPU at each start of a step, a fifth of a small job.
 */
export const http = process.getBuiltinModule("node:http")

export interface DialerSettings {
  readonly proxy: ProxyAddress | null
  /** Hosts that are reached directly, in the form of the variable `NO_PROXY`. */
  readonly noProxy: string
  /** PEM text of further certificate authorities, or null. */
  readonly ca: string | null
  /** Timeout of each of TCP, proxy and TLS, in ms. */
  readonly connectTimeout: number
  /** Replaces the name resolution of direct connections, for example to refuse addresses. */
  readonly lookup?: net.LookupFunction
  /** How long a lasting connection waits for its next request, in ms. */
  readonly keepFor?: number
}

/**
 * A connection waits this long for its next request, in ms. Most hosts close theirs later; and of one that rests longer, a firewall,
 * a tunnel or the sleep of a laptop may have taken the other end: a request over it would be lost, and be waited for.
 */
export const keepFor = 4_000

/**
 * A connection that is silent this long is asked for a sign of life, in ms: an answer may take 15 minutes, and firewalls and address
 * translation forget a silent connection after 4 (Azure) to 6 (AWS). By default Linux asks after two hours; Node's agent asks a
 * connection that has rested once each second, so that ten seconds without a network would end it.
 */
const signOfLife = 60_000

/** How to make a `node:http` request to a URL. */
export interface Dialled {
  readonly agent: Http.Agent
  /** The request target: a path, or the whole URL for a proxy. */
  readonly path: string
  /** Headers for the proxy, when it reads this request. */
  readonly headers: Readonly<Record<string, string>>
  /** The proxy that answers this request in person, or null. */
  readonly forwarder: string | null
}

type Done = (error: Error | null, socket: Duplex) => void

/** The header that the proxy asks for. */
export const credentialsOf = (proxy: ProxyAddress): Readonly<Record<string, string>> => {
  if (proxy.username == null && proxy.password == null) return {}
  const password = proxy.password == null ? "" : Redacted.value(proxy.password)
  const pair = Buffer.from(`${proxy.username ?? ""}:${password}`, "utf8").toString("base64")
  return { "proxy-authorization": `Basic ${pair}` }
}

/**
 * The fault of a proxy that answers in the place of the host.
 *
 * @param proxy - its name and port
 * @param offers - the value of its `Proxy-Authenticate` field
 */
export const proxyAnswered = (
  proxy: string,
  status: number,
  offers: string | ReadonlyArray<string> | undefined
): TransportFault =>
  new TransportFault({
    ...{ kind: "Proxy", reason: `the proxy ${proxy} answered ${status}`, proxy, status },
    ...offersOf(offers)
  })

/** A fault of an attempt to connect: nothing was sent, unless it is about TLS. */
const connectFault = (error: Error, via: string | null): TransportFault => {
  const fault = faultOfCause(error)
  const proxy = via === null ? {} : { proxy: via }
  if (fault.kind === "Tls" || fault.kind === "Proxy") return new TransportFault({ ...fault, ...proxy })
  const { noSuchHost = false, reason } = fault
  return new TransportFault({ kind: "NotSent", reason: via === null ? reason : `proxy ${via}: ${reason}`, noSuchHost })
}

class DialingAgent extends http.Agent {
  readonly #connect: (host: string, port: number, done: Done) => void

  /** @param timeout - how long a connection is kept, 0 for none; one with a request under way is not ended by it */
  constructor(timeout: number, connect: (host: string, port: number, done: Done) => void) {
    super({ keepAlive: timeout > 0, keepAliveMsecs: signOfLife, scheduling: "lifo", timeout })
    this.#connect = connect
  }

  override createConnection(options: Http.ClientRequestArgs, done: (error: Error | null, socket: Duplex) => void) {
    this.#connect(String(options.host), Number(options.port), done)
    return undefined
  }
}

export class Dialer {
  readonly #settings: DialerSettings
  readonly #agents: Readonly<Record<"http:" | "https:", Readonly<Record<"lasting" | "single", DialingAgent>>>>
  /** What ends each attempt to connect that is under way, for a reason. */
  readonly #attempts = new Set<(reason: string) => void>()
  #context: SecureContext | undefined

  constructor(settings: DialerSettings) {
    this.#settings = settings
    const agents = (connect: (host: string, port: number, done: Done) => void) => ({
      lasting: new DialingAgent(settings.keepFor ?? keepFor, connect),
      single: new DialingAgent(0, connect)
    })
    this.#agents = {
      "http:": agents((host, port, done) => this.#connectPlain(host, port, done)),
      "https:": agents((host, port, done) => this.#connectSecure(host, port, done))
    }
  }

  /** `lasting` connections serve further requests; a `single` one is new and closed after its reply. */
  dial(url: URL, use: "lasting" | "single"): Dialled {
    const secure = url.protocol === "https:"
    const proxy = secure ? null : this.proxyFor(url.hostname, portOf(url))
    const path = `${url.pathname}${url.search}`
    return {
      agent: this.#agents[secure ? "https:" : "http:"][use],
      path: proxy === null ? path : `http://${url.host}${path}`,
      headers: proxy === null ? {} : credentialsOf(proxy),
      forwarder: proxy === null ? null : proxy.url.host
    }
  }

  /** Closes every connection, and ends those that are not made yet. */
  destroy(): void {
    for (const end of this.#attempts) end("the connection is not wanted any more")
    for (const { lasting, single } of Object.values(this.#agents)) {
      lasting.destroy()
      single.destroy()
    }
  }

  /** The proxy on the way to a host; null for none. */
  proxyFor(hostname: string, port: number): ProxyAddress | null {
    const { proxy, noProxy } = this.#settings
    return proxy === null || isDirect(noProxy, hostname, port) ? null : proxy
  }

  /** Calls `done` once, with a fault when the time for connecting passes first; later sockets are destroyed. */
  #within(tooLate: string, done: Done, start: (done: Done) => { destroy(): void }): void {
    const finish: Done = (error, socket) => {
      if (!this.#attempts.delete(end)) {
        socket?.destroy()
        return
      }
      clearTimeout(timer)
      done(error, socket)
    }
    const end = (reason: string) => {
      started.destroy()
      finish(new TransportFault({ kind: "NotSent", reason }), undefined as never)
    }
    this.#attempts.add(end)
    const timer = setTimeout(end, this.#settings.connectTimeout, tooLate)
    const started = start(finish)
  }

  /** For `http:` URLs: to the host itself, or to the proxy, which then reads the whole request. */
  #connectPlain(host: string, port: number, done: Done): void {
    const proxy = this.proxyFor(host, port)
    if (proxy === null) this.#tcp(host, port, null, done)
    else this.connectProxy(proxy, done)
  }

  /** For `https:` URLs: TLS with the host, through a tunnel of the proxy where there is one. */
  #connectSecure(host: string, port: number, done: Done): void {
    const proxy = this.proxyFor(host, port)
    const secured: Done = (error, socket) => {
      if (error === null) this.#tls(socket, host, null, done)
      else done(error, socket)
    }
    if (proxy === null) this.#tcp(host, port, null, secured)
    else this.tunnel(proxy, host, port, secured)
  }

  /** A connection to the proxy itself. */
  connectProxy(proxy: ProxyAddress, done: Done): void {
    const { url } = proxy
    this.#tcp(url.hostname, portOf(url), url.host, (error, socket) => {
      if (error === null && url.protocol === "https:") this.#tls(socket, url.hostname, url.host, done)
      else done(error, socket)
    })
  }

  #tcp(hostname: string, port: number, via: string | null, done: Done): void {
    const { connectTimeout, lookup } = this.#settings
    const what = via === null ? "no connection" : `proxy ${via}: no connection`
    this.#within(`${what} within ${connectTimeout} ms`, done, (finish) => {
      const socket = net.connect({
        host: bareHost(hostname),
        port,
        noDelay: true,
        keepAlive: true,
        keepAliveInitialDelay: signOfLife,
        // The next address of a host with several is tried after this long; Node's 250 ms are less than some links take.
        autoSelectFamilyAttemptTimeout: 2000,
        ...(via === null && lookup !== undefined ? { lookup } : {})
      })
      const onError = (error: Error) => finish(connectFault(error, via), socket)
      socket.once("error", onError)
      socket.once("connect", () => {
        socket.off("error", onError)
        finish(null, socket)
      })
      return socket
    })
  }

  #tls(socket: Duplex, hostname: string, via: string | null, done: Done): void {
    const host = bareHost(hostname)
    const { connectTimeout } = this.#settings
    this.#within(`no TLS connection within ${connectTimeout} ms`, done, (finish) => {
      const secure = tls.connect({
        socket,
        host,
        ...(net.isIP(host) === 0 ? { servername: host } : {}),
        ALPNProtocols: ["http/1.1"],
        secureContext: this.secureContext(),
        rejectUnauthorized: true
      })
      const onError = (error: Error) => {
        socket.destroy()
        finish(connectFault(error, via), secure)
      }
      secure.once("error", onError)
      secure.once("secureConnect", () => {
        secure.off("error", onError)
        finish(null, secure)
      })
      return secure
    })
  }

  /** A connection to a host by `CONNECT` through the proxy. */
  tunnel(proxy: ProxyAddress, host: string, port: number, done: Done): void {
    const { connectTimeout } = this.#settings
    const target = `${host.includes(":") ? `[${bareHost(host)}]` : host}:${port}`
    this.connectProxy(proxy, (error, socket) => {
      if (error !== null) return done(error, socket)
      this.#within(`proxy ${proxy.url.host}: no answer within ${connectTimeout} ms`, done, (finish) => {
        const request = http.request({
          method: "CONNECT",
          path: target,
          headers: { host: target, ...credentialsOf(proxy) },
          createConnection: () => socket
        })
        request.once("error", (error) => finish(connectFault(error, proxy.url.host), socket))
        request.once("connect", (response, tunnel, head) => {
          const status = response.statusCode ?? 0
          if (status >= 200 && status < 300) {
            if (head.length > 0) tunnel.unshift(head)
            return finish(null, tunnel)
          }
          tunnel.destroy()
          finish(proxyAnswered(proxy.url.host, status, response.headers["proxy-authenticate"]), tunnel)
        })
        request.end()
        return socket
      })
    })
  }

  /** What TLS trusts. Built once and late: reading the system's authorities takes 50 ms, which plain runs need not pay. */
  secureContext(): SecureContext {
    const { ca } = this.#settings
    this.#context ??= tls.createSecureContext({
      minVersion: "TLSv1.2",
      ...(ca === null
        ? {}
        : { ca: [...tls.getCACertificates("default"), ...tls.getCACertificates("system"), separated(ca)] })
    })
    return this.#context
  }
}

/** `cat a.pem b.pem` puts two lines into one where the first file has no line end; OpenSSL leaves out what follows there. */
const separated = (pem: string) => pem.replaceAll("----------", "-----\n-----")

/** Why a PEM text cannot be used as authorities, or null when every certificate in it can be read. */
export const unreadablePem = (pem: string): string | null => {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g)
  if (blocks === null) return "it holds no certificate in PEM form"
  try {
    for (const block of blocks) new X509Certificate(block)
    return null
  } catch {
    return "it holds a certificate that cannot be read"
  }
}
