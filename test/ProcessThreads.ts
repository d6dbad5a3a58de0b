/** The threads of a process that Node has started for `worker_threads`: none of V8 or libuv is among them. */
import { readdirSync, readFileSync } from "node:fs"

/** Their numbers, as Linux gives them. */
export const threadsOf = (pid: number): ReadonlyArray<string> =>
  readdirSync(`/proc/${pid}/task`).filter((id) =>
    readFileSync(`/proc/${pid}/task/${id}/comm`, "utf8").startsWith("WorkerThread")
  )
