import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Schema } from "effect"
import { TestClock } from "effect/testing"
import { ServiceClient } from "../client/ServiceClient.ts"
import { AnalysisFiles } from "../contract/Files.ts"
import { AnalysisId } from "../contract/Ids.ts"
import { NotFound, type ServiceError } from "../Errors.ts"
import { wantedFiles } from "../selection/WantedFiles.ts"
import { entryOf } from "./Catalog.ts"
import type { PlannedFile } from "./DownloadPlan.ts"
import { type RunLinks, runLinks } from "./RunLinks.ts"

const link = (name: string) => `https://files/${name}?sig=1`

const answer = (id: string, files: ReadonlyArray<object>) =>
  entryOf(
    { analysisId: AnalysisId.make(id), named: true },
    Schema.decodeUnknownSync(AnalysisFiles)({ id, apiFileLinks: files }),
    0
  )

/** A service that is asked for links, and remembers it; `number` counts its answers. */
const service = (files: (number: number) => Effect.Effect<ReadonlyArray<object>, ServiceError>) => {
  const asked: Array<string> = []
  const layer = Layer.mock(ServiceClient, {
    getFileDownloadLinks: (id) =>
      Effect.suspend(() => files(asked.push(id))).pipe(
        Effect.tap(Effect.yieldNow),
        Effect.map((apiFileLinks) => Schema.decodeUnknownSync(AnalysisFiles)({ id, apiFileLinks }))
      )
  })
  return { asked, layer }
}

const names = ["a.bam", "b.bam", "c.bam"]
/** Three files, whose size is the number of the answer that lists them. */
const three = (number: number) =>
  names.map((fileName) => ({ fileName, downloadLink: `${link(fileName)}&nth=${number}`, size: number }))

const numberOf = (links: RunLinks, fileName: string) =>
  Effect.map(links.lend({ analysisId: AnalysisId.make("A"), fileName }), ({ size }) => size)

describe("the links of a run", () => {
  /** Runs with links of which the first answer is there already. */
  const going = <A, E>(use: (links: RunLinks, asked: ReadonlyArray<string>) => Effect.Effect<A, E>) => {
    const { asked, layer } = service((number) => Effect.succeed(three(number + 1)))
    return Effect.gen(function* () {
      return yield* use(yield* runLinks([answer("A", three(1))]), asked)
    }).pipe(Effect.provide(layer))
  }

  it.effect("a young link is used, an old one is asked for again just before its file starts", () =>
    going((links, asked) =>
      Effect.gen(function* () {
        assert.strictEqual(yield* numberOf(links, "a.bam"), 1)
        yield* TestClock.adjust("9 minutes")
        assert.strictEqual(yield* numberOf(links, "b.bam"), 1)
        yield* TestClock.adjust("1 minute")
        assert.strictEqual(yield* numberOf(links, "c.bam"), 2)
        assert.strictEqual(yield* numberOf(links, "a.bam"), 2)
        assert.strictEqual(asked.length, 1)
      })
    )
  )

  it.effect("a link is given out once and not kept: a file that starts again gets a new one", () =>
    going((links, asked) =>
      Effect.gen(function* () {
        for (const expected of [1, 2, 3]) assert.strictEqual(yield* numberOf(links, "a.bam"), expected)
        assert.strictEqual(asked.length, 2)
        assert.strictEqual(yield* numberOf(links, "b.bam"), 3)
      })
    )
  )

  it.effect("two files that start at the same time with the same index each get a link of it", () =>
    going((links, asked) =>
      Effect.gen(function* () {
        yield* TestClock.adjust("1 hour")
        const both = yield* Effect.all([numberOf(links, "a.bam"), numberOf(links, "a.bam")], { concurrency: 2 })
        assert.deepStrictEqual(both, [2, 3])
        assert.strictEqual(asked.length, 2)
      })
    )
  )

  it.effect("only the links of files that will be fetched are kept, and of the indexes that their slices need", () => {
    const listed = ["a.bam", "a.csi", "A.BAM", "notes.txt"].map((fileName) => ({
      fileName,
      downloadLink: link(fileName)
    }))
    const { asked, layer } = service(() => Effect.succeed(listed))
    return Effect.gen(function* () {
      const answers = [answer("A", listed), answer("B", listed)]
      const choice = { filetypes: ["bam"], layout: "flat", slice: { wanted: [], unmapped: true } } as const
      const fetched = wantedFiles(
        answers.slice(0, 1).map(({ listed }) => listed),
        choice
      ).map((file): PlannedFile => ({ ...file, decision: { _tag: "Fetch" } }))
      // One index serves both files.
      assert.deepStrictEqual(
        fetched.map(({ slice }) => slice?.indexFile),
        ["a.csi", "a.csi"]
      )
      const links = yield* runLinks(answers, fetched)
      for (const fileName of ["a.bam", "a.csi"]) {
        assert.strictEqual(
          Redacted.value((yield* links.lend({ analysisId: AnalysisId.make("A"), fileName })).link),
          link(fileName)
        )
      }
      assert.deepStrictEqual(asked, [])
      for (const [analysisId, fileName] of [
        ["B", "a.bam"],
        ["A", "a.csi"]
      ] as const) {
        yield* links.lend({ analysisId, fileName })
      }
      assert.deepStrictEqual(asked, ["B", "A"])
    }).pipe(Effect.provide(layer))
  })

  it.effect("L2 files of an analysis that start, or were refused, at the same time ask once", () =>
    going((links, asked) =>
      Effect.gen(function* () {
        yield* TestClock.adjust("1 hour")
        const lent = yield* Effect.forEach(
          names,
          (fileName) => links.lend({ analysisId: AnalysisId.make("A"), fileName }),
          {
            concurrency: "unbounded"
          }
        )
        assert.strictEqual(asked.length, 1)
        const renewals = lent.map(({ renewLink }) => renewLink)
        const fresh = yield* Effect.all(renewals, { concurrency: "unbounded" })
        assert.deepStrictEqual(
          fresh.map(({ size }) => size),
          [3, 3, 3]
        )
        assert.strictEqual(asked.length, 2)
        // What the others got is no newer link for a file that had it already.
        assert.strictEqual((yield* renewals[0] ?? Effect.die("none")).size, 4)
      })
    )
  )

  it.effect("L6 a new list without the file, with two of it, or with it archived is an error of its own", () => {
    const lists: ReadonlyArray<ReadonlyArray<object>> = [
      [{ fileName: "b.bam", downloadLink: link("b") }],
      [
        { fileName: "a.bam", downloadLink: link("a") },
        { fileName: "a.bam", downloadLink: link("a2") }
      ],
      [{ fileName: "a.bam", downloadLink: null, currentlyArchived: true, estimatedRestoreTime: "soon" }],
      [{ fileName: "a.bam" }]
    ]
    const { layer } = service((number) => Effect.succeed(lists[number - 1] ?? three(number)))
    return Effect.gen(function* () {
      const links = yield* runLinks([answer("A", three(1))])
      const { renewLink: renewed } = yield* links.lend({ analysisId: AnalysisId.make("A"), fileName: "a.bam" })
      const messages: Array<string> = []
      for (let i = 0; i < 4; i++) {
        messages.push((yield* Effect.flip(renewed)).message)
        yield* TestClock.adjust("30 seconds")
      }
      assert.deepStrictEqual(messages, [
        "download link of a.bam (analysis A): not found (the service does not list the file any more)",
        "download link of a.bam (analysis A): unreadable reply: two files of this name are listed",
        "a.bam (analysis A): in the archive, and its restoration is expected at soon; run again then",
        "download link of a.bam (analysis A): not found"
      ])
      assert.strictEqual((yield* renewed).size, 5)
    }).pipe(Effect.provide(layer))
  })

  it.effect("an analysis that the service does not know any more is asked for once a minute", () => {
    const { asked, layer } = service(() => Effect.fail(new NotFound({ what: "analysis A" })))
    return Effect.gen(function* () {
      const links = yield* runLinks([])
      for (let i = 0; i < 3; i++) assert.strictEqual((yield* Effect.flip(numberOf(links, "a.bam")))._tag, "SvcNotFound")
      assert.strictEqual(asked.length, 1)
      yield* TestClock.adjust("1 minute")
      yield* Effect.flip(numberOf(links, "a.bam"))
      assert.strictEqual(asked.length, 2)
    }).pipe(Effect.provide(layer))
  })
})
