import { createServer } from "node:net"
import { Effect } from "effect"

const tried = (port: number) =>
  Effect.callback<boolean>((resume) => {
    const server = createServer()
    server.once("error", () => resume(Effect.succeed(false)))
    server.listen(port, "127.0.0.1", () => server.close(() => resume(Effect.succeed(true))))
  })

/** What was given out already: nobody listens there yet, perhaps. */
const given = new Set<number>()

/**
 * A port of 127.0.0.1 on which nobody listens, for who will listen there later or needs one that refuses. It lies below
 * those that systems give out (from 32768 on Linux), so no connection and no other test gets it meanwhile.
 */
export const quietPort: Effect.Effect<number> = Effect.gen(function* () {
  for (;;) {
    const port = 16_384 + Math.floor(Math.random() * 16_384)
    if (given.has(port) || !(yield* tried(port))) continue
    given.add(port)
    return port
  }
})
