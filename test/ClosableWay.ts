import { connect, createServer, type Socket } from "node:net"
import { Effect } from "effect"

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
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void way.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () => Effect.sync(() => way.close())
  )
  const address = way.address()
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`,
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
