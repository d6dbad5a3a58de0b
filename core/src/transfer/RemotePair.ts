/** The two remote files of a slice: both opened, what is to be read of them, and what that cost. */
import * as Effect from "effect/Effect"
import { FileDamaged, type TransferError } from "../Errors.ts"
import type { Codec } from "../genome/bgzf/Codec.ts"
import * as RemoteRanges from "./RemoteRanges.ts"
import { planCut } from "./SliceCut.ts"
import type { SliceEstimate, SliceTask } from "./SliceRequest.ts"

/** What was read of link hosts: bytes, requests and links that were renewed. */
export interface Traffic {
  readonly fetched: number
  readonly attempts: number
  readonly renewals: number
}

export const noTraffic: Traffic = { fetched: 0, attempts: 0, renewals: 0 }

export interface RemotePair {
  readonly data: RemoteRanges.RemoteRanges
  readonly index: RemoteRanges.RemoteRanges
}

/** Both files, opened at the same time. */
export const open = (
  services: RemoteRanges.RemoteServices,
  { data, index, progress }: SliceTask
): Effect.Effect<RemotePair, RemoteRanges.RemoteError> =>
  Effect.all(
    {
      data: RemoteRanges.open(services, { ...data, progress }, RemoteRanges.headOfData),
      index: RemoteRanges.open(services, { ...index, progress }, RemoteRanges.headOfIndex)
    },
    { concurrency: 2 }
  )

/** Plans the slice; `tell` is run whenever bytes of the data file came. */
export const cutOf = ({ data, index }: RemotePair, task: SliceTask, tell?: Effect.Effect<void>) => {
  const { read, readInto, size } = data
  const reader =
    tell === undefined
      ? data
      : {
          size,
          read: (offset: number, length: number) => Effect.tap(read(offset, length), tell),
          readInto: (offset: number, target: Uint8Array) => Effect.andThen(readInto(offset, target), tell)
        }
  return planCut({ name: task.data.fileName, reader, indexName: task.index.fileName, index }, task)
}

export const trafficOf = ({ data, index }: RemotePair): Effect.Effect<Traffic> =>
  Effect.gen(function* () {
    return {
      fetched: (yield* data.fetched) + (yield* index.fetched),
      attempts: (yield* data.requests) + (yield* index.requests),
      renewals: (yield* data.renewals) + (yield* index.renewals)
    }
  })

export const addTraffic = (one: Traffic, other: Traffic): Traffic => ({
  fetched: one.fetched + other.fetched,
  attempts: one.attempts + other.attempts,
  renewals: one.renewals + other.renewals
})

/** Reads header and index, and says what a slice would fetch beside them. */
export const estimate = Effect.fn("svc.transfer.estimateSlice")(function* (
  services: RemoteRanges.RemoteServices,
  task: SliceTask
): Effect.fn.Return<SliceEstimate, TransferError, Codec> {
  const read = Effect.gen(function* () {
    const remote = yield* open(services, task)
    const cut = yield* cutOf(remote, task)
    const seen = yield* trafficOf(remote)
    let bytes = seen.fetched
    let requests = seen.attempts
    for (const { length, offset } of cut.reads) {
      const cost = remote.data.cost(offset, length)
      bytes += cost
      if (cost > 0) requests++
    }
    return { bytes, requests, regions: cut.regions }
  })
  return yield* read.pipe(
    Effect.catchTag("Restart", ({ reason }) => new FileDamaged({ file: task.data.fileName, fault: "Changing", reason }))
  )
})
