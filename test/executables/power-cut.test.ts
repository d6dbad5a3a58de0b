/**
 * The short form of `npm run powercut`, in a second: one file is downloaded, replaced, and stopped in the middle, a
 * restoration file is changed, and the power cut after each operation of that. Every disk that may be left then is looked at; nothing runs on it.
 */
import { spawn } from "node:child_process"
import { createHash, randomBytes } from "node:crypto"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { crc32 } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as SeededRandom from "../../sandbox/samples/SeededRandom.ts"
import { bundled } from "../Bundles.ts"
import { partBytes } from "../DownloadGround.ts"
import { DiskModel, readTrace } from "../durability/DiskModel.ts"
import { preloaded, readTree, type Tree } from "../durability/Scenario.ts"
import { until } from "../Executables.ts"
import { lacks, unless } from "../Lacks.ts"
import { temporaryFolder } from "../TemporaryFolder.ts"
import { type Answer, good, goodAnswer, rawServer } from "../transfer/RawServer.ts"

const downloading = await bundled(new URL("../transfer/download-one.ts", import.meta.url))
const tracking = await bundled(new URL("../children/TrackedEntries.ts", import.meta.url))

const object = randomBytes(300_000)
const checksumOf = (bytes: Buffer) => `${createHash("sha256").update(bytes).digest("hex")}  s.bam\n`
const old = Buffer.from("the old one")

/** Starts a program with its file operations in the folder traced. */
const traced = (folder: string, program: string, argument: string) => {
  const child = spawn(process.execPath, [program, argument], {
    env: { ...process.env, ...preloaded(folder), KILL_TRACE: `${folder}.trace`, UV_USE_IO_URING: "0" },
    stdio: "ignore"
  })
  return { child, ended: new Promise<number | null>((resolve) => child.once("close", resolve)) }
}

/** Every disk that a power cut may leave after each operation of the traced program. */
const disksAfter = (folder: string, before: Tree) => {
  const model = new DiskModel(before)
  const random = SeededRandom.make(1)
  return readTrace(readFileSync(`${folder}.trace`), folder).map((operation) => {
    model.apply(operation)
    return {
      after: `${operation.number} ${operation.name} ${operation.path}`,
      trees: model.states(random).map(({ tree }) => tree)
    }
  })
}

const folderToTrace = Effect.map(temporaryFolder("svc-power-cut-"), (parent) => {
  const folder = join(parent, "out")
  mkdirSync(folder)
  return folder
})

/** One download, operation by operation: what the folder held before, and every disk that a power cut may leave after each. */
const disksOf = Effect.fnUntraced(function* (
  answer: Answer,
  options: { readonly before?: Tree; readonly stopAt?: number }
) {
  const server = yield* rawServer(answer)
  const folder = yield* folderToTrace
  for (const [name, bytes] of options.before ?? []) writeFileSync(join(folder, name), bytes ?? "")
  const before = readTree(folder)
  const asked = { link: `${server.url}/s.bam`, size: object.length, directory: folder, checksums: "sha256" }
  const { child, ended } = traced(folder, downloading, JSON.stringify({ ...asked, overwrite: before.size > 0 }))
  const { stopAt } = options
  if (stopAt !== undefined) {
    yield* until(
      "bytes are in the part",
      Effect.sync(() => partBytes(folder) >= stopAt)
    )
    child.kill("SIGTERM")
  }
  const exitCode = yield* Effect.promise(() => ended)
  return { exitCode, disks: disksAfter(folder, before) }
})

const text = (tree: Tree, name: string) => tree.get(name)?.toString() ?? null

/** What is wrong with a disk at any moment. */
const faultsIn = (tree: Tree, before: Tree): ReadonlyArray<string> => {
  const data = tree.get("s.bam") ?? null
  const isNew = data?.equals(object) === true
  const isOld = data !== null && before.get("s.bam")?.equals(data) === true
  const sum = text(tree, "s.bam.sha256")
  const journals = [...tree].filter(([name]) => name.endsWith(".part.json"))
  return [
    ...(data === null
      ? before.has("s.bam")
        ? ["s.bam is gone"]
        : []
      : isNew || isOld
        ? []
        : ["s.bam is neither old nor new"]),
    ...(sum === null || sum === checksumOf(data ?? old) ? [] : [`s.bam.sha256 does not belong to s.bam: ${sum}`]),
    ...journals.flatMap(([name, bytes]) => {
      try {
        const { spans } = JSON.parse(bytes?.toString() ?? "")
        const part = tree.get(name.slice(0, -".json".length))
        return spans.flatMap(([start, end, sum]: readonly [number, number, number]) =>
          part instanceof Buffer && crc32(part.subarray(start, end)) !== sum ? [`${name} promises ${start}-${end}`] : []
        )
      } catch {
        return ["the journal is cut"]
      }
    })
  ]
}

const check = (disks: Effect.Success<ReturnType<typeof disksOf>>["disks"], before: Tree) => {
  const found = disks.flatMap(({ after, trees }) =>
    [...new Set(trees.flatMap((tree) => faultsIn(tree, before)))].map((fault) => `after ${after}: ${fault}`)
  )
  assert.deepStrictEqual(found, [])
  assert.isAbove(disks.length, 15)
}

describe("P2 the power is cut at any operation", unless(lacks.compiler), () => {
  for (const [what, before] of [
    ["a download", new Map()],
    [
      "a download that replaces a file",
      new Map([
        ["s.bam", old],
        ["s.bam.sha256", Buffer.from(checksumOf(old))]
      ])
    ]
  ] satisfies ReadonlyArray<readonly [string, Tree]>) {
    it.live(
      `${what}: the final name has the old file, none or the new one, and when the run has ended the new one`,
      () =>
        Effect.gen(function* () {
          const { disks, exitCode } = yield* disksOf(good(object), { before })
          assert.strictEqual(exitCode, 0)
          check(disks, before)
          for (const tree of disks.at(-1)?.trees ?? []) {
            assert.isTrue(tree.get("s.bam")?.equals(object))
            assert.strictEqual(text(tree, "s.bam.sha256"), checksumOf(object))
          }
        })
    )
  }

  it.live("a run that is stopped: its journal is the old or the new one, and what it promises is in the part", () =>
    Effect.gen(function* () {
      const half: Answer = (request, socket) => {
        const { bytes, head } = goodAnswer(object, request)
        socket.write(head)
        socket.write(bytes.subarray(0, 200_000))
      }
      const { disks, exitCode } = yield* disksOf(half, { stopAt: 200_000 })
      assert.strictEqual(exitCode, 130)
      check(disks, new Map())
      const promised = (disks.at(-1)?.trees ?? []).map((tree) =>
        [...tree].flatMap(([name, bytes]) =>
          name.endsWith(".part.json") ? JSON.parse(bytes?.toString() ?? "").spans : []
        )
      )
      assert.isAbove(promised.length, 0)
      for (const spans of promised) {
        assert.isTrue(spans.length === 0 || spans[0][1] === 200_000)
      }
    })
  )

  it.live("T1 T2 a restoration file: it has what one of the changes left, and at the end what the last one left", () =>
    Effect.gen(function* () {
      const folder = yield* folderToTrace
      assert.strictEqual(yield* Effect.promise(() => traced(folder, tracking, join(folder, "t.json")).ended), 0)
      const disks = disksAfter(folder, new Map())
      const idsIn = (tree: Tree) => {
        const bytes = tree.get("t.json")
        return bytes
          ? JSON.parse(bytes.toString())
              .map((item: { analysisId: string }) => item.analysisId)
              .join(" ")
          : null
      }
      for (const { after, trees } of disks) {
        for (const tree of trees) assert.include([null, "A1", "A1 A2", "A2"], idsIn(tree), after)
      }
      assert.deepStrictEqual([...new Set(disks.at(-1)?.trees.map(idsIn))], ["A2"])
    })
  )
})
