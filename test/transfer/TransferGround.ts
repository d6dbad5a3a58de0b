/** A download on the virtual clock: a scripted link host, a disk in memory, and what a test asks of both. */

import { assert } from "@effect/vitest"
import { Effect, Fiber, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { timed } from "../../core/src/telemetry/MonotonicTime.ts"
import { FileTransfer } from "../../core/src/transfer/FileTransfer.ts"
import { defaultSettings, LinkPool } from "../../core/src/transfer/LinkPool.ts"
import type { FreshLink, TransferProgress, TransferRequest } from "../../core/src/transfer/TransferRequest.ts"
import { codecHere } from "../../test/genome/CodecHere.ts"
import { MemoryParts } from "./MemoryParts.ts"
import { cutAfter, host, patterned, type Script, ScriptedHost, type ScriptedReply } from "./ScriptedHost.ts"

export const kib = 1024
export const mib = 1024 * kib
export const strong = '"v1"'

/** Nothing is done aside, since time stands still meanwhile. */
export const codec = codecHere

export interface GroundOptions {
  readonly size?: number
  /** What the link host has, in place of `size` bytes of a pattern. */
  readonly bytes?: Uint8Array
  readonly etag?: string | null
  /** Says nothing of checks, as a caller who trusts the default. */
  readonly silent?: boolean
  readonly script?: Script
  readonly request?: Partial<TransferRequest>
  readonly connections?: number
  readonly limitRate?: number
}

/** One download and everything around it that a test looks at. */
export const ground = ({
  bytes,
  size = bytes?.length ?? 200 * kib,
  etag = strong,
  silent = false,
  script,
  request = {},
  connections = 4,
  limitRate = 0
}: GroundOptions = {}) => {
  const object = { bytes: bytes ?? patterned(size), etag }
  const links = new ScriptedHost(object, script)
  const disk = new MemoryParts()
  const events: Array<TransferProgress> = []
  let [renewals, seconds] = [0, Number.NaN]
  const renewLink: Effect.Effect<FreshLink> = Effect.sync(() => ({
    link: Redacted.make(`https://${host}/s.bam?renewal=${++renewals}`),
    size: null
  }))
  const layer = FileTransfer.layer.pipe(
    Layer.provide(LinkPool.layer({ ...defaultSettings, connections, limitRate })),
    Layer.provide(Layer.mergeAll(links.layer, disk.layer, codec))
  )
  const asked: TransferRequest = {
    target: "https://service.example",
    analysisId: "A1",
    fileName: "s.bam",
    directory: "out",
    name: "s.bam",
    overwrite: false,
    ...(silent ? {} : { check: "none" as const }),
    size,
    link: Redacted.make(`https://${host}/s.bam?renewal=0`),
    renewLink,
    progress: (event) => Effect.sync(() => void events.push(event)),
    ...request
  }
  const download = Effect.flatMap(FileTransfer, (transfer) => transfer.download(asked)).pipe(Effect.provide(layer))
  /** Runs the download while virtual time passes. */
  const run = Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(timed(Effect.exit(download)))
    yield* TestClock.adjust("2 hours")
    const { timing, value } = yield* Fiber.join(fiber)
    seconds = timing.seconds
    return value
  })
  const delivered = () => {
    assert.deepStrictEqual(disk.names, ["s.bam"])
    // Megabytes, which a comparison value by value would take a second for.
    assert.strictEqual(Buffer.compare(disk.files.get("s.bam") ?? new Uint8Array(0), links.object.bytes), 0)
  }
  return {
    layer,
    links,
    disk,
    events,
    download,
    run,
    delivered,
    asked,
    renewals: () => renewals,
    seconds: () => seconds
  }
}

/** The outcome of a download that must succeed. */
export const succeeds = Effect.fnUntraced(function* (g: ReturnType<typeof ground>) {
  const outcome = yield* yield* g.run
  g.delivered()
  return outcome
})

/** The error of a download that must fail and leave nothing under the final name. */
export const failure = Effect.fnUntraced(function* (g: ReturnType<typeof ground>) {
  const error = yield* Effect.flip(yield* g.run)
  assert.isFalse(g.disk.files.has("s.bam"))
  assert.notMatch(`${error.message} ${JSON.stringify(g.events)}`, /renewal=/)
  return error
})

/** Misbehaves at the requests with these numbers. */
export const at =
  (numbers: ReadonlyArray<number> | number, change: (good: ScriptedReply) => ReturnType<Script>): Script =>
  ({ number }, good) =>
    (typeof numbers === "number" ? [numbers] : numbers).includes(number) ? change(good) : good

export const always =
  (change: (good: ScriptedReply) => ReturnType<Script>): Script =>
  (_, good) =>
    change(good)

/** A host that sends at most `length` bytes of a range. */
export const cappedAt = (
  length: number,
  bytes: Uint8Array,
  range: string | null,
  good: ScriptedReply
): ScriptedReply => {
  const first = Number(/^bytes=(\d+)-/.exec(range ?? "bytes=0-")?.[1])
  if (range === null) return cutAfter(good, length + kib)
  const body = bytes.subarray(first, first + length)
  const fields = { "content-range": `bytes ${first}-${first + body.length - 1}/${bytes.length}` }
  return { status: 206, headers: { ...fields, "content-length": String(body.length) }, body: [body] }
}

/** A good reply to a range, without an entity tag. */
export const goodPart = (object: { readonly bytes: Uint8Array }, range: string | null): ScriptedReply => {
  const asked = /^bytes=(\d+)-(\d*)$/.exec(range ?? "")
  const { bytes } = object
  if (asked === null) return { status: 200, headers: { "content-length": `${bytes.length}` }, body: [bytes] }
  const first = Number(asked[1])
  const end = asked[2] === "" ? bytes.length : Number(asked[2]) + 1
  return {
    status: 206,
    headers: { "content-range": `bytes ${first}-${end - 1}/${bytes.length}` },
    body: [bytes.subarray(first, end)]
  }
}
