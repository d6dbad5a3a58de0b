/** Ends threads in the midst of their work; at last the process exits with code 7 while they work. */
import { once } from "node:events"
import { GatedWorker } from "../../platform/threads/DeflateGate.ts"

const program = new URL("./Deflating.ts", import.meta.url)

const busy = async () => {
  const thread = new GatedWorker(program, {})
  await once(thread, "message")
  return thread
}

const start = (count: number) => Promise.all(Array.from({ length: count }, busy))

for (let round = 0; round < 25; round++) {
  for (const thread of await start(4)) await thread.terminate()
}
await start(24)
process.exit(7)
