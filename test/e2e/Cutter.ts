import { connect, createServer, type Socket } from "node:net"
import { Effect } from "effect"

/** A TCP relay whose first connections break: each after `bytes` of answer, and only once `holdMs` have passed since then. */
export const startCutter = Effect.fnUntraced(function* (
  to: number,
  { bytes, connections, holdMs }: { readonly bytes: number; readonly connections: number; readonly holdMs: number }
) {
  const open = new Set<Socket>()
  let count = 0
  let passed = 0
  const server = createServer((client) => {
    const upstream = connect(to, "127.0.0.1")
    const doomed = count++ < connections
    let sent = 0
    const end = () => {
      client.destroy()
      upstream.destroy()
    }
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.on("error", end).on("close", () => open.delete(socket))
    }
    client.pipe(upstream)
    upstream.on("data", (part) => {
      const room = doomed ? Math.max(0, bytes - sent) : part.length
      sent += part.length
      passed += Math.min(room, part.length)
      if (!client.write(part.subarray(0, room))) {
        upstream.pause()
        client.once("drain", () => upstream.resume())
      }
      if (!doomed || sent <= bytes) return
      upstream.pause()
      setTimeout(end, holdMs)
    })
    upstream.on("end", () => client.end())
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.void))
    }),
    () =>
      Effect.callback<void>((resume) => {
        for (const socket of open) socket.destroy()
        server.close(() => resume(Effect.void))
      })
  )
  const address = server.address()
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    /** Bytes of all answers so far, heads included. */
    passed: () => passed
  }
})
