/** Connections that wait for the next request to the same host. */
import type { LinkConnection } from "./LinkConnection.ts"

/** A connection waits this long for the next request, in milliseconds; most hosts close theirs later. */
const keepFor = 4_000

interface Waiting {
  readonly connection: LinkConnection
  /** Closes it when no request came. */
  readonly timer: NodeJS.Timeout
}

export class ConnectionPool {
  readonly #idle = new Map<string, Array<Waiting>>()

  /** The connection that was given back last; null when none can be used. */
  take(key: string): LinkConnection | null {
    const idle = this.#idle.get(key) ?? []
    for (let last = idle.pop(); last !== undefined; last = idle.pop()) {
      // Left to run, the timer of an earlier rest would close it soon after a later use: a run of 1,000 files opened 23
      // connections, each with 2 MiB of memory, instead of 8.
      clearTimeout(last.timer)
      if (last.connection.reusable) return last.connection
      last.connection.destroy()
    }
    return null
  }

  /** Keeps the connection when its last reply was taken to the end, and closes it otherwise. */
  giveBack(key: string, connection: LinkConnection): void {
    if (!connection.spent || !connection.reusable) {
      connection.destroy()
      return
    }
    const idle = this.#idle.get(key) ?? []
    this.#idle.set(key, idle)
    connection.idle(true)
    const timer = setTimeout(() => {
      forget()
      connection.destroy()
    }, keepFor).unref()
    const waiting = { connection, timer }
    const forget = () => {
      clearTimeout(timer)
      const at = idle.indexOf(waiting)
      if (at >= 0) idle.splice(at, 1)
    }
    idle.push(waiting)
    connection.onEnd = forget
  }

  close(): void {
    for (const idle of this.#idle.values()) for (const { connection } of idle.splice(0)) connection.destroy()
  }
}
