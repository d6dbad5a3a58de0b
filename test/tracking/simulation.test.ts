/**
 * Hundreds of lives of a restoration file on the virtual clock: estimates that lie, services that are away, lost answers,
 * sessions that end, copies that go back to the archive, disks and locks that fail, runs that end and begin again. Each
 * seed is one life; `SVC_SEEDS=from-to` replays some.
 */

import { assert, describe, it } from "@effect/vitest"
import {
  ByteSize,
  Clock,
  Duration,
  Effect,
  Fiber,
  FileSystem,
  Layer,
  Option,
  Path,
  PlatformError,
  Random,
  Schema
} from "effect"
import { TestClock } from "effect/testing"
import { type RestoreRequest, restore } from "../../core/src/archive/Requests.ts"
import { TrackingFile } from "../../core/src/archive/TrackingFile.ts"
import { ServiceClient } from "../../core/src/client/ServiceClient.ts"
import { AnalysisFiles, RestoreAnswer } from "../../core/src/contract/Files.ts"
import { AnalysisId } from "../../core/src/contract/Ids.ts"
import { downloadRequest } from "../../core/src/download/DownloadRequest.ts"
import { makeResume, untilBack } from "../../core/src/download/Resume.ts"
import { Busy, LocalIo, NotFound, OutcomeUnknown, SessionContention, Unavailable } from "../../core/src/Errors.ts"
import { Operator } from "../../core/src/settings/Operator.ts"
import { PartFiles } from "../../core/src/transfer/PartFiles.ts"
import * as ZlibCodec from "../../platform/inflate/ZlibCodec.ts"
import * as SeededRandom from "../../sandbox/samples/SeededRandom.ts"
import { came, engines } from "../transfer/Engines.ts"
import { memoryFile } from "./MemoryFile.ts"

const hour = 3_600_000
const target = "https://lab.example.org/"

/** One world: its archive, its network, its disk. */
const makeWorld = (seed: number) => {
  const random = SeededRandom.make(seed)
  const chance = (probability: number) => random.next() < probability
  const analyses = Array.from({ length: random.between(1, 6) }, (_, index) => `A${index + 1}`)
  const thaw = new Map(
    analyses.map((id) => [
      id,
      {
        takes: random.next() * 20 * hour,
        readyAt: null as number | null,
        stays: chance(0.2) ? random.next() * 3 * hour : null
      }
    ])
  )
  const estimateKind = new Map(analyses.map((id) => [id, random.between(0, 8)]))
  const tells = chance(0.7)
  const outages = Array.from({ length: random.between(0, 4) }, () => {
    const from = random.next() * 30 * hour
    return { from, to: from + random.next() * 4 * hour }
  })
  const disk = new Map<string, number>()
  const lost: Array<string> = []

  const estimateOf = (id: string, readyAt: number): string | null => {
    const iso = (time: number) => new Date(time).toISOString()
    switch (estimateKind.get(id)) {
      case 0:
        return null
      case 1:
        return "soon"
      case 2:
        return "1970-01-01T00:00:00Z"
      case 3:
        return "9999-12-31T23:59:59Z"
      case 4:
        return iso(readyAt - 2 * hour)
      case 5:
        return iso(readyAt + 2 * hour).replace("Z", "+00:00")
      default:
        return iso(readyAt)
    }
  }
  const away = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    if (outages.some(({ from, to }) => from <= now && now < to)) {
      return yield* new Unavailable({ host: "lab", reason: "connection refused", attempts: 7 })
    }
    if (chance(0.03)) return yield* new SessionContention({ host: "lab", logins: 3 })
  })
  const isArchived = (id: string, now: number) => {
    const state = thaw.get(id)
    if (state === undefined || state.readyAt === null || now < state.readyAt) return true
    return state.stays !== null && now > state.readyAt + state.stays
  }

  const client: Pick<ServiceClient["Service"], "getFileDownloadLinks" | "requestRestore"> = {
    getFileDownloadLinks: Effect.fnUntraced(function* (id) {
      yield* away
      const now = yield* Clock.currentTimeMillis
      const state = thaw.get(id)
      if (state === undefined) return yield* new NotFound({ what: `analysis ${id}` })
      const archived = isArchived(id, now)
      const running = state.readyAt !== null && now < state.readyAt
      return Schema.decodeUnknownSync(AnalysisFiles)({
        id,
        apiFileLinks: [
          {
            fileName: `${id}.bam`,
            downloadLink: archived ? null : `https://files/${id}`,
            currentlyArchived: archived,
            estimatedRestoreTime: running && tells ? estimateOf(id, state.readyAt ?? 0) : null,
            size: 10
          }
        ]
      })
    }),
    requestRestore: Effect.fnUntraced(function* ([id = ""]) {
      yield* away
      const now = yield* Clock.currentTimeMillis
      const state = thaw.get(id)
      if (state === undefined) return yield* new NotFound({ what: `analysis ${id}` })
      if (chance(0.05)) return yield* new OutcomeUnknown({ request: "restore" })
      if (isArchived(id, now) && (state.readyAt === null || now >= state.readyAt)) {
        // A copy that went back once does not do so for ever.
        if (state.readyAt !== null) state.stays = null
        state.readyAt = now + state.takes
      }
      if (chance(0.05)) return yield* new OutcomeUnknown({ request: "restore" })
      return [Schema.decodeUnknownSync(RestoreAnswer)({ restoreEstimation: estimateOf(id, state.readyAt ?? now) })]
    })
  }

  const { service: tracking, stored } = memoryFile({
    changing: Effect.suspend((): Effect.Effect<void, Busy | LocalIo> => {
      if (chance(0.02)) return new Busy({ file: "t.json", owner: "another" })
      return chance(0.01) ? new LocalIo({ path: "t.json", operation: "write", errno: "ENOSPC" }) : Effect.void
    }),
    changed: (after, before) => {
      const kept = new Set(after.items.map(({ entry }) => entry?.analysisId))
      for (const { entry } of before.items) {
        if (entry !== null && !kept.has(entry.analysisId) && !disk.has(entry.fileName)) lost.push(entry.fileName)
      }
    }
  })

  const transfer = engines({
    whole: Effect.fnUntraced(function* ({ analysisId, name }) {
      if (disk.has(name)) return { ...came, action: "exists" as const, sha256: null }
      yield* Effect.sleep(random.next() * 600_000)
      const now = yield* Clock.currentTimeMillis
      if (isArchived(analysisId, now)) return yield* new NotFound({ what: name, detail: "archived meanwhile" })
      if (chance(0.1)) return yield* new Unavailable({ host: "files", reason: "reset", attempts: 8 })
      disk.set(name, (disk.get(name) ?? 0) + 1)
      return came
    })
  })

  const missing = (path: string) =>
    PlatformError.systemError({ _tag: "NotFound", module: "FileSystem", method: "stat", pathOrDescriptor: path })
  const info = (type: "File" | "Directory", size: number): FileSystem.File.Info => ({
    type,
    size: ByteSize.bytes(size),
    mtime: Option.none(),
    atime: Option.none(),
    birthtime: Option.none(),
    dev: 1n,
    ino: Option.none(),
    mode: 0o644,
    nlink: Option.none(),
    uid: Option.none(),
    gid: Option.none(),
    rdev: Option.none(),
    blksize: Option.none(),
    blocks: Option.none()
  })
  const files = FileSystem.layerNoop({
    readDirectory: () => Effect.succeed([]),
    access: () => Effect.void,
    stat: (path) => {
      if (path.endsWith("/out")) return Effect.succeed(info("Directory", 0))
      const name = path.split("/").at(-1) ?? ""
      return disk.has(name) ? Effect.succeed(info("File", 10)) : Effect.fail(missing(path))
    }
  })
  const layer = Layer.mergeAll(
    Layer.mock(ServiceClient, client),
    Layer.succeed(TrackingFile, tracking),
    transfer,
    Layer.mock(PartFiles, { free: () => Effect.succeed(null), syncFolder: () => Effect.void }),
    ZlibCodec.layer,
    Layer.succeed(Operator, Operator.absent),
    files,
    Path.layer
  )
  return { analyses, away, chance, random, disk, layer, lost, stored }
}

const service = { target, nameOf: (stored: string | null) => stored ?? target }
const restoring: RestoreRequest = { mode: "force", maxRestores: null, ...service }

const options = {
  destination: "/out",
  overwrite: false,
  range: null,
  bed: null,
  restorationFile: "t.json",
  filetypes: ["bam"]
}

/** What `svc-resume-restore --wait` does, without the process around it. */
const oneRun = Effect.fnUntraced(function* (world: ReturnType<typeof makeWorld>, wait: Duration.Duration) {
  const fallback = yield* downloadRequest({
    destination: "out",
    filetypes: ["bam"],
    restoreArchived: "force",
    connections: 2
  })
  const resume = yield* makeResume({ fallback, service, statusOnly: false })
  const look = Effect.andThen(world.away, resume.look)
  yield* untilBack(look, { wait, poll: Duration.minutes(10) }, () => Effect.void).pipe(
    Effect.catch((error) => Effect.sync(() => assert.isTrue(error.retryable, error.message)))
  )
})

const life = Effect.fnUntraced(function* (seed: number) {
  const world = makeWorld(seed)
  const whole = Effect.gen(function* () {
    for (let runs = 0; runs < 200; runs++) {
      const wanted = world.analyses.filter((id) => !world.disk.has(`${id}.bam`))
      // The request is repeated by every run, as a pipeline does.
      yield* restore(
        wanted.map((id) => ({
          analysisId: AnalysisId.make(id),
          fileName: `${id}.bam`,
          size: 10,
          estimatedRestoreTime: null,
          options
        })),
        restoring
      )
      const interrupted = world.chance(0.3) ? Duration.millis(world.random.next() * 3 * hour) : Duration.infinity
      yield* oneRun(world, Duration.millis(world.random.next() * 12 * hour)).pipe(Effect.timeoutOption(interrupted))
      if (world.disk.size === world.analyses.length && world.stored().items.length === 0) return runs
      yield* Effect.sleep(world.random.next() * hour)
    }
    return null
  })
  const fiber = yield* whole.pipe(Effect.provide(world.layer), Random.withSeed(seed), Effect.forkChild)
  yield* TestClock.adjust("200 days")
  assert.isNotNull(yield* Fiber.join(fiber), `seed ${seed}: it did not end`)
  assert.deepStrictEqual(world.lost, [], `seed ${seed}: entries of files that were not there`)
  assert.deepStrictEqual(
    [...world.disk].sort(),
    world.analyses.map((id) => [`${id}.bam`, 1]),
    `seed ${seed}`
  )
})

// The end-to-end tests take the seeds up to 500.
const [from = 1, to = 30] = (process.env["SVC_SEEDS"] ?? "1-10").split("-").map(Number)

describe("many schedules", () => {
  it.effect(
    "end with every file fetched once and no entry lost",
    () =>
      Effect.forEach(
        Array.from({ length: to - from + 1 }, (_, index) => from + index),
        life,
        { discard: true }
      ),
    600_000
  )
})
