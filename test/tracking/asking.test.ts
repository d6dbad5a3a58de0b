/** Runs that ask for restorations over one restoration file on the disk. */
import { chmodSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Logger, Schema, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { requestDurably } from "../../core/src/archive/Asking.ts"
import { ServiceClient } from "../../core/src/client/ServiceClient.ts"
import { AnalysisFiles, RestoreAnswer } from "../../core/src/contract/Files.ts"
import * as TrackingFileLive from "../../platform/files/TrackingFile.ts"
import { lacks, unless } from "../Lacks.ts"
import { passTimeUntil } from "../PassTime.ts"
import { temporaryFolder } from "../TemporaryFolder.ts"
import { entry } from "./Entry.ts"

const file = entry("A1")
const service = { target: file.target, nameOf: (stored: string | null) => stored ?? file.target }
const restoreEstimation = "2999-01-01T00:00:00Z"

/** A service that answers when it is let, and runs that ask it. */
const ground = Effect.gen(function* () {
  const folder = yield* temporaryFolder("asking-")
  const path = join(folder, "t.json")
  const [asked, answer] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  let requests = 0
  const client = Layer.mock(ServiceClient, {
    getFileDownloadLinks: (id) => Effect.succeed(Schema.decodeUnknownSync(AnalysisFiles)({ id, apiFileLinks: [] })),
    requestRestore: ([analysisId]) =>
      Effect.gen(function* () {
        requests++
        yield* Deferred.succeed(asked, undefined)
        yield* Deferred.await(answer)
        return [Schema.decodeUnknownSync(RestoreAnswer)({ analysisId, restoreEstimation })]
      })
  })
  const said: Array<string> = []
  const logger = Logger.layer([Logger.make(({ message }) => void said.push(String(message)))])
  const run = Effect.exit(
    requestDurably(file.analysisId, [file], service, { known: new Set(), failed: () => Effect.void })
  ).pipe(Effect.provide([TrackingFileLive.layer({ path }), client, logger]))
  return {
    folder,
    asked,
    answer,
    run,
    requests: () => requests,
    waits: passTimeUntil(() => requests > 1 || said.some((line) => line.startsWith("Waiting for "))),
    statuses: () => JSON.parse(readFileSync(path, "utf8")).map((item: { status: string }) => item.status)
  }
})

/** What a run that began has come to; the virtual clock goes on meanwhile. */
const ended = <A>(fiber: Fiber.Fiber<A>) =>
  Effect.andThen(
    passTimeUntil(() => fiber.pollUnsafe() !== undefined),
    Fiber.join(fiber)
  )

/** Two runs: the second waits while the first is being answered. */
const two = Effect.gen(function* () {
  const on = yield* ground
  const first = yield* Effect.forkChild(on.run)
  yield* passTimeUntil(() => Deferred.isDoneUnsafe(on.asked))
  const second = yield* Effect.forkChild(on.run)
  yield* on.waits
  return { ...on, first, second }
})

const inTime = (body: Effect.Effect<void, never, Scope.Scope>) => () => Effect.provide(body, TestClock.layer())

describe("asking over one restoration file", () => {
  it.live(
    "T19 of two runs one asks, and both have its answer",
    inTime(
      Effect.gen(function* () {
        const { answer, first, folder, requests, second, statuses } = yield* two
        assert.deepStrictEqual(statuses(), ["requesting"])
        yield* Deferred.succeed(answer, undefined)
        const [one, other] = [yield* ended(first), yield* ended(second)]
        assert.strictEqual(one._tag === "Success" && one.value.estimate, restoreEstimation)
        assert.deepStrictEqual(other, one)
        assert.strictEqual(requests(), 1)
        assert.deepStrictEqual([readdirSync(folder), statuses()], [["t.json"], ["pending"]])
      })
    )
  )

  it.live(
    "T19 one that is stopped while it waits leaves nothing beside the file",
    inTime(
      Effect.gen(function* () {
        const { answer, first, folder, requests, second } = yield* two
        yield* Fiber.interrupt(second)
        assert.deepStrictEqual(readdirSync(folder), [".t.json.asking.lock", "t.json"])
        yield* Deferred.succeed(answer, undefined)
        yield* ended(first)
        assert.deepStrictEqual([readdirSync(folder), requests()], [["t.json"], 1])
      })
    )
  )

  it.live(
    "T20 in a folder that may not be written nothing is asked for",
    inTime(
      Effect.gen(function* () {
        const { folder, requests, run } = yield* ground
        chmodSync(folder, 0o500)
        const outcome = yield* ended(yield* Effect.forkChild(run))
        chmodSync(folder, 0o700)
        assert.include(String(outcome), "SvcLocalIo")
        assert.deepStrictEqual([readdirSync(folder), requests()], [[], 0])
      })
    ),
    unless(lacks.otherThanRoot)
  )
})
