import { connect, createServer, type Socket } from "node:net"
import { Effect } from "effect"
import { listening } from "./servers/StrictService.ts"

/** A way to a port of this machine that can be closed. */
export const closableWay = Effect.fnUntraced(function* (port: number) {
  let open = true
  const passing = new Set<Socket>()
  const way = createServer((client) => {
    if (!open) return client.destroy()
    passing.add(client)
    const service = connect(port, "127.0.0.1")
    client.pipe(service).pipe(client)
    client.on("error", () => service.destroy())
    return service.on("error", () => client.destroy())
  })
  return {
    url: `http://127.0.0.1:${yield* listening(way)}`,
    close: () => {
      open = false
      for (const client of passing) client.destroy()
      passing.clear()
    },
    open: () => {
      open = true
    }
  }
})
