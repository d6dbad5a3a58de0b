import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer, Logger, Schema } from "effect"
import { TestClock } from "effect/testing"
import { documentOf, type MemoryFile, memoryFile } from "../../../test/tracking/MemoryFile.ts"
import { ServiceClient } from "../client/ServiceClient.ts"
import { AnalysisFiles, RestoreAnswer } from "../contract/Files.ts"
import { type ChangeError, LocalIo, LoginRefused, OutcomeUnknown, RequestRejected } from "../Errors.ts"
import { askAgain, decideToAskAgain } from "./AskAgain.ts"
import { knownIn } from "./Asking.ts"
import type { RestoreRequest } from "./Requests.ts"
import { entriesOf, render, TrackingFile, type Turn } from "./TrackingFile.ts"

const target = "https://lab/"
const begin = Date.parse("2026-11-21T12:00:00Z")
const time = (hours: number) => new Date(begin + hours * 3_600_000).toISOString()
const request: RestoreRequest = { mode: "ask", maxRestores: null, target, nameOf: (stored) => stored ?? target }

const entry = (analysisId: string, more: object = {}) => ({
  analysisId,
  fileName: `${analysisId}.bam`,
  restoreEstimation: time(-1),
  options: { destination: "out", filetypes: ["bam"], "x-more": 1 },
  requestTime: time(-30),
  status: "pending",
  "x-note": [1, 2],
  ...more
})

/** A restoration file and a service that answers `restoring`; looks as a resuming run does, all of its files being archived. */
const world = (
  entries: ReadonlyArray<object>,
  restoring: (analysisId: string) => Effect.Effect<string | null, ChangeError> = () => Effect.succeed(time(1)),
  stillOurs?: (look: number, file: MemoryFile) => Turn["stillOurs"]
) => {
  const events: Array<string> = []
  const file: MemoryFile = memoryFile({
    document: documentOf(entries),
    ...(stillOurs === undefined ? {} : { stillOurs: (look) => stillOurs(look, file) })
  })
  const services = Layer.merge(
    Layer.mock(ServiceClient, {
      requestRestore: (ids) =>
        Effect.suspend(() => {
          const id = String(ids[0])
          events.push(`${id} while ${file.stored().items[0]?.entry?.status}`)
          return Effect.map(restoring(id), (restoreEstimation) => [
            Schema.decodeUnknownSync(RestoreAnswer)({ analysisId: id, restoreEstimation })
          ])
        }),
      getFileDownloadLinks: (id) => Effect.succeed(Schema.decodeUnknownSync(AnalysisFiles)({ id, apiFileLinks: [] }))
    }),
    Layer.succeed(TrackingFile, file.service)
  )
  const read = Effect.map(Clock.currentTimeMillis, (now) => {
    const known = [...entriesOf(file.stored(), target, request.nameOf).values()]
    return { known, due: known.filter((it) => decideToAskAgain(it, "ask", now)._tag === "Ask") }
  })
  const ask = (
    { due, known }: Effect.Success<typeof read>,
    asked = new Set<string>(),
    some: Partial<RestoreRequest> = {}
  ) =>
    askAgain(due, { ...request, ...some }, asked, knownIn(known)).pipe(
      Effect.map((results) => [...results.values()].map((it) => (it._tag === "Failed" ? it.error._tag : it._tag))),
      Effect.provide(services)
    )
  const look = (asked?: Set<string>, some?: Partial<RestoreRequest>) =>
    Effect.flatMap(read, (seen) => ask(seen, asked, some))
  return { events, read, ask, look, entries: (): ReadonlyArray<object> => JSON.parse(render(file.stored())) }
}

const refusal = new RequestRejected({
  request: "POST /x",
  status: 200,
  errorMessageId: "NO",
  errorId: null,
  additionalInformation: null
})

layer(Layer.empty)("asking again", (it) => {
  it.effect("L6 is remembered before the service is asked; the estimate is the new one, and all else stays", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(begin)
      const w = world([entry("A1")])
      assert.deepStrictEqual(yield* w.look(), ["Requested"])
      assert.deepStrictEqual(w.events, ["A1 while requesting"])
      assert.deepStrictEqual(w.entries(), [
        entry("A1", { restoreEstimation: time(1), requestTime: time(0), askedAgain: time(0) })
      ])
    })
  )

  it.effect("happens at most once in 24 hours for an entry, whatever the service answers", () =>
    Effect.gen(function* () {
      for (const estimate of [time(-5), null]) {
        yield* TestClock.setTime(begin)
        const w = world([entry("A1")], () => Effect.succeed(estimate))
        const asked: Array<number> = []
        for (let hour = 0; hour < 60; hour++) {
          if ((yield* w.look()).length > 0) asked.push(hour)
          yield* TestClock.adjust("1 hour")
        }
        assert.deepStrictEqual(asked, [0, 24, 48])
      }
    })
  )

  it.effect("that was refused keeps the entry as it was, with the time of asking", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(begin)
      const w = world([entry("A1")], () => Effect.fail(refusal))
      assert.deepStrictEqual(yield* w.look(), ["SvcRequestRejected"])
      assert.deepStrictEqual(w.entries(), [entry("A1", { askedAgain: time(0) })])
      assert.deepStrictEqual(yield* w.look(), [])
    })
  )

  it.effect("L6 is not repeated by a run that waited for its turn while another one asked without success", () =>
    Effect.gen(function* () {
      for (const error of [refusal, new OutcomeUnknown({ request: "requestRestore" })]) {
        yield* TestClock.setTime(begin)
        const w = world([entry("A1"), entry("A1", { fileName: "T.bam" })], () => Effect.fail(error))
        // Both have read the file before one of them asks.
        const seen = yield* w.read
        assert.deepStrictEqual(yield* w.look(), [error._tag, error._tag])
        const asked = new Set<string>()
        assert.deepStrictEqual(yield* w.ask(seen, asked), ["Asked", "Asked"])
        assert.strictEqual(w.events.length, 1)
        assert.deepStrictEqual([...asked], [], "what this run may still ask for")
      }
    })
  )

  it.effect("is not taken for that of another run when the turn is lost after it was written down", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(begin)
      const w = world([entry("A1")], undefined, (look) => Effect.succeed(look !== 1))
      assert.deepStrictEqual(yield* w.look(), ["Requested"])
      assert.deepStrictEqual(w.events, ["A1 while requesting"])
    })
  )

  it.effect("is not repeated when who took the turn saw that it took effect", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(begin)
      const underWay = entry("A1", { requestTime: time(0), restoreEstimation: time(1), askedAgain: time(0) })
      const w = world([entry("A1")], undefined, (look, file) =>
        Effect.sync(() => {
          if (look === 1) file.store(documentOf([underWay]))
          return look !== 1
        })
      )
      const asked = new Set<string>()
      const said: Array<string> = []
      const log = Logger.layer([Logger.make(({ message }) => void said.push(String(message)))])
      assert.deepStrictEqual(yield* Effect.provide(w.look(asked), log), ["Requested"])
      assert.deepStrictEqual([w.events, w.entries()], [[], [underWay]])
      assert.deepStrictEqual([...asked], [], "what this run may still ask for")
      assert.deepStrictEqual(said, [
        `Restoration of analysis A1 requested by another run meanwhile, expected at ${time(1)}`
      ])
    })
  )

  it.effect("is not made while nobody can tell whose turn it is, and is not counted as made then", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(begin)
      const unseen = new LocalIo({ path: "r.json", operation: "lock", errno: "EIO" })
      for (const failing of [0, 1]) {
        const w = world([entry("A1")], undefined, (look) =>
          look === failing ? Effect.fail(unseen) : Effect.succeed(true)
        )
        assert.deepStrictEqual(yield* w.look(), ["SvcLocalIo"])
        assert.deepStrictEqual(w.events, [])
        assert.deepInclude(w.entries()[0], { status: "pending", requestTime: time(-30) })
        assert.deepStrictEqual(yield* w.look(), ["Requested"])
      }
    })
  )

  it.effect("that did not reach the service does not count, and no other analysis is asked for", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(begin)
      const w = world([entry("A1"), entry("A2")], () => Effect.fail(new LoginRefused({ user: "u", host: "lab" })))
      assert.deepStrictEqual(yield* w.look(), ["SvcLoginRefused", "SvcLoginRefused"])
      assert.strictEqual(w.events.length, 1)
      assert.deepStrictEqual(yield* w.look(), ["SvcLoginRefused", "SvcLoginRefused"])
      assert.deepInclude(w.entries()[0], { status: "pending", requestTime: time(-30), askedAgain: null })
    })
  )

  it.effect("is one request for the entries of an analysis, and maxRestores bounds the analyses of a run", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(begin)
      const w = world([entry("A1"), entry("A1", { fileName: "T.bam" }), entry("A2"), entry("A3")])
      const asked = new Set<string>()
      assert.deepStrictEqual(yield* w.look(asked, { maxRestores: 2 }), ["Leave", "Requested", "Requested", "Requested"])
      assert.deepStrictEqual(yield* w.look(asked, { maxRestores: 2 }), ["Leave"])
      assert.strictEqual(w.events.length, 2)
    })
  )

  it.effect("a time in the future was written under a wrong clock, and `no` forbids asking", () =>
    Effect.sync(() => {
      const said = (askedAgain: string | null, mode: RestoreRequest["mode"] = "force") =>
        decideToAskAgain({ askedAgain }, mode, begin)._tag
      assert.deepStrictEqual(
        [said(null), said("soon"), said(time(1)), said(time(-1)), said(time(-24)), said(null, "no")],
        ["Ask", "Ask", "Ask", "Asked", "Ask", "Leave"]
      )
    })
  )
})
