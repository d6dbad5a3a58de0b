import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Schema, Semaphore } from "effect"
import { ServiceClient } from "../client/ServiceClient.ts"
import { AnalysisFiles, RestoreAnswer } from "../contract/Files.ts"
import { AnalysisId } from "../contract/Ids.ts"
import { LocalIo, LoginRefused, RequestRejected, type ServiceError, TrackingUnusable, Unavailable } from "../Errors.ts"
import { Operator } from "../settings/Operator.ts"
import { type Candidate, type RestoreRequest, restore } from "./Requests.ts"
import { empty, type TrackingDocument, TrackingFile } from "./TrackingFile.ts"

const target = "https://lab.example.org/"
const options = {
  destination: ".",
  overwrite: false,
  range: null,
  bed: null,
  restorationFile: "t.json",
  filetypes: ["bam"]
}
const candidate = (analysisId: string, more: Partial<Candidate> = {}): Candidate => ({
  analysisId: AnalysisId.make(analysisId),
  fileName: `${analysisId}.bam`,
  size: 1024,
  estimatedRestoreTime: null,
  options,
  ...more
})
const request = (more: Partial<RestoreRequest> = {}): RestoreRequest => ({
  mode: "force",
  maxRestores: null,
  target,
  nameOf: (stored) => stored ?? target,
  ...more
})

interface World {
  readonly answer?: (id: string) => Effect.Effect<string | null, ServiceError>
  /** The analysis that the answer to a request for one is about. */
  readonly answered?: (id: string) => string | null
  readonly listed?: (id: string) => object
  readonly change?: () => Effect.Effect<void, LocalIo>
  readonly read?: Effect.Effect<never, TrackingUnusable>
  readonly confirm?: (question: string) => boolean
}

const world = ({ answer, answered = (id) => id, change, confirm, listed, read }: World = {}) => {
  const events: Array<string> = []
  let document: TrackingDocument = empty
  const turn = Semaphore.makeUnsafe(1)
  const layer = Layer.mergeAll(
    Layer.mock(ServiceClient, {
      requestRestore: ([id = ""]) =>
        Effect.suspend(() => {
          events.push(`ask ${id}`)
          return Effect.map(answer?.(id) ?? Effect.succeed("2026-11-22T00:00:00Z"), (restoreEstimation) => [
            Schema.decodeUnknownSync(RestoreAnswer)({ analysisId: answered(id), restoreEstimation })
          ])
        }),
      getFileDownloadLinks: (id) =>
        Effect.sync(() => {
          events.push(`look ${id}`)
          const file = { fileName: `${id}.bam`, currentlyArchived: true, ...listed?.(id) }
          return Schema.decodeUnknownSync(AnalysisFiles)({ id, apiFileLinks: [file] })
        })
    }),
    Layer.succeed(TrackingFile, {
      path: "t.json",
      read: read ?? Effect.sync(() => document),
      ensure: Effect.void,
      inTurn: turn.withPermits(1),
      change: (edit) =>
        Effect.andThen(
          change?.() ?? Effect.void,
          Effect.sync(() => {
            document = edit(document)
            events.push(`file ${document.items.map(({ entry }) => `${entry?.analysisId} ${entry?.status}`).join(", ")}`)
            return document
          })
        )
    }),
    Layer.succeed(
      Operator,
      confirm === undefined
        ? Operator.absent
        : Operator.of({
            ...Operator.absent,
            present: true,
            confirm: (question) => {
              events.push(question)
              return Effect.succeed(confirm(question))
            }
          })
    )
  )
  return {
    events,
    document: () => document,
    restore: (...args: Parameters<typeof restore>) => Effect.provide(restore(...args), layer)
  }
}

const rejected = new RequestRejected({
  request: "requestRestore",
  status: 200,
  errorMessageId: "NO",
  errorId: null,
  additionalInformation: null
})

describe("restore", () => {
  it.effect("L11 the estimate of another analysis is not taken for that of the one asked for", () =>
    Effect.gen(function* () {
      const estimates = Effect.fnUntraced(function* (answered: (id: string) => string | null) {
        const results = yield* world({ answered }).restore([candidate("A1")], request())
        return results.map((result) => (result._tag === "Pending" ? result.estimate : result._tag))
      })
      assert.deepStrictEqual(yield* estimates(() => "A9"), [null])
      assert.deepStrictEqual(yield* estimates(() => null), ["2026-11-22T00:00:00Z"])
    })
  )

  it.effect("T19 writes down before it asks, and the estimate before it tells", () =>
    Effect.gen(function* () {
      const { events, restore } = world()
      const results = yield* restore([candidate("A1"), candidate("A2")], request())
      assert.deepStrictEqual(events, [
        "file A1 requesting",
        "ask A1",
        "file A1 pending",
        "file A1 pending, A2 requesting",
        "ask A2",
        "file A1 pending, A2 pending"
      ])
      assert.deepStrictEqual(results[0], {
        _tag: "Pending",
        requestedAt: "1970-01-01T00:00:00.000Z",
        estimate: "2026-11-22T00:00:00Z"
      })
    })
  )

  /** Two runs of one restoration file: the second has read it when the first is still being answered, and then `end` happens. */
  const two = Effect.fnUntraced(function* (
    second: Candidate,
    end: (first: Fiber.Fiber<unknown>, answer: Deferred.Deferred<string>) => Effect.Effect<unknown>
  ) {
    const answer = yield* Deferred.make<string>()
    const { document, events, restore } = world({ answer: () => Deferred.await(answer) })
    const first = yield* Effect.forkChild(restore([candidate("A1")], request()), { startImmediately: true })
    const other = yield* Effect.forkChild(restore([second], request()), { startImmediately: true })
    yield* end(first, answer)
    yield* Deferred.succeed(answer, "2026-11-23T00:00:00Z")
    const [result] = yield* Fiber.join(other)
    const entries = document().items.map(({ entry }) => `${entry?.status} ${entry?.restoreEstimation}`)
    return { asked: events.filter((event) => event === "ask A1").length, entries, result }
  })
  const elsewhere = candidate("A1", { options: { ...options, destination: "elsewhere" } })

  it.effect("T19 of two runs at once one asks, and the other waits for the answer, also for another folder", () =>
    Effect.gen(function* () {
      const estimate = "2026-11-22T00:00:00Z"
      for (const second of [candidate("A1"), elsewhere]) {
        const { asked, entries, result } = yield* two(second, (_, answer) => Deferred.succeed(answer, estimate))
        assert.strictEqual(asked, 1)
        assert.deepStrictEqual(result, { _tag: "Pending", requestedAt: "1970-01-01T00:00:00.000Z", estimate })
        assert.deepStrictEqual(
          entries,
          Array.from({ length: second === elsewhere ? 2 : 1 }, () => `pending ${estimate}`)
        )
      }
    })
  )

  it.effect("T19 a run that ends without an answer is waited for no longer: the other one asks", () =>
    Effect.gen(function* () {
      const { asked, entries } = yield* two(candidate("A1"), (first) => Fiber.interrupt(first))
      assert.strictEqual(asked, 2)
      assert.deepStrictEqual(entries, ["pending 2026-11-23T00:00:00Z"])
    })
  )

  it.effect("one request restores all files of an analysis", () =>
    Effect.gen(function* () {
      const { document, events, restore } = world()
      yield* restore([candidate("A1"), candidate("A1", { fileName: "A1.bam.bai" })], request())
      assert.deepStrictEqual(
        events.filter((event) => event.startsWith("ask")),
        ["ask A1"]
      )
      assert.strictEqual(document().items.length, 2)
    })
  )

  it.effect("T20 nothing is asked of the service when it cannot be written down", () =>
    Effect.gen(function* () {
      const full = world({ change: () => new LocalIo({ path: "t.json", operation: "write", errno: "ENOSPC" }) })
      const [result] = yield* full.restore([candidate("A1")], request())
      assert.strictEqual(result?._tag === "Failed" ? result.error._tag : null, "SvcLocalIo")
      assert.deepStrictEqual(full.events, [])
      const corrupt = world({ read: Effect.fail(new TrackingUnusable({ path: "t.json", reason: "torn" })) })
      const [refused] = yield* corrupt.restore([candidate("A1")], request())
      assert.strictEqual(refused?._tag, "Failed")
      // A run that restores nothing does not need the file, so a damaged one does not stop it.
      const [left] = yield* corrupt.restore([candidate("A1")], request({ mode: "no" }))
      assert.strictEqual(left?._tag, "Left")
      assert.deepStrictEqual(corrupt.events, [])
    })
  )

  it.effect("S6 after a lost answer it looks, and believes the service", () =>
    Effect.gen(function* () {
      const gone = () => new Unavailable({ host: "lab", reason: "reset", attempts: 1 })
      const accepted = world({ answer: gone, listed: () => ({ estimatedRestoreTime: "soon" }) })
      assert.deepStrictEqual(yield* accepted.restore([candidate("A1")], request()), [
        { _tag: "Pending", requestedAt: "1970-01-01T00:00:00.000Z", estimate: "soon" }
      ])
      assert.deepStrictEqual(accepted.events, ["file A1 requesting", "ask A1", "look A1", "file A1 pending"])
      const restored = world({ answer: gone, listed: () => ({ currentlyArchived: false }) })
      assert.deepStrictEqual(yield* restored.restore([candidate("A1")], request()), [
        { _tag: "Pending", requestedAt: "1970-01-01T00:00:00.000Z", estimate: null }
      ])
      const unknown = world({ answer: gone })
      assert.strictEqual((yield* unknown.restore([candidate("A1")], request()))[0]?._tag, "Failed")
      assert.deepStrictEqual(
        unknown.document().items.map(({ entry }) => entry?.status),
        ["requesting"]
      )
    })
  )

  it.effect("a clear no is forgotten; a login that is refused ends the asking", () =>
    Effect.gen(function* () {
      const no = world({ answer: () => Effect.fail(rejected) })
      assert.strictEqual((yield* no.restore([candidate("A1")], request()))[0]?._tag, "Failed")
      assert.deepStrictEqual(no.document().items, [])
      const refused = world({ answer: () => new LoginRefused({ user: "u", host: "lab" }) })
      const results = yield* refused.restore([candidate("A1"), candidate("A2")], request())
      assert.deepStrictEqual(
        results.map(({ _tag }) => _tag),
        ["Failed", "Failed"]
      )
      assert.deepStrictEqual(
        refused.events.filter((event) => event.startsWith("ask")),
        ["ask A1"]
      )
    })
  )

  it.effect("asks the person with the file name, its size and the analysis", () =>
    Effect.gen(function* () {
      const each = world({ confirm: (question) => question.startsWith("A2") })
      const files = [
        candidate("A1"),
        candidate("A2", { size: null }),
        candidate("A3", { estimatedRestoreTime: "soon" })
      ]
      const results = yield* each.restore(files, request({ mode: "ask" }))
      assert.deepStrictEqual(
        results.map(({ _tag }) => _tag),
        ["Left", "Pending", "Left"]
      )
      assert.deepStrictEqual(each.events.slice(0, 3), [
        "A1.bam (analysis A1, 1 KiB) is archived. Restore it? That takes hours and may cost money.",
        "A2.bam (analysis A2, of unknown size) is archived. Restore it? That takes hours and may cost money.",
        "A3.bam (analysis A3, 1 KiB) is archived and being restored already. Download it when it is back?"
      ])
      const once = world({ confirm: () => true })
      yield* once.restore(files, request({ mode: "all" }))
      assert.strictEqual(
        once.events[0],
        "Restore 3 archived files of 3 analyses, 2 KiB and 1 of unknown size? That takes hours and may cost money."
      )
      assert.deepStrictEqual(
        once.events.filter((event) => event.startsWith("ask")),
        ["ask A1", "ask A2"]
      )
    })
  )
})
