/**
 * A TCP proxy that makes loopback a slow road: every byte arrives later by half a round trip, and each connection
 * carries no more than its cap. `node bench/SlowLink.ts TO-PORT ROUND-TRIP-MS BYTES-PER-SECOND` prints its port.
 */
import { connect, createServer, type Socket } from "node:net"

const [to = 0, roundTrip = 50, cap = 20e6] = process.argv.slice(2).map(Number)
/** Bytes on their way are let go in this rhythm, in ms. */
const tick = 5
/** What is on its way in one direction is bounded, like the window of a real connection: the sender is paused. */
const mostWaiting = 4 * 1024 * 1024

const carry = (from: Socket, into: Socket) => {
  let waiting: Array<{ readonly due: number; bytes: Buffer }> = []
  let amount = 0
  let ended: number | null = null
  let allowance = 0
  from.on("data", (bytes: Buffer) => {
    waiting.push({ due: performance.now() + roundTrip / 2, bytes })
    amount += bytes.length
    if (amount > mostWaiting) from.pause()
  })
  from.on("end", () => {
    ended = performance.now() + roundTrip / 2
  })
  let last = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    allowance = Math.min(allowance + ((now - last) / 1000) * cap, (cap / 1000) * tick * 4)
    last = now
    for (let next = waiting[0]; next !== undefined && next.due <= now && allowance >= 1; next = waiting[0]) {
      const bytes = next.bytes.subarray(0, Math.floor(allowance))
      into.write(bytes)
      allowance -= bytes.length
      amount -= bytes.length
      if (bytes.length === next.bytes.length) waiting = waiting.slice(1)
      else next.bytes = next.bytes.subarray(bytes.length)
    }
    if (amount < mostWaiting / 2) from.resume()
    if (ended !== null && ended <= now && waiting.length === 0) {
      clearInterval(timer)
      into.end()
    }
  }, tick)
  // What is on its way when the far end closes still arrives: a client that lost it would read a file that is cut.
  from.on("close", () => {
    ended ??= performance.now() + roundTrip / 2
  })
  into.on("close", () => clearInterval(timer))
  from.on("error", () => into.destroy())
}

const server = createServer((client) => {
  const origin = connect(to, "127.0.0.1")
  for (const socket of [client, origin]) socket.setNoDelay(true)
  carry(client, origin)
  carry(origin, client)
})
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  if (address !== null && typeof address === "object") console.log(address.port)
})
