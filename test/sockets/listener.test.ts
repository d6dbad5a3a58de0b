/** Requests of one connection, and clients that end their side of it. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { connect } from "node:net"
import type { NetworkInterfaceInfo } from "node:os"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Queue } from "effect"
import { handleInTurn, ListenFailed, listen, outerAddresses, portOf } from "../../platform/http/Listener.ts"

const host = "127.0.0.1"

/** A server that leaves its requests to the test, and a connection to it. */
const connected = Effect.gen(function* () {
  const server = yield* listen({ host, port: 0 }, {})
  const requests = yield* Queue.unbounded<{ readonly request: IncomingMessage; readonly response: ServerResponse }>()
  handleInTurn(server, (request, response) => void Queue.offerUnsafe(requests, { request, response }))
  const socket = yield* Effect.acquireRelease(
    Effect.sync(() => connect({ host, port: portOf(server), allowHalfOpen: true })),
    (opened) => Effect.sync(() => opened.destroy())
  )
  let got = ""
  socket.setEncoding("latin1").on("data", (more: string) => {
    got += more
  })
  return { next: Queue.take(requests), socket, got: () => got }
})

const closed = (of: { readonly once: (event: "close", done: () => void) => unknown }) =>
  Effect.callback<void>((resume) => {
    of.once("close", () => resume(Effect.void))
  })

describe("an address that cannot be listened on", () => {
  it.live("is told as what it is, and never as the path of a socket", () =>
    Effect.gen(function* () {
      const told = (address: string) =>
        listen({ host: address, port: 0 }, {}).pipe(
          Effect.flip,
          Effect.map(({ message }) => message)
        )
      assert.strictEqual(yield* told("fe80::1"), "Cannot listen on fe80::1:0: this machine does not have that address")
      // What a look-up says of it, which this test does not wait for.
      assert.strictEqual(
        new ListenFailed({ where: "[::1]:0", errno: "ENOTFOUND" }).message,
        "Cannot listen on [::1]:0: there is no such host; an IPv6 address has no brackets here"
      )
    }).pipe(Effect.scoped)
  )
})

describe("a wildcard address", () => {
  it("is for others those of this machine at its networks", () => {
    const at = (address: string, family: "IPv4" | "IPv6", internal = false) =>
      ({ address, family, internal, netmask: "", mac: "", cidr: null, scopeid: 0 }) as NetworkInterfaceInfo
    const interfaces = {
      lo: [at("127.0.0.1", "IPv4", true)],
      eth0: [at("10.1.2.3", "IPv4"), at("2001:db8::7", "IPv6"), at("fe80::1", "IPv6")],
      ib0: [at("192.168.9.1", "IPv4")]
    }
    assert.deepStrictEqual(outerAddresses("0.0.0.0", "8080", interfaces), [
      "http://10.1.2.3:8080",
      "http://192.168.9.1:8080"
    ])
    assert.include(outerAddresses("::", "8080", interfaces), "http://[2001:db8::7]:8080")
    assert.deepStrictEqual(outerAddresses("10.1.2.3", "8080", interfaces), [])
  })
})

describe("a connection", () => {
  it.live("of HTTP/1.0 ends with its client's side: nothing is done for one who has left", () =>
    Effect.gen(function* () {
      const { got, next, socket } = yield* connected
      socket.write("GET / HTTP/1.0\r\n\r\n")
      const { response } = yield* next
      socket.end()
      yield* closed(response)
      assert.isFalse(response.headersSent)
      assert.strictEqual(got(), "")
    }).pipe(Effect.scoped)
  )

  it.live("with many requests in one packet is watched for one at a time, and gets all its answers after its end", () =>
    Effect.gen(function* () {
      const { got, next, socket } = yield* connected
      const many = 30
      socket.end("GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(many))
      const watched: Array<number> = []
      for (let i = 0; i < many; i++) {
        const { request, response } = yield* next
        watched.push(request.socket.listenerCount("end"))
        response.end("yes")
      }
      yield* closed(socket)
      // Node itself has one or two.
      assert.isBelow(Math.max(...watched), 5)
      assert.lengthOf([...got().matchAll(/HTTP\/1\.1 200 OK/g)], many)
    }).pipe(Effect.scoped)
  )
})
