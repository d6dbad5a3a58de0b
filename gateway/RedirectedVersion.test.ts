import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { NotFound, ProxyRefused, Unavailable } from "../core/src/Errors.ts"
import { type BytesError, FileBytes, unknownVersion } from "../core/src/serving/FileBytes.ts"
import { LinkStore, type ServedFile } from "../core/src/serving/LinkStore.ts"
import { ServiceAway } from "../core/src/serving/Questions.ts"
import { LinkHost } from "../core/src/transfer/LinkHost.ts"
import { makeRedirectedVersion } from "./FileHandlers.ts"

/** What a link host says of a file: its tag, a failure, or nothing. */
type Said = Effect.Effect<string, BytesError>

const fileOf = (fileName: string, size = 10): ServedFile => ({
  analysisId: "A1",
  fileName,
  size,
  archived: false,
  restoreEstimation: null
})

/** `said`: by the name of a file, which is that of its host and a number. */
const ground = (said: Record<string, Said>) => {
  const asked: Array<string> = []
  const layer = Layer.mergeAll(
    Layer.mock(LinkStore, {
      lend: ({ fileName, size }) =>
        Effect.succeed({
          link: Redacted.make(`https://${fileName.replace(/\d/, "")}/${fileName}`),
          size,
          renewLink: Effect.never
        })
    }),
    Layer.mock(FileBytes, {
      reader: () => ({ size: 0, read: () => Effect.never }),
      version: ({ fileName, size }) =>
        Effect.gen(function* () {
          if (size === 0) return { ...unknownVersion, size }
          asked.push(fileName)
          return { ...unknownVersion, size: 10, etag: yield* said[fileName] ?? Effect.never }
        })
    }),
    Layer.mock(LinkHost, { approve: ({ link }) => Effect.succeed(Redacted.value(link)) })
  )
  const begun = Effect.provide(
    Effect.map(makeRedirectedVersion, (versionOf) => ({
      /** What becomes of a question within `seconds`. */
      tagOf: Effect.fnUntraced(function* (name: string, seconds = 0, size = 10) {
        const reading = yield* Effect.forkChild(Effect.result(versionOf(fileOf(name, size))))
        yield* TestClock.adjust(`${seconds} seconds`)
        const result = reading.pollUnsafe() === undefined ? null : yield* Fiber.join(reading)
        if (result === null) return "nothing"
        return result._tag === "Failure" ? result.failure._tag : result.success.etag
      })
    })),
    layer
  )
  return { asked, begun, said }
}

const tag = Effect.succeed('"v1"')
const away = Effect.fail(new Unavailable({ host: "here", reason: "no answer", attempts: 9 }))
const gone = Effect.fail(new NotFound({ what: "here2", next: "linkOfService" }))

describe("the version of a file that is redirected", () => {
  it.effect("is its size alone while its link host is silent, which is asked for three seconds and once a minute", () =>
    Effect.gen(function* () {
      const { asked, begun, said } = ground({})
      const { tagOf } = yield* begun
      assert.strictEqual(yield* tagOf("here1", 2), "nothing")
      assert.strictEqual(yield* tagOf("here2", 1), null)
      assert.deepStrictEqual(asked, ["here1"])
      said["here2"] = tag
      yield* TestClock.adjust("59 seconds")
      assert.strictEqual(yield* tagOf("here2"), null)
      assert.deepStrictEqual(asked, ["here1"])
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* tagOf("here2"), '"v1"')
    })
  )

  it.effect("is a failure once the link host has answered: a file without its tag would be taken for another one", () =>
    Effect.gen(function* () {
      for (const first of [tag, gone]) {
        const { begun } = ground({ here1: first, here2: gone, here3: away })
        const { tagOf } = yield* begun
        assert.strictEqual(yield* tagOf("here1"), first === tag ? '"v1"' : "SvcNotFound")
        yield* TestClock.adjust("1 hour")
        assert.strictEqual(yield* tagOf("here3"), "SvcUnavailable")
        assert.strictEqual(yield* tagOf("here2"), "SvcNotFound")
      }
    })
  )

  it.effect("has no tag where something before the link host fails", () =>
    Effect.gen(function* () {
      const proxy = Effect.fail(new ProxyRefused({ proxy: "proxy:3128", status: 403 }))
      const late = Effect.fail(new ServiceAway({ reason: "the link host has not answered yet" }))
      for (const failure of [away, proxy, late]) {
        const { tagOf } = yield* ground({ here1: failure }).begun
        assert.strictEqual(yield* tagOf("here1"), null)
      }
    })
  )

  it.effect("is asked of each link host by itself, and of an empty file of none", () =>
    Effect.gen(function* () {
      const { asked, begun } = ground({ here1: tag, there1: away, there2: tag })
      const { tagOf } = yield* begun
      assert.strictEqual(yield* tagOf("there0", 0, 0), null)
      assert.deepStrictEqual(asked, [])
      assert.strictEqual(yield* tagOf("here1"), '"v1"')
      assert.strictEqual(yield* tagOf("there1"), null)
      assert.strictEqual(yield* tagOf("there2"), null)
      assert.strictEqual(yield* tagOf("here2", 3), "nothing")
    })
  )

  it.effect("of two files at once: what the first finds out counts for both, and its failure for itself alone", () =>
    Effect.gen(function* () {
      const { asked, begun } = ground({ here1: Effect.andThen(Effect.sleep("1 second"), gone), here2: tag })
      const { tagOf } = yield* begun
      const first = yield* Effect.forkChild(tagOf("here1", 2))
      const second = yield* Effect.forkChild(tagOf("here2", 2))
      assert.deepStrictEqual([yield* Fiber.join(first), yield* Fiber.join(second)], ["SvcNotFound", '"v1"'])
      assert.deepStrictEqual(asked, ["here1", "here1", "here2"])
    })
  )
})
