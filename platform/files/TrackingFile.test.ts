import { spawnSync } from "node:child_process"
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import fs from "node:fs/promises"
import { syncBuiltinESMExports } from "node:module"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Fiber, Logger, type Scope } from "effect"
import { TestClock } from "effect/testing"
import type { TestOptions } from "vitest"
import { put, type TrackingDocument, TrackingFile, type Turn, without } from "../../core/src/archive/TrackingFile.ts"
import type { Failure } from "../../test/Failure.ts"
import { lacks, unless } from "../../test/Lacks.ts"
import { whileLookedAt } from "../../test/LooksAt.ts"
import { passTimeUntil } from "../../test/PassTime.ts"
import { temporaryFolder } from "../../test/TemporaryFolder.ts"
import { entry } from "../../test/tracking/Entry.ts"
import { thisProcess } from "../ProcessIdentity.ts"
import * as TrackingFileLive from "./TrackingFile.ts"

/** Where a link leads; empty when it is gone. */
const targetOf = (link: string) => {
  try {
    return readlinkSync(link)
  } catch {
    return ""
  }
}

const nameOf = (stored: string | null) => stored ?? "here"

const adding = (analysisId: string) => (document: TrackingDocument) => put(document, entry(analysisId), nameOf)

const inFolder = (
  name: string,
  body: (folder: string, path: string) => Effect.fn.Return<void, Failure, Scope.Scope>,
  options?: TestOptions
): void =>
  it.live(
    name,
    () =>
      Effect.flatMap(temporaryFolder("tracking-"), (folder) => Effect.gen(() => body(folder, join(folder, "t.json")))),
    options
  )

const change = (path: string, edit: (document: TrackingDocument) => TrackingDocument) =>
  TrackingFile.use((tracking) => tracking.change(edit)).pipe(Effect.provide(TrackingFileLive.layer({ path })))
const read = (path: string) =>
  TrackingFile.use((tracking) => tracking.read).pipe(Effect.provide(TrackingFileLive.layer({ path })))
const inTurn = <A, E>(path: string, self: (turn: Turn) => Effect.Effect<A, E>) =>
  TrackingFile.use((file) => file.inTurn(self)).pipe(Effect.provide(TrackingFileLive.layer({ path })))
const ids = (path: string): ReadonlyArray<string> =>
  JSON.parse(readFileSync(path, "utf8")).map((item: { analysisId: string }) => item.analysisId)

describe("TrackingFile", () => {
  inFolder("T1 an absent file is an empty one, made on the first change, for its owner only", function* (folder, path) {
    assert.deepStrictEqual((yield* read(path)).items, [])
    yield* change(path, (document) => document)
    assert.deepStrictEqual(readdirSync(folder), [])
    yield* change(path, adding("A1"))
    yield* change(path, adding("A2"))
    assert.deepStrictEqual(ids(path), ["A1", "A2"])
    assert.strictEqual(statSync(path).mode & 0o777, 0o600)
    yield* change(path, (document) => without(document, ({ entry }) => entry?.analysisId === "A1"))
    assert.deepStrictEqual(ids(path), ["A2"])
    yield* change(path, (document) => without(document, () => true))
    assert.strictEqual(readFileSync(path, "utf8"), "[]\n")
    assert.deepStrictEqual(readdirSync(folder), ["t.json"])
  })

  inFolder("writes an empty list when one is wanted, and leaves one that is there", function* (folder, path) {
    const ensure = TrackingFile.use(({ ensure }) => ensure).pipe(Effect.provide(TrackingFileLive.layer({ path })))
    yield* ensure
    assert.strictEqual(readFileSync(path, "utf8"), "[]\n")
    writeFileSync(path, "[ ]")
    yield* ensure
    assert.strictEqual(readFileSync(path, "utf8"), "[ ]")
    assert.deepStrictEqual(readdirSync(folder), ["t.json"])
  })

  inFolder(
    "T2 T4 an unreadable file stays byte for byte, and the message tells how to go on",
    function* (folder, path) {
      const bodies = [
        "",
        "\0".repeat(512),
        '[{"analysisId":"A1"',
        "\ufeff[]",
        "{}",
        "[]\n[]",
        Buffer.from([0xff, 0xfe, 0])
      ]
      for (const body of bodies) {
        writeFileSync(path, body)
        for (const refused of [Effect.asVoid(read(path)), Effect.asVoid(change(path, adding("A1")))]) {
          const error = yield* Effect.flip(refused)
          assert.strictEqual(error._tag, "SvcTrackingUnusable")
          assert.match(error.message, /It was left as it is: repair it, or move it away/)
        }
        assert.deepStrictEqual(readFileSync(path), Buffer.from(body))
      }
      assert.deepStrictEqual(readdirSync(folder), ["t.json"])
    }
  )

  inFolder(
    "T3 the object layout is converted at its first change, and the original kept as it was",
    function* (folder, path) {
      const original = '{"lastUpdated":"x","restorations":[{"analysisId":"A9","fileName":"S9.bam","status":"pending"}]}'
      writeFileSync(path, original)
      assert.strictEqual((yield* read(path)).items.length, 1)
      assert.strictEqual(readFileSync(path, "utf8"), original)
      writeFileSync(`${path}.bak`, "someone else's")
      yield* change(path, adding("A1"))
      assert.deepStrictEqual(ids(path), ["A9", "A1"])
      assert.strictEqual(JSON.parse(readFileSync(path, "utf8"))[0].status, "pending")
      assert.strictEqual(readFileSync(`${path}.1.bak`, "utf8"), original)
      assert.strictEqual(readFileSync(`${path}.bak`, "utf8"), "someone else's")
      yield* change(path, adding("A2"))
      assert.deepStrictEqual(readdirSync(folder), ["t.json", "t.json.1.bak", "t.json.bak"])
    }
  )

  inFolder(
    "T14 a file that an editor replaces or rewrites between read and rename is merged into, not over",
    function* (_, path) {
      yield* change(path, adding("A1"))
      const text = readFileSync(path, "utf8")
      const edits = [
        () => writeFileSync(path, text.replace("A1", "B1")),
        () => {
          rmSync(path)
          writeFileSync(path, text.replace("A1", "C1"))
        },
        () => rmSync(path)
      ]
      for (const [edit, expected] of [
        [edits[0], ["B1", "N"]],
        [edits[1], ["C1", "N"]],
        [edits[2], ["N"]]
      ] as const) {
        let first = true
        yield* change(path, (document) => {
          if (first) edit?.()
          first = false
          return adding("N")(document)
        })
        assert.deepStrictEqual(ids(path), expected)
      }
      rmSync(path)
      let first = true
      yield* change(path, (document) => {
        if (first) writeFileSync(path, text)
        first = false
        return adding("N")(document)
      })
      assert.deepStrictEqual(ids(path), ["A1", "N"])
    }
  )

  inFolder("T14 an edit that corrupts the file is refused as it is", function* (_, path) {
    yield* change(path, adding("A1"))
    const error = yield* Effect.flip(
      change(path, (document) => {
        writeFileSync(path, "torn")
        return adding("N")(document)
      })
    )
    assert.strictEqual(error._tag, "SvcTrackingUnusable")
    assert.strictEqual(readFileSync(path, "utf8"), "torn")
  })

  inFolder("T15 what is no file of its owner is refused, and nothing waits for it", function* (folder, path) {
    const refused = Effect.fnUntraced(function* (at: string, reason: RegExp) {
      for (const attempt of [Effect.asVoid(read(at)), Effect.asVoid(change(at, adding("A1")))]) {
        const error = yield* Effect.flip(attempt)
        assert.strictEqual(error._tag, "SvcTrackingUnusable", at)
        assert.match(error.message, reason)
      }
    })
    mkdirSync(join(folder, "d.json"))
    yield* refused(join(folder, "d.json"), /it is a folder/)
    assert.strictEqual(spawnSync("mkfifo", [join(folder, "fifo")]).status, 0)
    yield* refused(join(folder, "fifo"), /device, pipe or socket/)
    yield* refused("/dev/null", /device, pipe or socket/)
    symlinkSync(join(folder, "nowhere"), join(folder, "dangling"))
    yield* refused(join(folder, "dangling"), /leads nowhere/)
    writeFileSync(path, "[]")
    for (const mode of [0o620, 0o602, 0o666]) {
      chmodSync(path, mode)
      yield* refused(path, /other users may write to it/)
    }
    assert.strictEqual(readFileSync(path, "utf8"), "[]")
  })

  inFolder(
    "T15 a symbolic link of one's own leads to the file, which is replaced where it lies",
    function* (folder, path) {
      mkdirSync(join(folder, "real"))
      writeFileSync(join(folder, "real", "x.json"), "[]")
      symlinkSync(join(folder, "real", "x.json"), path)
      yield* change(path, adding("A1"))
      assert.deepStrictEqual(ids(join(folder, "real", "x.json")), ["A1"])
      assert.deepStrictEqual(readdirSync(folder), ["real", "t.json"])
      assert.deepStrictEqual(readdirSync(join(folder, "real")), ["x.json"])
    }
  )

  inFolder("T15 a file that may not be written, and a folder that is not there", function* (folder, path) {
    writeFileSync(path, "[]", { mode: 0o400 })
    const error = yield* Effect.flip(change(path, adding("A1")))
    assert.strictEqual(error._tag, "SvcLocalIo")
    assert.match(error.message, /permission denied/)
    assert.strictEqual(readFileSync(path, "utf8"), "[]")
    const missing = yield* Effect.flip(change(join(folder, "no", "t.json"), adding("A1")))
    assert.strictEqual(missing._tag, "SvcCannotCreate")
  })

  inFolder(
    "T20 in a folder that may not be written there is no turn",
    function* (folder, path) {
      chmodSync(folder, 0o500)
      const error = yield* Effect.flip(inTurn(path, () => Effect.die("its turn")))
      chmodSync(folder, 0o700)
      assert.deepStrictEqual([error._tag, readdirSync(folder)], ["SvcLocalIo", []])
    },
    unless(lacks.otherThanRoot)
  )

  inFolder(
    "T15 a file or a link of another user is refused",
    function* (folder, path) {
      const theirs = join(folder, "theirs.json")
      writeFileSync(theirs, "[]", { mode: 0o644 })
      chownSync(theirs, 65534, 65534)
      writeFileSync(join(folder, "own.json"), "[]", { mode: 0o600 })
      symlinkSync(join(folder, "own.json"), path)
      lchownSync(path, 65534, 65534)
      for (const [at, reason] of [
        [theirs, /it belongs to another user/],
        [path, /it is a symbolic link of another user/]
      ] as const) {
        for (const attempt of [Effect.asVoid(read(at)), Effect.asVoid(change(at, adding("A1")))]) {
          const error = yield* Effect.flip(attempt)
          assert.strictEqual(error._tag, "SvcTrackingUnusable")
          assert.match(error.message, reason)
        }
        assert.strictEqual(readFileSync(at, "utf8"), "[]")
      }
    },
    unless(lacks.root)
  )

  inFolder("P5 a run that was suspended and lost its lock does not write, and begins anew", function* (folder, path) {
    yield* change(path, adding("A1"))
    const seen: Array<number> = []
    yield* change(path, (document) => {
      seen.push(document.items.length)
      // Another run took the lock over and has given it back; the file it left looks as before.
      if (seen.length === 1) rmSync(join(folder, ".t.json.lock"))
      return adding("N")(document)
    })
    assert.deepStrictEqual(seen, [1, 1])
    assert.deepStrictEqual(ids(path), ["A1", "N"])
    assert.deepStrictEqual(readdirSync(folder), ["t.json"])
  })

  inFolder("T18 a run that only reads clears away the lock and the new file of a killed one", function* (folder, path) {
    yield* change(path, adding("A1"))
    const ended = { ...thisProcess(), start: "1" }
    writeFileSync(join(folder, ".t.json.lock"), JSON.stringify(ended))
    writeFileSync(join(folder, ".t.json.1-0123.new"), "half")
    assert.strictEqual((yield* read(path)).items.length, 1)
    assert.deepStrictEqual(readdirSync(folder), ["t.json"])

    // A living one is not disturbed.
    writeFileSync(join(folder, ".t.json.lock"), JSON.stringify(thisProcess()))
    yield* read(path)
    assert.deepStrictEqual(readdirSync(folder), [".t.json.lock", "t.json"])
  })

  inFolder(
    "T19 runs ask for restorations in turn; one that was killed is not waited for, one that is stopped leaves nothing",
    function* (folder, path) {
      const going = Effect.gen(function* () {
        const events: Array<string> = []
        const asks = (name: string, self: Effect.Effect<void> = Effect.void) =>
          inTurn(path, ({ document }) =>
            Effect.andThen(
              self,
              Effect.sync(() => void events.push(`${name} ${document.items.length}`))
            )
          )
        const said: Array<string> = []
        const log = Logger.make(({ message }) => void said.push(String(message)))
        writeFileSync(join(folder, ".t.json.asking.lock"), JSON.stringify({ ...thisProcess(), start: "1" }))
        const [begun, waits] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const first = yield* Effect.forkChild(
          asks("first", Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(waits)))
        )
        yield* passTimeUntil(() => Deferred.isDoneUnsafe(begun))
        // The file itself is not locked meanwhile, and who comes next sees the change.
        yield* change(path, adding("A1"))
        const stopped = yield* Effect.forkChild(asks("stopped"))
        yield* passTimeUntil(() => readdirSync(folder).length > 2)
        yield* Fiber.interrupt(stopped)
        assert.deepStrictEqual(readdirSync(folder), [".t.json.asking.lock", "t.json"])
        const since = yield* Clock.currentTimeMillis
        const second = yield* Effect.forkChild(asks("second").pipe(Effect.provide(Logger.layer([log]))))
        yield* passTimeUntil(() => said.length > 0)
        // Most waits are short: of this one is said when it has become long.
        assert.isAtLeast((yield* Clock.currentTimeMillis) - since, 10_000)
        assert.deepStrictEqual(said, [
          `Waiting for this program itself, which asks for a restoration that ${path} is to remember`
        ])
        yield* Deferred.succeed(waits, undefined)
        yield* passTimeUntil(() => second.pollUnsafe() !== undefined)
        yield* Fiber.join(first)
        yield* Fiber.join(second)
        assert.deepStrictEqual(events, ["first 0", "second 1"])
        writeFileSync(join(folder, ".t.json.asking.lock"), JSON.stringify({ ...thisProcess(), start: "1" }))
        yield* read(path)
        assert.deepStrictEqual(readdirSync(folder), ["t.json"])
      })
      yield* Effect.provide(going, TestClock.layer())
    }
  )

  inFolder(
    "T19 the turn of a run that was suspended is not cleared away, and a run that lost it is told so",
    function* (folder, path) {
      const turn = join(folder, ".t.json.asking.lock")
      yield* change(path, adding("A1"))
      writeFileSync(turn, JSON.stringify(thisProcess()))
      utimesSync(turn, 1, 1)
      yield* read(path)
      assert.deepStrictEqual(readdirSync(folder), [".t.json.asking.lock", "t.json"])
      rmSync(turn)
      const owned = yield* inTurn(
        path,
        Effect.fnUntraced(function* ({ stillOurs }) {
          utimesSync(turn, 1, 1)
          yield* read(path)
          const before = yield* stillOurs
          rmSync(turn)
          return [before, yield* stillOurs]
        })
      )
      assert.deepStrictEqual(owned, [true, false])
    }
  )

  const ended = JSON.stringify({ ...thisProcess(), start: "1" })

  inFolder(
    "T19 a turn beside whose lock a link was said to be made is waited for; where locks do not hold it is kept",
    function* (folder, path) {
      const turn = join(folder, ".t.json.asking.lock")
      /** The open files of the folder, where the system tells; none is kept of a try that did not get the lock. */
      const open = () => {
        const links = existsSync("/proc/self/fd") ? readdirSync("/proc/self/fd") : null
        return links?.filter((fd) => targetOf(`/proc/self/fd/${fd}`).startsWith(folder)).length ?? 1
      }
      for (const other of [ended, null]) {
        const taken = (look: number) => {
          if (look > 0) return
          rmSync(turn)
          if (other !== null) writeFileSync(turn, other)
        }
        const own = inTurn(path, ({ stillOurs }) =>
          Effect.map(stillOurs, (ours) => [ours, existsSync(turn) ? readFileSync(turn, "utf8") : null, open()])
        )
        assert.deepStrictEqual(yield* whileLookedAt(turn, taken, own), [
          true,
          other === null ? null : `${JSON.stringify(thisProcess())}\n`,
          1
        ])
      }
    }
  )

  inFolder(
    "P5 a file whose lock another run has is not changed meanwhile, and that is no lock that does not hold",
    function* (folder, path) {
      const lock = join(folder, ".t.json.lock")
      const said: Array<string> = []
      const log = Logger.layer([Logger.make(({ message }) => void said.push(String(message)))])
      for (const at of [0, 1]) {
        let edits = 0
        const taken = (look: number) => {
          if (look !== at) return
          rmSync(lock)
          writeFileSync(lock, ended)
        }
        const own = change(path, (document) => {
          edits++
          assert.include(readFileSync(lock, "utf8"), JSON.stringify(thisProcess()))
          return adding(`A${at}`)(document)
        })
        yield* Effect.provide(whileLookedAt(lock, taken, own), log)
        assert.deepStrictEqual([edits, readdirSync(folder)], [at + 1, ["t.json"]])
      }
      assert.deepStrictEqual([ids(path), said], [["A0", "A1"], []])
    }
  )

  inFolder("T19 for a turn the file, which may be large, is read once", function* (_, path) {
    yield* change(path, adding("A1"))
    const { open } = fs
    let reads = 0
    yield* Effect.acquireUseRelease(
      Effect.sync(() => {
        fs.open = (name, ...rest) => {
          if (name === path) reads++
          return open(name, ...rest)
        }
        syncBuiltinESMExports()
      }),
      () => inTurn(path, ({ document }) => Effect.succeed(document.items.length)),
      () =>
        Effect.sync(() => {
          fs.open = open
          syncBuiltinESMExports()
        })
    )
    assert.strictEqual(reads, 1)
  })

  inFolder("T18 what a killed run left that waited for its turn goes with the next change", function* (folder, path) {
    const leave = (name: string, more: object) =>
      writeFileSync(join(folder, name), JSON.stringify({ ...thisProcess(), ...more }))
    leave(".t.json.asking.lock.1-0123456789ab.wait", { start: "1" })
    leave(".t.json.asking.lock.2-0123456789ab.wait", {})
    yield* change(path, adding("A1"))
    assert.deepStrictEqual(readdirSync(folder), [".t.json.asking.lock.2-0123456789ab.wait", "t.json"])
  })

  inFolder("T18 what a killed run left beside the file is cleared away", function* (folder, path) {
    writeFileSync(join(folder, ".t.json.12345-abcdef.new"), "half")
    writeFileSync(join(folder, ".other.json.12345-abcdef.new"), "not ours")
    yield* change(path, adding("A1"))
    assert.deepStrictEqual(readdirSync(folder).sort(), [".other.json.12345-abcdef.new", "t.json"])
  })
})
