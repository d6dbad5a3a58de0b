import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { makePageFiles } from "./PageFiles.ts"

const failure = (code: string) => Promise.reject(Object.assign(new Error(code), { code }))

describe("files of the page", () => {
  it.effect("one that could not be read is read again; one that is there, or that this build lacks, is not", () =>
    Effect.gen(function* () {
      const answers = [failure("EMFILE"), Promise.resolve(new Uint8Array(3)), failure("ENOENT")]
      for (const each of answers) each.catch(() => null)
      let reads = 0
      const files = yield* makePageFiles(() => answers[reads++] ?? failure("too many"))
      assert.isTrue(Exit.isFailure(yield* Effect.exit(files("page.js"))))
      assert.lengthOf((yield* files("page.js"))?.plain ?? [], 3)
      assert.lengthOf((yield* files("page.js"))?.plain ?? [], 3)
      assert.isNull(yield* files("igv.js"))
      assert.isNull(yield* files("igv.js"))
      assert.isNull(yield* files("other.js"))
      assert.strictEqual(reads, 3)
    })
  )
})
