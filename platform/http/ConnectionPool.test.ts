import { PassThrough } from "node:stream"
import { assert, describe, it } from "@effect/vitest"
import { afterEach, beforeEach, vi } from "vitest"
import { ByteRing } from "./ByteRing.ts"
import { LinkConnection } from "./LinkConnection.ts"
import { ConnectionPool } from "./LinkHttp.ts"

/** One whose last reply was taken to its end. */
const spentConnection = () => {
  const socket = new PassThrough()
  const connection = new LinkConnection(socket, new ByteRing(64))
  connection.spent = true
  return { connection, socket }
}

describe("ConnectionPool", () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it("closes a connection that no request came for", () => {
    const pool = new ConnectionPool()
    const { connection, socket } = spentConnection()
    pool.giveBack("host", connection)
    vi.advanceTimersByTime(3_999)
    assert.isFalse(socket.destroyed)
    vi.advanceTimersByTime(1)
    assert.isTrue(socket.destroyed)
    assert.isNull(pool.take("host"))
  })

  it("keeps a connection open as long as each request comes in time, however old it is", () => {
    const pool = new ConnectionPool()
    const { connection, socket } = spentConnection()
    for (let request = 0; request < 100; request++) {
      pool.giveBack("host", connection)
      assert.strictEqual(vi.getTimerCount(), 1)
      vi.advanceTimersByTime(3_000)
      assert.strictEqual(pool.take("host"), connection)
      assert.strictEqual(vi.getTimerCount(), 0)
    }
    assert.isFalse(socket.destroyed)
  })

  it("forgets a connection that the host closed, and its timer", async () => {
    const pool = new ConnectionPool()
    const { connection, socket } = spentConnection()
    pool.giveBack("host", connection)
    const closed = new Promise((done) => socket.once("close", done))
    socket.destroy()
    await closed
    assert.strictEqual(vi.getTimerCount(), 0)
    assert.isNull(pool.take("host"))
  })

  it("closes a connection whose reply was not taken to its end", () => {
    const pool = new ConnectionPool()
    const { connection, socket } = spentConnection()
    connection.spent = false
    pool.giveBack("host", connection)
    assert.isTrue(socket.destroyed)
    assert.isNull(pool.take("host"))
  })
})
