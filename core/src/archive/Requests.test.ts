import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { documentOf, memoryFile } from "../../../test/tracking/MemoryFile.ts"
import { ServiceClient } from "../client/ServiceClient.ts"
import { AnalysisFiles, RestoreAnswer } from "../contract/Files.ts"
import { AnalysisId } from "../contract/Ids.ts"
import {
  type ChangeError,
  OutcomeUnknown,
  RequestRejected,
  type ServiceError,
  TrackingUnusable,
  Unavailable
} from "../Errors.ts"
import { Operator } from "../settings/Operator.ts"
import {
  type Candidate,
  foreseeRestore,
  type RestoreForecast,
  type RestoreRequest,
  type RestoreResult,
  restore
} from "./Requests.ts"
import { empty, render, type TrackingDocument, TrackingFile } from "./TrackingFile.ts"

const target = "https://lab/"
const estimate = "2026-11-21T15:00:00Z"
const noon = Date.parse("2026-11-21T12:00:00Z")
const options = { destination: "out", overwrite: false, filetypes: ["bam"] }

const candidate = (analysisId: string, fileName: string, some: Partial<Candidate> = {}): Candidate => ({
  analysisId: AnalysisId.make(analysisId),
  fileName,
  size: 1024,
  estimatedRestoreTime: null,
  options,
  ...some
})

const asked = (some: Partial<RestoreRequest> = {}): RestoreRequest => ({
  mode: "force",
  maxRestores: null,
  target,
  nameOf: (stored) => stored ?? target,
  ...some
})

interface World {
  readonly restoring?: (analysisId: string) => Effect.Effect<ReadonlyArray<object>, ChangeError>
  /** What the listing of an analysis says when it is looked at after a failure. */
  readonly listing?: (analysisId: string) => Effect.Effect<ReadonlyArray<object>, ServiceError>
  /** What the person answers; null when nobody is there. */
  readonly answer?: ((question: string) => boolean) | null
  readonly document?: TrackingDocument
  /** Fails the change of this number, the first is 0. */
  readonly failingChange?: number
  readonly unreadable?: boolean
  /** At this look whether the turn is still the own one, the first is 0, another run has taken it, and its request is answered. */
  readonly taken?: number
}

const unusable = new TrackingUnusable({ path: "r.json", reason: "it is not JSON" })
const entriesIn = (document: TrackingDocument) =>
  document.items.map(({ entry, problem }) =>
    entry === null ? problem : `${entry.analysisId} ${entry.fileName} ${entry.status} ${entry.restoreEstimation}`
  )

/** A service, a restoration file and a person, with everything that happens to them in its order. */
const world = ({
  answer = null,
  document = empty,
  failingChange,
  listing,
  restoring,
  taken,
  unreadable = false
}: World) => {
  const events: Array<string> = []
  let changes = 0
  const file = memoryFile({
    document,
    changing: Effect.suspend(() => (changes++ === failingChange ? Effect.fail(unusable) : Effect.void)),
    changed: (after) => void events.push(`file ${entriesIn(after).join(", ")}`.trimEnd()),
    stillOurs: (look) =>
      Effect.sync(() => {
        if (look !== taken) return true
        const other = { status: "pending", restoreEstimation: estimate, requestTime: "2026-11-21T12:00:01Z" }
        file.store(remembered(["S.bam"], other))
        return false
      })
  })
  const client = Layer.mock(ServiceClient, {
    requestRestore: (ids) =>
      Effect.suspend(() => {
        events.push(`restore ${ids.join()}`)
        const items = restoring?.(ids.join()) ?? Effect.succeed([{ analysisId: ids[0], restoreEstimation: estimate }])
        return Effect.map(items, (found) => found.map((item) => Schema.decodeUnknownSync(RestoreAnswer)(item)))
      }),
    getFileDownloadLinks: (id) =>
      Effect.suspend(() => {
        events.push(`list ${id}`)
        const files = listing?.(id) ?? Effect.succeed([])
        return Effect.map(files, (apiFileLinks) => Schema.decodeUnknownSync(AnalysisFiles)({ id, apiFileLinks }))
      })
  })
  const tracking = Layer.succeed(TrackingFile, {
    ...file.service,
    read: unreadable ? Effect.fail(unusable) : file.service.read
  })
  const operator = Layer.succeed(Operator, {
    ...Operator.absent,
    present: answer !== null,
    confirm: (question) =>
      Effect.sync(() => {
        events.push(question)
        return answer?.(question) ?? false
      })
  })
  return { events, stored: file.stored, layer: Layer.mergeAll(client, tracking, operator) }
}

const shown = (results: ReadonlyArray<RestoreResult>) =>
  results.map((it) =>
    it._tag === "Pending" ? `Pending ${it.estimate}` : it._tag === "Left" ? `Left: ${it.reason}` : it.error._tag
  )

const going = (candidates: ReadonlyArray<Candidate>, request: RestoreRequest, place: World = {}) => {
  const { events, layer, stored } = world(place)
  return Effect.gen(function* () {
    yield* TestClock.setTime(noon)
    const results = yield* restore(candidates, request)
    return { results: shown(results), events, stored: stored() }
  }).pipe(Effect.provide(layer))
}

/** A restoration file with one entry for each of `files`, as an earlier run left it. */
const remembered = (files: ReadonlyArray<string>, state: object) =>
  documentOf(files.map((fileName) => ({ analysisId: AnalysisId.make("A1"), fileName, options, target, ...state })))

/** What a forecast says will come of a candidate, with this answer to each question. */
const comesTo = (forecast: RestoreForecast, yes: boolean): RestoreResult["_tag"] => {
  if ("error" in forecast) return "Failed"
  const { _tag } = forecast.decision
  return _tag === "Leave" || (_tag === "Ask" && !yes) ? "Left" : "Pending"
}

describe("a forecast", () => {
  const known = remembered(["K.bam"], { requestTime: "2026-11-21T11:00:00Z", restoreEstimation: estimate })
  const candidates = [
    candidate("A1", "K.bam"),
    candidate("A2", "T.bam", { estimatedRestoreTime: estimate }),
    candidate("A3", "S.bam"),
    candidate("A4", "U.bam")
  ]
  for (const mode of ["force", "all", "ask", "no"] as const) {
    for (const answer of [null, "yes", "no"] as const) {
      it.effect(`of mode ${mode} is what comes of it, ${answer === null ? "without a terminal" : `at ${answer}`}`, () =>
        Effect.gen(function* () {
          for (const unreadable of [false, true]) {
            const confirm = answer === null ? null : () => answer === "yes"
            const { events, layer } = world({ document: known, unreadable, answer: confirm })
            // Whom a limit leaves over after questions depends on the answers.
            const request = asked({ mode, maxRestores: mode === "force" ? 1 : null })
            const { forecasts, results } = yield* Effect.gen(function* () {
              yield* TestClock.setTime(noon)
              const forecasts = yield* foreseeRestore(candidates, request)
              assert.deepStrictEqual(events, [])
              return { forecasts, results: yield* restore(candidates, request) }
            }).pipe(Effect.provide(layer))
            const count = (tag: string) =>
              forecasts.filter((forecast) => "decision" in forecast && forecast.decision._tag === tag).length
            assert.deepStrictEqual(
              forecasts.map((forecast) => comesTo(forecast, answer === "yes")),
              results.map(({ _tag }) => _tag)
            )
            const questions = events.filter((event) => event.includes("?")).length
            assert.strictEqual(questions, mode === "all" ? Math.min(1, count("Ask")) : count("Ask"))
            const requests = events.filter((event) => event.startsWith("restore ")).length
            // At a yes the file that is on its way already is only remembered.
            assert.strictEqual(requests, count("Request") + (answer === "yes" && count("Ask") > 0 ? 2 : 0))
          }
        })
      )
    }
  }

  it.effect("says what is known of a restoration, with the reason of the decision", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      const [first, second] = yield* foreseeRestore(candidates, asked({ mode: "ask" }))
      assert.deepStrictEqual(first, {
        decision: { _tag: "Wait", reason: "it was requested before" },
        restoration: { requestedAt: "2026-11-21T11:00:00Z", estimate }
      })
      assert.deepStrictEqual(second, {
        decision: { _tag: "Ask", reason: "the run asks for this file" },
        restoration: { requestedAt: null, estimate }
      })
    }).pipe(Effect.provide(world({ document: known, answer: () => false }).layer))
  )
})

describe("answers and limits", () => {
  it.effect("an answer without this analysis, or without an estimate, still counts as a yes", () =>
    Effect.gen(function* () {
      const answered = (items: ReadonlyArray<object>) =>
        Effect.map(
          going([candidate("A1", "S.bam")], asked(), { restoring: () => Effect.succeed(items) }),
          ({ results, stored }) => [...results, ...entriesIn(stored)]
        )
      const unknown = ["Pending null", "A1 S.bam pending null"]
      assert.deepStrictEqual(yield* answered([]), unknown)
      assert.deepStrictEqual(yield* answered([{ analysisId: AnalysisId.make("A1") }]), unknown)
      const known = [`Pending ${estimate}`, `A1 S.bam pending ${estimate}`]
      assert.deepStrictEqual(yield* answered([{ restoreEstimation: estimate }]), known)
      // L11: the estimate of another analysis is none of this one.
      const other = { analysisId: AnalysisId.make("A0"), restoreEstimation: "2027-01-01T00:00:00Z" }
      assert.deepStrictEqual(yield* answered([other]), unknown)
      assert.deepStrictEqual(
        yield* answered([other, { analysisId: AnalysisId.make("A1"), restoreEstimation: estimate }]),
        known
      )
    })
  )

  it.effect("what is being restored already is only remembered, with the service's estimate", () =>
    Effect.gen(function* () {
      const files = [candidate("A1", "S.bam", { estimatedRestoreTime: estimate })]
      const { events, results } = yield* going(files, asked())
      assert.deepStrictEqual(results, [`Pending ${estimate}`])
      assert.deepStrictEqual(events, [`file A1 S.bam pending ${estimate}`])
    })
  )

  it.effect(
    "one request restores all files of an analysis, so --maxRestores counts analyses; the rest is left with that reason",
    () =>
      Effect.gen(function* () {
        const files = [candidate("A1", "S.bam"), candidate("A1", "T.bam"), candidate("A2", "U.bam")]
        const { events, results } = yield* going(files, asked({ maxRestores: 1 }))
        assert.deepStrictEqual(results, [
          `Pending ${estimate}`,
          `Pending ${estimate}`,
          "Left: no more than 1 restoration may be asked for"
        ])
        assert.deepStrictEqual(
          events.filter((event) => event.startsWith("restore")),
          ["restore A1"]
        )
      })
  )
})

describe("the order of what is done", () => {
  it.effect("T19 writes down before it asks, and the estimate before it tells", () =>
    Effect.gen(function* () {
      const { events, results } = yield* going([candidate("A1", "S.bam"), candidate("A2", "T.bam")], asked())
      const done = `A1 S.bam pending ${estimate}`
      assert.deepStrictEqual(events, [
        "file A1 S.bam requesting null",
        "restore A1",
        `file ${done}`,
        `file ${done}, A2 T.bam requesting null`,
        "restore A2",
        `file ${done}, A2 T.bam pending ${estimate}`
      ])
      assert.deepStrictEqual(results, [`Pending ${estimate}`, `Pending ${estimate}`])
    })
  )

  it.effect("T20 nothing is asked of the service when it cannot be written down", () =>
    Effect.gen(function* () {
      const one = [candidate("A1", "S.bam")]
      for (const place of [{ failingChange: 0 }, { unreadable: true }]) {
        const { events, results } = yield* going(one, asked(), place)
        assert.deepStrictEqual([results, events], [["SvcTrackingUnusable"], []])
      }
      // A run that restores nothing does not need the file, so a damaged one does not stop it.
      const left = yield* going(one, asked({ mode: "no" }), { unreadable: true })
      assert.deepStrictEqual([left.results, left.events], [["Left: the restore mode is no"], []])
    })
  )

  /** Two runs of one restoration file: the second has read it when the first is still being answered, and then `end` happens. */
  const two = Effect.fnUntraced(function* (
    second: Candidate,
    end: (first: Fiber.Fiber<unknown>, answer: Deferred.Deferred<void>) => Effect.Effect<unknown>,
    place: World = {}
  ) {
    const answer = yield* Deferred.make<void>()
    const restoring = (analysisId: string) =>
      Effect.as(Deferred.await(answer), [{ analysisId, restoreEstimation: estimate }])
    const { events, layer, stored } = world({ ...place, restoring })
    const begin = (file: Candidate) =>
      Effect.forkChild(Effect.provide(restore([file], asked()), layer), { startImmediately: true })
    yield* TestClock.setTime(noon)
    const [first, other] = [yield* begin(candidate("A1", "S.bam")), yield* begin(second)]
    yield* end(first, answer)
    yield* Deferred.succeed(answer, undefined)
    const results = shown(yield* Fiber.join(other))
    return { asked: events.filter((event) => event === "restore A1").length, entries: entriesIn(stored()), results }
  })
  const pending = `A1 S.bam pending ${estimate}`

  it.effect("T19 of two runs at once one asks, and the other waits for the answer, also for another folder", () =>
    Effect.gen(function* () {
      const elsewhere = candidate("A1", "S.bam", { options: { ...options, destination: "elsewhere" } })
      for (const [second, entries] of [
        [candidate("A1", "S.bam"), [pending]],
        [elsewhere, [pending, pending]]
      ] as const) {
        const ended = yield* two(second, (_, answer) => Deferred.succeed(answer, undefined))
        assert.deepStrictEqual(ended, { asked: 1, entries: [...entries], results: [`Pending ${estimate}`] })
      }
    })
  )

  it.effect("T19 a run that ends without an answer is waited for no longer: the other one asks", () =>
    Effect.gen(function* () {
      const ended = yield* two(candidate("A1", "S.bam"), (first) => Fiber.interrupt(first))
      assert.deepStrictEqual(ended, { asked: 2, entries: [pending], results: [`Pending ${estimate}`] })
    })
  )

  it.effect("T19 when its request took effect before, the other one does not ask", () =>
    Effect.gen(function* () {
      const begun = { fileName: "S.bam", currentlyArchived: true, estimatedRestoreTime: estimate }
      const ended = yield* two(candidate("A1", "S.bam"), (first) => Fiber.interrupt(first), {
        listing: () => Effect.succeed([begun])
      })
      assert.deepStrictEqual(ended, { asked: 1, entries: [pending], results: [`Pending ${estimate}`] })
    })
  )

  it.effect("T19 a request without an answer is made again only when the listing tells that it had no effect", () =>
    Effect.gen(function* () {
      const document = remembered(["S.bam"], { status: "requesting", requestTime: "2026-11-21T11:00:00Z" })
      const away = new Unavailable({ host: "lab", reason: "closed", attempts: 3 })
      const blind = yield* going([candidate("A1", "S.bam")], asked(), { document, listing: () => Effect.fail(away) })
      assert.deepStrictEqual([blind.results, blind.events], [["SvcUnavailable"], ["list A1"]])
      const begun = { fileName: "S.bam", currentlyArchived: true, estimatedRestoreTime: estimate }
      const seen = yield* going([candidate("A1", "S.bam")], asked(), {
        document,
        listing: () => Effect.succeed([begun])
      })
      assert.deepStrictEqual([seen.results, entriesIn(seen.stored)], [[`Pending ${estimate}`], [pending]])
      assert.strictEqual(seen.stored.items[0]?.entry?.requestTime, "2026-11-21T11:00:00Z")
    })
  )

  it.effect("P5 T19 a run that was suspended and lost its turn does not ask, and sees what the other one did", () =>
    Effect.gen(function* () {
      for (const taken of [0, 1]) {
        const { events, results, stored } = yield* going([candidate("A1", "S.bam")], asked(), { taken })
        assert.deepStrictEqual([results, entriesIn(stored)], [[`Pending ${estimate}`], [pending]], `${taken}`)
        assert.notInclude(events, "restore A1")
      }
    })
  )
})

describe("requests made before", () => {
  it.effect("T19 are waited for and not made again while they may be under way", () =>
    Effect.gen(function* () {
      const document = remembered(["S.bam"], { status: "pending", restoreEstimation: estimate })
      const { events, results } = yield* going([candidate("A1", "S.bam")], asked(), { document })
      assert.deepStrictEqual([results, events], [[`Pending ${estimate}`], []])
      const confirmed = candidate("A1", "S.bam", { estimatedRestoreTime: "2026-11-21T18:00:00Z" })
      const late = remembered(["S.bam"], { status: "pending", restoreEstimation: "2026-11-20T00:00:00Z" })
      assert.deepStrictEqual((yield* going([confirmed], asked(), { document: late })).results, [
        "Pending 2026-11-21T18:00:00Z"
      ])
    })
  )

  it.effect("are made again when they are over, were never answered, or were for other options", () =>
    Effect.gen(function* () {
      const states = [
        { status: "pending", restoreEstimation: "2026-11-21T11:00:00Z" },
        { status: "requesting" },
        { status: "pending", restoreEstimation: estimate, options: { ...options, range: "chr1" } }
      ]
      for (const state of states) {
        const document = remembered(["S.bam"], state)
        const { events } = yield* going([candidate("A1", "S.bam")], asked(), { document })
        assert.include(events, "restore A1", JSON.stringify(state))
      }
    })
  )
})

describe("questions", () => {
  const files = [
    candidate("A1", "S.bam"),
    candidate("A1", "T.bam", { size: null }),
    candidate("A2", "U.bam", { estimatedRestoreTime: estimate })
  ]

  it.effect("ask: one for each, with the file name, its size and the analysis", () =>
    Effect.gen(function* () {
      const { events, results } = yield* going(files, asked({ mode: "ask" }), {
        answer: (question) => question.startsWith("T")
      })
      assert.deepStrictEqual(
        results.map((it) => it.split(/[ :]/)[0]),
        ["Left", "Pending", "Left"]
      )
      assert.deepStrictEqual(events.slice(0, 3), [
        "S.bam (analysis A1, 1 KiB) is archived. Restore it? That takes hours and may cost money.",
        "T.bam (analysis A1, of unknown size) is archived. Restore it? That takes hours and may cost money.",
        "U.bam (analysis A2, 1 KiB) is archived and being restored already. Download it when it is back?"
      ])
    })
  )

  it.effect("all: one for all files, with the sum of what is known", () =>
    Effect.gen(function* () {
      const question = Effect.fnUntraced(function* (some: ReadonlyArray<Candidate>) {
        const { events, results } = yield* going(some, asked({ mode: "all" }), { answer: () => false })
        assert.isTrue(results.every((it) => it.startsWith("Left: asked once")))
        assert.strictEqual(events.length, 1)
        return events[0]
      })
      const cost = "That takes hours and may cost money."
      assert.strictEqual(
        yield* question(files),
        `Restore 3 archived files of 2 analyses, 2 KiB and 1 of unknown size? ${cost}`
      )
      assert.strictEqual(yield* question(files.slice(0, 1)), `Restore 1 archived file of 1 analysis, 1 KiB? ${cost}`)
      assert.strictEqual(
        yield* question(files.slice(1, 2)),
        `Restore 1 archived file of 1 analysis, of unknown size? ${cost}`
      )
      const agreed = yield* going(files, asked({ mode: "all" }), { answer: () => true })
      assert.deepStrictEqual(agreed.results, Array(3).fill(`Pending ${estimate}`))
    })
  )

  it.effect(
    "L15 what is left is a failure where all is required, and is foreseen as one; what is pending is none",
    () =>
      Effect.gen(function* () {
        const request = asked({ mode: "ask", requireAll: true })
        const document = remembered(["S.bam"], { status: "pending", restoreEstimation: estimate })
        const { events, results } = yield* going(files, request, { document })
        assert.deepStrictEqual(results, [`Pending ${estimate}`, "SvcFileArchived", "SvcFileArchived"])
        assert.deepStrictEqual(events, [])
        const forecast = foreseeRestore(files, request).pipe(Effect.provide(world({ document }).layer))
        assert.deepStrictEqual(
          (yield* Effect.andThen(TestClock.setTime(noon), forecast)).map((it) =>
            "error" in it ? it.error.message : it.decision._tag
          ),
          [
            "Wait",
            ...["T.bam (analysis A1)", "U.bam (analysis A2)"].map(
              (name) => `${name}: archived, and not restored: there is no terminal to ask on`
            )
          ]
        )
        const { results: answered } = yield* going(files, request, { answer: (question) => question.includes("T.bam") })
        assert.deepStrictEqual(answered, ["SvcFileArchived", `Pending ${estimate}`, "SvcFileArchived"])
      })
  )
})

describe("failures", () => {
  const rejected = new RequestRejected({
    request: "requestRestore",
    status: 400,
    errorMessageId: "NO",
    errorId: null,
    additionalInformation: null
  })
  const lost = new OutcomeUnknown({ request: "requestRestore" })
  const one = [candidate("A1", "S.bam")]
  const failing = (error: ChangeError, listing?: World["listing"]): World => ({
    restoring: (id) => (id === "A1" ? Effect.fail(error) : Effect.succeed([])),
    ...(listing === undefined ? {} : { listing })
  })

  it.effect("a clear no leaves the entries of others and of answered requests as they are", () =>
    Effect.gen(function* () {
      const document = remembered(["S.bam", "other.bam"], { status: "requesting" })
      const { stored } = yield* going(one, asked(), { ...failing(rejected), document })
      assert.deepStrictEqual(entriesIn(stored), ["A1 other.bam requesting null"])
      assert.include(render(stored), "other.bam")
    })
  )

  it.effect("S6 without an answer the entry stays, so that the next run asks again", () =>
    Effect.gen(function* () {
      for (const listing of [
        () => Effect.succeed([{ fileName: "S.bam", currentlyArchived: true }]),
        () => Effect.fail(new Unavailable({ host: "lab", reason: "closed", attempts: 3 }))
      ]) {
        const { events, results, stored } = yield* going(one, asked(), failing(lost, listing))
        assert.deepStrictEqual(results, ["SvcOutcomeUnknown"])
        assert.deepStrictEqual(entriesIn(stored), ["A1 S.bam requesting null"])
        assert.strictEqual(events.filter((it) => it.startsWith("restore")).length, 1)
      }
    })
  )

  it.effect("S6 when the listing shows that the lost request took effect, it counts as answered", () =>
    Effect.gen(function* () {
      const listed = (...files: ReadonlyArray<object>) =>
        going(
          one,
          asked(),
          failing(lost, () => Effect.succeed(files))
        )
      const running = yield* listed(
        { fileName: "other.bam", currentlyArchived: true, estimatedRestoreTime: "2027-01-01T00:00:00Z" },
        { fileName: "S.bam", currentlyArchived: true, estimatedRestoreTime: estimate }
      )
      assert.deepStrictEqual(running.results, [`Pending ${estimate}`])
      assert.deepStrictEqual(entriesIn(running.stored), [`A1 S.bam pending ${estimate}`])
      const back = yield* listed({ fileName: "S.bam", currentlyArchived: false })
      assert.deepStrictEqual(back.results, ["Pending null"])
    })
  )
})
