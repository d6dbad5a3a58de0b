import { assert, describe, it } from "@effect/vitest"
import { Clock, type Duration, Effect, Fiber, Layer, Redacted, Result } from "effect"
import { TestClock } from "effect/testing"
import {
  type BodyStep,
  cutAfter,
  host,
  patterned,
  type Script,
  ScriptedHost,
  type ScriptedReply,
  type StoredObject
} from "../../../test/transfer/ScriptedHost.ts"
import { Unavailable } from "../Errors.ts"
import { defaultSettings, LinkPool } from "../transfer/LinkPool.ts"
import { FileBytes } from "./FileBytes.ts"
import { LinkStore, type ServedFile } from "./LinkStore.ts"

const size = 300_000
const first: StoredObject = { bytes: patterned(size), etag: '"v1"' }
const file: ServedFile = { analysisId: "A1", fileName: "S1.bam", size, archived: false, restoreEstimation: null }

interface Ground {
  readonly script?: Script
  readonly object?: StoredObject
  /** Fails every renewal. */
  readonly away?: boolean
  /** The first renewal brings a link that somebody else asked for a minute ago. */
  readonly shared?: boolean
  /** Links come after this time, at once if not said. */
  readonly linkAfter?: Duration.Input
  /** To link hosts at a time. */
  readonly connections?: number
}

const ground = ({
  away = false,
  connections = 4,
  linkAfter = 0,
  object = first,
  shared = false,
  script = (_, good) => good
}: Ground = {}) => {
  const links = new ScriptedHost(object, script)
  let generation = 1
  const linkNow = Effect.map(Clock.currentTimeMillis, (now) => ({
    link: Redacted.make(`https://${host}/S1.bam?n=${generation}`),
    size,
    askedAt: shared && generation === 2 ? now - 60_000 : now
  }))
  const store = Layer.mock(LinkStore, {
    lend: () =>
      Effect.map(Effect.delay(linkNow, linkAfter), ({ link, size }) => {
        let last = generation
        const renewLink = Effect.suspend(() => {
          if (away) return Effect.fail(new Unavailable({ host: "lab", reason: "no answer", attempts: 7 }))
          generation = ++last
          return Effect.delay(linkNow, linkAfter)
        })
        return { link, size, renewLink }
      })
  })
  const layer = FileBytes.layer.pipe(
    Layer.provide([store, links.layer, LinkPool.layer({ ...defaultSettings, connections })])
  )
  return { links, layer }
}

/** What a reader gets of `[first, end)`; bytes are copied, as they are overwritten. */
const taken = Effect.fnUntraced(function* (part = { first: 0, end: size }) {
  const bytes = yield* FileBytes
  const parts: Array<Uint8Array> = []
  const version = yield* bytes.version(file)
  const write = (piece: Uint8Array) => Effect.sync(() => void parts.push(piece.slice()))
  const sent = yield* Effect.result(bytes.send(file, version, part, write))
  return { sent, bytes: Buffer.concat(parts) }
})

const run = <A, E>(effect: Effect.Effect<A, E, FileBytes>, { layer }: Pick<ReturnType<typeof ground>, "layer">) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(effect)
    yield* TestClock.adjust("10 minutes")
    return yield* Fiber.join(fiber)
  }).pipe(Effect.provide(layer))

const same = (part: Uint8Array, begin: number, end: number) =>
  Buffer.compare(part, first.bytes.subarray(begin, end)) === 0

describe("the bytes of a file for readers who follow no link", () => {
  it.effect("are those asked for, and the version is asked for once", () =>
    Effect.gen(function* () {
      const place = ground()
      const parts = yield* run(
        Effect.all([taken(), taken({ first: 5, end: 6 }), taken({ first: 299_000, end: size })]),
        place
      )
      assert.isTrue(same(parts[0].bytes, 0, size))
      assert.isTrue(same(parts[1].bytes, 5, 6))
      assert.isTrue(same(parts[2].bytes, 299_000, size))
      assert.strictEqual(place.links.seen.filter(({ range }) => range === "bytes=0-15").length, 1)
      assert.strictEqual(place.links.open, 0)
    })
  )

  it.effect("L2 go on at the same byte when the link ends in mid-file", () =>
    Effect.gen(function* () {
      const place = ground({
        script: ({ link, number }, good) => {
          if (number === 1) return cutAfter(good, 100_000)
          return number > 1 && link.endsWith("n=1") ? { status: 403, headers: {}, body: [] } : good
        }
      })
      const { bytes, sent } = yield* run(taken(), place)
      assert.strictEqual(sent._tag, "Success")
      assert.isTrue(same(bytes, 0, size))
      assert.deepStrictEqual(
        place.links.seen.map(({ link, range }) => `${link.slice(-3)} ${range}`),
        ["n=1 bytes=0-15", "n=1 null", "n=1 bytes=100000-299999", "n=2 bytes=100000-299999"]
      )
    })
  )

  it.effect("H4 N6 from a host without tags the end of what was sent is compared, also over many cuts", () =>
    Effect.gen(function* () {
      const untagged = { ...first, etag: null }
      const place = ground({
        object: untagged,
        script: ({ number, range }, good) => (range !== "bytes=0-15" && number < 6 ? cutAfter(good, 90_000) : good)
      })
      const { bytes, sent } = yield* run(taken(), place)
      assert.strictEqual(sent._tag, "Success")
      assert.isTrue(same(bytes, 0, size))
      const changed = ground({
        object: untagged,
        script: ({ number }, good) =>
          number === 1 ? cutAfter(good, 90_000) : number === 2 ? { bytes: patterned(size, 2), etag: null } : good
      })
      assert.strictEqual(failureOf((yield* run(taken(), changed)).sent), "FileChanged")
    })
  )

  it.effect("a reader that takes less than 1 KiB per second for half an hour is no fault of the host", () =>
    Effect.gen(function* () {
      const pieces = Array.from({ length: 30 }, (_, i) => first.bytes.subarray(i * 10_000, (i + 1) * 10_000))
      const place = ground({ script: ({ range }, good) => (range === "bytes=0-15" ? good : { ...good, body: pieces }) })
      const parts: Array<Uint8Array> = []
      const reading = Effect.gen(function* () {
        const bytes = yield* FileBytes
        const write = (piece: Uint8Array) =>
          Effect.sync(() => void parts.push(piece.slice())).pipe(Effect.delay("1 minute"))
        yield* bytes.send(file, yield* bytes.version(file), { first: 0, end: size }, write)
      })
      const fiber = yield* Effect.forkChild(Effect.provide(reading, place.layer))
      yield* TestClock.adjust("1 hour")
      yield* Fiber.join(fiber)
      assert.isTrue(same(Buffer.concat(parts), 0, size))
      assert.strictEqual(place.links.seen.length, 2)
    })
  )

  it.effect("H1 H2 a host without ranges, or with wrong ones, is told from a file that has changed", () =>
    Effect.gen(function* () {
      for (const wrong of [{ "content-range": `bytes 7-8/${size}` }, null]) {
        const place = ground({
          script: ({ number, object, range }, good) =>
            number === 1
              ? cutAfter(good, 90_000)
              : number === 0 || range === null
                ? good
                : wrong === null
                  ? {
                      ...good,
                      status: 200,
                      headers: { etag: first.etag ?? "", "content-length": `${object.bytes.length}` },
                      body: [object.bytes]
                    }
                  : { ...good, headers: { ...good.headers, ...wrong } }
        })
        assert.strictEqual(failureOf((yield* run(taken(), place)).sent), "SvcLinkProtocol")
      }
    })
  )

  it.effect("H3 two versions never meet: the first byte of another one ends it, and is known the next time", () =>
    Effect.gen(function* () {
      const place = ground({
        script: ({ number }, good) => (number === 1 ? { bytes: patterned(size, 2), etag: '"v2"' } : good)
      })
      const results = yield* run(Effect.all([taken(), taken()]), place)
      assert.strictEqual(failureOf(results[0].sent), "FileChanged")
      assert.strictEqual(results[0].bytes.length, 0)
      assert.strictEqual(results[1].sent._tag, "Success")
      assert.strictEqual(Buffer.compare(results[1].bytes, patterned(size, 2)), 0)
    })
  )

  it.effect("L3 a fresh link that is refused as well is no accident; one that somebody else asked for may be", () =>
    Effect.gen(function* () {
      for (const [shared, requests] of [
        [false, 3],
        [true, 4]
      ] as const) {
        const place = ground({
          shared,
          script: ({ number }, good) => (number === 0 ? good : { status: 403, headers: {}, body: [] })
        })
        assert.strictEqual(failureOf((yield* run(taken(), place)).sent), "SvcLinkForbidden")
        assert.strictEqual(place.links.seen.length, requests)
      }
    })
  )

  it.effect("L3 a file that lies in cold storage, whatever the service lists, is archived", () =>
    Effect.gen(function* () {
      const body = [new TextEncoder().encode("<Error><Code>InvalidObjectState</Code></Error>")]
      const place = ground({ script: ({ number }, good) => (number === 0 ? good : { status: 403, headers: {}, body }) })
      const error = Result.getOrThrow(Result.flip((yield* run(taken(), place)).sent))
      assert.match(error._tag === "InArchive" ? (error.answer ?? "") : error._tag, /answers 403, InvalidObjectState/)
    })
  )

  it.effect("N1 the service is away when a link has to be renewed: the reader is told why", () =>
    Effect.gen(function* () {
      const place = ground({
        away: true,
        script: ({ number }, good) => (number === 0 ? good : { status: 403, headers: {}, body: [] })
      })
      assert.strictEqual(failureOf((yield* run(taken(), place)).sent), "SvcUnavailable")
    })
  )

  it.effect("N10 nobody waits longer than ten seconds for the first byte", () =>
    Effect.gen(function* () {
      const place = ground({ script: ({ number }, good) => (number === 0 ? good : { ...good, delay: 3_600_000 }) })
      const reading = Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(taken())
        yield* TestClock.adjust("9900 millis")
        assert.isUndefined(fiber.pollUnsafe())
        yield* TestClock.adjust("200 millis")
        return yield* Fiber.join(fiber)
      })
      assert.strictEqual(failureOf((yield* Effect.provide(reading, place.layer)).sent), "ServiceAway")
      assert.strictEqual(place.links.open, 0)
    })
  )

  it.effect("N10 waiting for a link, in turn with others, is not waiting for the link host", () =>
    Effect.gen(function* () {
      const place = ground({ linkAfter: "2 minutes" })
      const { bytes, sent } = yield* run(taken(), place)
      assert.strictEqual(sent._tag, "Success")
      assert.isTrue(same(bytes, 0, size))
      // Nor for the next link, after the host took some seconds to refuse the first.
      const refused = ground({
        linkAfter: "2 minutes",
        script: ({ link }, good) =>
          link.endsWith("n=1") ? { status: 403, headers: {}, body: [], delay: 6000 } : { ...good, delay: 6000 }
      })
      assert.strictEqual((yield* run(taken(), refused)).sent._tag, "Success")
      const silent = ground({
        linkAfter: "2 minutes",
        script: ({ number }, good) => (number === 0 ? good : { ...good, delay: 3_600_000 })
      })
      assert.strictEqual(failureOf((yield* run(taken(), silent)).sent), "ServiceAway")
    })
  )

  it.effect("a reader that takes its time holds the link host back, and gets every byte", () =>
    Effect.gen(function* () {
      const place = ground({ script: (_, good) => inPieces(good) })
      const slowly = Effect.gen(function* () {
        const bytes = yield* FileBytes
        let length = 0
        yield* bytes.send(file, yield* bytes.version(file), { first: 0, end: size }, (piece) =>
          Effect.delay(
            Effect.sync(() => {
              length += piece.length
            }),
            "25 seconds"
          )
        )
        return length
      })
      assert.strictEqual(yield* run(slowly, place), size)
    })
  )

  it.effect("an empty file is not asked for, and a version that was learned is asked for again after a minute", () =>
    Effect.gen(function* () {
      const place = ground()
      const reading = Effect.gen(function* () {
        const bytes = yield* FileBytes
        assert.deepStrictEqual(yield* bytes.version({ ...file, size: 0 }), {
          size: 0,
          etag: null,
          lastModified: null,
          digests: []
        })
        assert.strictEqual(place.links.seen.length, 0)
        yield* bytes.version(file)
        yield* TestClock.adjust("59 seconds")
        yield* bytes.version(file)
        assert.strictEqual(place.links.seen.length, 1)
        yield* TestClock.adjust("2 seconds")
        yield* bytes.version(file)
        assert.strictEqual(place.links.seen.length, 2)
        // Listed with another size, it is another file.
        const other = yield* Effect.flip(bytes.version({ ...file, size: size + 1 }))
        assert.strictEqual(other._tag, "SvcFileDamaged")
      })
      yield* Effect.provide(reading, place.layer)
    })
  )

  it.effect("random access gives what lies there", () =>
    Effect.gen(function* () {
      const place = ground()
      const reading = Effect.gen(function* () {
        const bytes = yield* FileBytes
        const reader = bytes.reader(file, yield* bytes.version(file))
        assert.isTrue(same(yield* reader.read(1000, 50_000), 1000, 51_000))
        assert.isTrue(same(yield* reader.read(size - 5, 100), size - 5, size))
        assert.strictEqual((yield* reader.read(size, 10)).length, 0)
      })
      yield* run(reading, place)
    })
  )
})

/** The same reply, whose body comes in pieces of 50,000 bytes. */
const inPieces = (reply: ScriptedReply): ScriptedReply => ({
  ...reply,
  body: reply.body.flatMap(
    (step): ReadonlyArray<BodyStep> =>
      step instanceof Uint8Array
        ? Array.from({ length: Math.ceil(step.length / 50_000) }, (_, i) => step.subarray(i * 50_000, (i + 1) * 50_000))
        : [step]
  )
})

const failureOf = (sent: { readonly _tag: string; readonly failure?: { readonly _tag: string } }) =>
  sent.failure?._tag ?? sent._tag
