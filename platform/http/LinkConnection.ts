/**
 * One connection to a link host, with the bytes it brings in a ring.
 *
 * The socket reads into our ring (`onread`) instead of allocating a buffer per read and passing it through two streams
 * and an HTTP parser: docs/dev/adr/0009 has the figures.
 */
import { Socket } from "node:net"
import type { Duplex } from "node:stream"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { ByteRing } from "./ByteRing.ts"
import { longestHead } from "./HttpReply.ts"

/** The connection ended; nothing more will come. */
export class Ended extends Data.TaggedError("Ended")<{ readonly error: Error | null }> {}

/** A reader that finds a few bytes waits this long for more of them, in milliseconds. */
const linger = 20

export class LinkConnection {
  readonly #ring: ByteRing
  readonly #socket: Duplex
  #ended: Ended | null = null
  #notify: (() => void) | null = null
  /** Whether the last reply was taken to its end and the host keeps the connection. */
  spent = false
  onEnd: () => void = () => {}

  constructor(socket: Duplex, ring: ByteRing) {
    this.#socket = socket
    this.#ring = ring
    const end = (error: Error | null) => {
      this.#ended ??= new Ended({ error })
      this.#notify?.()
      this.onEnd()
    }
    socket.on("error", end)
    socket.on("end", () => end(null))
    socket.on("close", () => end(null))
  }

  get ended(): boolean {
    return this.#ended !== null
  }

  /** Whether another request may be sent: open, and silent since the last one. */
  get reusable(): boolean {
    return this.#ended === null && this.#ring.used === 0
  }

  /** Bytes were put into the ring. Returns whether more may come. */
  received(): boolean {
    this.#notify?.()
    return this.#ring.roomy
  }

  send(text: string): void {
    this.spent = false
    this.#socket.write(text, "latin1")
  }

  /** The oldest bytes not taken: at least `enough`, or what has come after a moment, or the last. */
  available(enough: number): Effect.Effect<Uint8Array, Ended> {
    return Effect.callback((resume) => {
      let timer: NodeJS.Timeout | null = null
      const look = (late: boolean) => {
        const bytes = this.#ring.peek()
        // No more can join bytes that lie at the end of the ring: the next ones lie at its beginning.
        const complete = bytes.length >= enough || this.#ring.used > bytes.length
        if (bytes.length > 0 && (late || complete || this.#ended !== null || !this.#ring.roomy)) {
          finish(Effect.succeed(bytes))
        } else if (bytes.length === 0 && this.#ended !== null) finish(Effect.fail(this.#ended))
        else if (bytes.length > 0) timer ??= setTimeout(look, linger, true)
      }
      const stop = () => {
        if (timer !== null) clearTimeout(timer)
        this.#notify = null
      }
      const finish = (result: Effect.Effect<Uint8Array, Ended>) => {
        stop()
        resume(result)
      }
      this.#notify = () => look(false)
      look(false)
      return Effect.sync(stop)
    })
  }

  /** Frees the oldest `length` bytes. */
  take(length: number): void {
    this.#ring.take(length)
    if (this.#ring.roomy) this.#socket.resume()
  }

  /** Waits without keeping the process alive, or goes on. */
  idle(now: boolean): void {
    if (!(this.#socket instanceof Socket)) return
    if (now) this.#socket.unref()
    else this.#socket.ref()
  }

  destroy(): void {
    this.#socket.destroy()
  }
}

/** How many bytes are decoded to text at once: most heads are shorter, and decoding the body after them would be wasted. */
const headPortion = 2048

/** The head of the next response, as text without the empty line at its end; null when it is longer than allowed. */
export const readHead = Effect.fnUntraced(function* (connection: LinkConnection) {
  let text = ""
  while (text.length < longestHead) {
    const bytes = yield* connection.available(1)
    const portion = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, headPortion)).toString("latin1")
    // The empty line may begin in the portion before.
    const from = Math.max(0, text.length - 3)
    const joined = text + portion
    const end = /\r?\n\r?\n/.exec(joined.slice(from))
    if (end !== null) {
      const length = from + end.index
      connection.take(length + end[0].length - text.length)
      return length > longestHead ? null : joined.slice(0, length)
    }
    connection.take(portion.length)
    text = joined
  }
  return null
})
