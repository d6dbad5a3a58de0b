import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { ObjectVersion } from "./RangeReply.ts"
import * as VersionWatch from "./VersionWatch.ts"

describe("VersionWatch", () => {
  // Replies to requests that were sent at the same time are each judged without the other.
  it.effect("H3 of two replies that contradict each other the later one means a restart, and changes nothing", () =>
    Effect.gen(function* () {
      const watch = yield* VersionWatch.make
      const one: ObjectVersion = { size: null, etag: '"v1"', lastModified: null, digests: [] }
      yield* watch.learn(one)
      yield* watch.learn({ ...one, size: 9 })
      for (const other of [{ etag: '"v2"' }, { etag: null }, { size: 8 }]) {
        assert.deepInclude(yield* Effect.flip(watch.learn({ ...one, ...other })), { cause: "Changed" })
      }
      assert.deepStrictEqual(yield* watch.known, { ...one, size: 9 })
    })
  )
})
