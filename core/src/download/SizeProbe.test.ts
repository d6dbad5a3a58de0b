import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Schema } from "effect"
import { TestClock } from "effect/testing"
import { host, patterned, type Script, ScriptedHost } from "../../../test/transfer/ScriptedHost.ts"
import { AnalysisFiles } from "../contract/Files.ts"
import { AnalysisId } from "../contract/Ids.ts"
import { LinkBroken } from "../transfer/LinkHost.ts"
import { entryOf, withSizes } from "./Catalog.ts"

const linked = (fileName: string, more: object = {}) => ({
  fileName,
  downloadLink: `https://${host}/${fileName}`,
  ...more
})
const entry = (...links: ReadonlyArray<object>) =>
  entryOf(
    { analysisId: AnalysisId.make("A1"), named: true },
    Schema.decodeUnknownSync(AnalysisFiles)({ id: "A1", apiFileLinks: links }),
    0
  )

const probing = Effect.fnUntraced(function* (script: Script, ...links: ReadonlyArray<object>) {
  const files = new ScriptedHost({ bytes: patterned(5000), etag: '"v1"' }, script)
  const { files: found } = yield* withSizes(entry(...links)).pipe(Effect.provide(files.layer))
  assert.strictEqual(files.open, 0)
  return { sizes: found.map(({ size }) => size), seen: files.seen, mostOpen: files.mostOpen }
})

describe("sizes that the service does not tell", () => {
  it.effect("come from a few bytes of the link, and only where they are missing and a link is there", () =>
    Effect.gen(function* () {
      const { seen, sizes } = yield* probing(
        (_, good) => good,
        linked("a.bam"),
        linked("told.bam", { size: 7 }),
        linked("cold.bam", { currentlyArchived: true }),
        { fileName: "nolink.bam" },
        { downloadLink: `https://${host}/nameless` }
      )
      assert.deepStrictEqual(sizes, [5000, 7, null, null, null])
      assert.deepStrictEqual(seen, [{ link: `https://${host}/a.bam`, range: "bytes=0-15" }])
    })
  )

  it.effect("H1 a host without ranges tells by the length of the whole file, which is not read", () =>
    Effect.gen(function* () {
      const { sizes } = yield* probing(
        (_, __) => ({ status: 200, headers: { "content-length": "5000" }, body: [{ fail: "Reset" }] }),
        linked("a.bam")
      )
      assert.deepStrictEqual(sizes, [5000])
    })
  )

  it.effect("a host may send fewer bytes than asked for, as of a file that has fewer", () =>
    Effect.gen(function* () {
      const part = { status: 206, headers: { "content-range": "bytes 0-4/5" }, body: [new Uint8Array(5)] }
      assert.deepStrictEqual((yield* probing(() => part, linked("a.bam.bai"))).sizes, [5])
    })
  )

  it.effect("an empty file has none of the bytes that were asked for, and the size 0", () =>
    Effect.gen(function* () {
      const { sizes } = yield* probing(
        () => ({ status: 416, headers: { "content-range": "bytes */0" }, body: [] }),
        linked("empty.bam")
      )
      assert.deepStrictEqual(sizes, [0])
    })
  )

  it.effect("N12 a link host that takes the request and never answers leaves its file of unknown size", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(
        probing(
          ({ link }, good) => (link.endsWith("a.bam") ? { ...good, delay: 1e9 } : good),
          ...[linked("a.bam"), linked("b.bam")]
        )
      )
      yield* TestClock.adjust("1 minute")
      const exit = fiber.pollUnsafe()
      assert.deepStrictEqual(exit !== undefined && Exit.isSuccess(exit) ? exit.value.sizes : "it waits", [null, 5000])
    })
  )

  it.effect("a link host that refuses or breaks leaves its file of unknown size, and stops no other", () =>
    Effect.gen(function* () {
      const links = ["forbidden.bam", "broken.bam", "a.bam"].map((name) => linked(name))
      const { sizes } = yield* probing(
        ({ link }, good) =>
          link.endsWith("forbidden.bam")
            ? { status: 403, headers: {}, body: [] }
            : link.endsWith("broken.bam")
              ? new LinkBroken({ host, fault: "Connect", reason: "closed" })
              : good,
        ...links
      )
      assert.deepStrictEqual(sizes, [null, null, 5000])
    })
  )

  it.effect("H17 a page in place of the file does not tell its size, a file that is called a page does", () =>
    Effect.gen(function* () {
      const headers = { "content-type": "text/html", "content-length": "3098" }
      const begins = (text: string) => [new TextEncoder().encode(text), { fail: "Reset" } as const]
      const { sizes } = yield* probing(
        ({ link }) => ({ status: 200, headers, body: begins(link.endsWith("a.bam") ? "<html>" : "BAM") }),
        ...[linked("a.bam"), linked("b.bam")]
      )
      assert.deepStrictEqual(sizes, [null, 3098])
    })
  )

  it.effect("no more than four links are asked at a time", () =>
    Effect.gen(function* () {
      const links = Array.from({ length: 9 }, (_, i) => linked(`${i}.bam`))
      const { mostOpen, seen } = yield* probing((_, good) => good, ...links)
      assert.strictEqual(seen.length, 9)
      assert.isAtMost(mostOpen, 4)
    })
  )
})
