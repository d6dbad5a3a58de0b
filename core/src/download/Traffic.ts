/** What came from link hosts in a run, and when: taken event by event, kept as a few equal intervals. */

import type { TransferProgress } from "../transfer/TransferRequest.ts"
import type { Throughput } from "./FileResult.ts"

export interface Traffic<File> {
  /**
   * Takes an event of a transfer; returns the bytes that came with it.
   *
   * @param now - ms since the run began, of a clock that nobody sets
   */
  readonly note: (file: File, event: TransferProgress, now: number) => number
  /** The file is finished: no more events of it come. */
  readonly forget: (file: File) => void
  readonly throughput: () => Throughput
}

/** The most intervals that a run of any length has; this many can be drawn on any screen. */
const mostIntervals = 240
/** Length of an interval at first, in ms; it doubles whenever the intervals run out. */
const shortest = 250

export const makeTraffic = <File>(): Traffic<File> => {
  const present = new Map<File, number>()
  let bytes: Array<number> = []
  let interval = shortest
  const add = (count: number, now: number) => {
    while (now >= interval * mostIntervals) {
      interval *= 2
      bytes = Array.from({ length: Math.ceil(bytes.length / 2) }, (_, at) => at * 2).map(
        (at) => (bytes[at] ?? 0) + (bytes[at + 1] ?? 0)
      )
    }
    const at = Math.max(0, Math.floor(now / interval))
    while (bytes.length <= at) bytes.push(0)
    bytes[at] = (bytes[at] ?? 0) + count
  }
  return {
    note: (file, event, now) => {
      const before = present.get(file) ?? 0
      switch (event._tag) {
        case "Started":
          // A slice has read its header by then, which is no progress of an earlier run.
          present.set(file, Math.max(before, event.resumedFrom))
          return 0
        case "Restarting":
          present.set(file, 0)
          return 0
        case "Bytes": {
          present.set(file, event.done)
          const more = Math.max(0, event.done - before)
          if (more > 0) add(more, now)
          return more
        }
        default:
          return 0
      }
    },
    forget: (file) => void present.delete(file),
    throughput: () => ({ intervalSeconds: interval / 1000, bytes: [...bytes] })
  }
}
