/**
 * Turns of many readers who take bytes as fast as they get them: how much one connection, and all together, move between two looks at
 * what else has come.
 *
 * Node reads a socket as long as it brings something, and what is passed on at once makes room for more: one connection moved 2 MB in a
 * turn of the event loop. With 300 of them a turn took seconds, and a new reader is accepted once in a turn.
 */
import * as Effect from "effect/Effect"

/** Of one connection in a turn, in bytes. */
const ofConnection = 64 * 1024
/** Of all connections in a turn, in bytes: some milliseconds of work. */
const ofAll = 256 * 1024
/** A connection that has had no more than this comes first: a reader that begins sees something. */
const beginning = 64 * 1024

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
