/**
 * Bytes to a reader over HTTP, at the reader's pace: the next piece is taken when the kernel has the one before, so nothing
 * piles up here, and the buffer of the link host is free again.
 *
 * Written to the response itself: the bytes are lent by the link host's buffer, and a stream would have to copy them
 * (bench/README.md has what that gives).
 */
import type { ServerResponse } from "node:http"
import * as Effect from "effect/Effect"

export interface ReaderOutput {
  /** Whether the head is on its way, so that nothing else can be answered. */
  readonly begun: () => boolean
  /** Ends when the reader took the bytes; cuts the connection and never ends, when it takes nothing for too long. Never ends when the reader is gone. */
  readonly write: (bytes: Uint8Array) => Effect.Effect<void>
  /** Ends the body. */
  readonly end: Effect.Effect<void>
  /** Cuts the connection, so that the reader cannot take a part for the whole. */
  readonly cut: Effect.Effect<void>
}

/** Tools pause while they work on what they read. */
const patience = "5 minutes"

/**
 * @param head - sent before the first byte
 * @param onCut - is told when the connection is cut from here
 */
export const makeReaderOutput = (
  response: ServerResponse,
  head: { readonly status: number; readonly headers: Readonly<Record<string, string>> },
  onCut: () => void = () => {}
): ReaderOutput => {
  let begun = false
  const begin = () => {
    if (begun) return
    begun = true
    response.writeHead(head.status, head.headers)
  }

  const cut = Effect.sync(() => {
    onCut()
    response.destroy()
  })

  const write = (bytes: Uint8Array) =>
    Effect.callback<void>((resume) => {
      begin()
      // A reader that went away has its request interrupted.
      response.write(bytes, (error) => {
        if (error == null) resume(Effect.void)
      })
    }).pipe(Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.andThen(cut, Effect.never) }))

  return {
    begun: () => begun,
    write,
    end: Effect.sync(() => {
      begin()
      response.end()
    }),
    cut
  }
}

/** Of one connection in a turn, in bytes. */
const ofConnection = 64 * 1024
/** Of all connections in a turn, in bytes: some milliseconds of work. */
const ofAll = 256 * 1024
/** A connection that has had no more than this comes first: a reader that begins sees something. */
const beginning = 64 * 1024

/**
 * Turns of many readers who take bytes as fast as they get them: how much one connection, and all together, move between two looks at
 * what else has come.
 *
 * Node reads a socket as long as it brings something, and what is passed on at once makes room for more: one connection moved 2 MB in a
 * turn of the event loop. With 300 of them a turn took seconds, and a new reader is accepted once in a turn.
 */
export interface OutputTurns {
  /** For one connection: what it waits for before it passes on so many bytes. Readers of one key share their turns. */
  readonly of: (key: string) => (bytes: number) => Effect.Effect<void>
}

interface Waiting {
  readonly bytes: number
  readonly go: () => void
}

/** The reader whose turn is next stands first. */
type Line = Map<string, Array<Waiting>>

export const makeOutputTurns = (): OutputTurns => {
  const lines = { first: new Map() as Line, further: new Map() as Line }
  let turn = 0
  let spent = 0
  let awaited = false

  const spend = (bytes: number) => {
    spent += bytes
    if (awaited) return
    awaited = true
    setImmediate(nextTurn)
  }

  const nextTurn = () => {
    turn++
    spent = 0
    awaited = false
    // All are taken out before the first goes: it may come back at once, and would have this turn again.
    const going: Array<Waiting> = []
    while (spent < ofAll) {
      const waiting = takeNext(lines.first) ?? takeNext(lines.further)
      if (waiting === undefined) break
      spend(waiting.bytes)
      going.push(waiting)
    }
    for (const { go } of going) go()
  }

  const takeNext = (line: Line): Waiting | undefined => {
    const [first] = line
    if (first === undefined) return undefined
    const [key, all] = first
    const waiting = all.shift()
    line.delete(key)
    if (all.length > 0) line.set(key, all)
    return waiting
  }

  const wait = (line: Line, key: string, bytes: number) =>
    Effect.callback<void>((resume) => {
      const waiting: Waiting = { bytes, go: () => resume(Effect.void) }
      const own = line.get(key)
      if (own === undefined) line.set(key, [waiting])
      else own.push(waiting)
      spend(0)
      return Effect.sync(() => {
        const left = (line.get(key) ?? []).filter((other) => other !== waiting)
        if (left.length > 0) line.set(key, left)
        else line.delete(key)
      })
    })

  return {
    of: (key) => {
      let total = 0
      let own = { turn: -1, spent: 0 }
      return (bytes) =>
        Effect.suspend(() => {
          if (own.turn !== turn) own = { turn, spent: 0 }
          const line = total < beginning ? lines.first : lines.further
          total += bytes
          const free = lines.first.size === 0 && lines.further.size === 0 && spent < ofAll
          if (free && own.spent < ofConnection) {
            own.spent += bytes
            spend(bytes)
            return Effect.void
          }
          return Effect.andThen(
            wait(line, key, bytes),
            Effect.sync(() => {
              own = { turn, spent: bytes }
            })
          )
        })
    }
  }
}
