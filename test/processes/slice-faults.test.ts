/** Slices as a process when things go wrong: stops, kills, expired links, files that change, hosts that break. */
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { fault, type Ground, ground, namesIn, readReport, sha256 } from "../DownloadGround.ts"
import { run, start, untilOrEnd } from "../Executables.ts"
import { lacks, unless } from "../Lacks.ts"

const both = ["S1.ranged.bam", "S1.ranged.bam.bai"]
const args = ["-a", "A1", "-g", "chr7 chr13 chr1", "-d", "out", "--reportfile", "r.json"]

/** Digests of a slice that nothing disturbed. */
const calm = Effect.fnUntraced(function* () {
  const { download, folder } = yield* ground()
  const outcome = yield* download(args)
  assert.strictEqual(outcome.exitCode, 0, outcome.stderr)
  return both.map((name) => sha256(folder, "out", name))
}, Effect.scoped)

const delivered = ({ folder }: Ground, digests: ReadonlyArray<string>) => {
  assert.deepStrictEqual(namesIn(folder, "out"), both)
  assert.deepStrictEqual(
    both.map((name) => sha256(folder, "out", name)),
    digests
  )
}

/** Starts a slice, sends `signal` when its records come slowly (`slowRecords`), and gives its end. */
const stopped = Effect.fnUntraced(function* ({ env, folder, stats }: Ground, signal: NodeJS.Signals) {
  const running = yield* start("svc-download", args, { cwd: folder, env })
  const begun = Effect.map(
    stats,
    ({ faultsFired }) => faultsFired > 0 && namesIn(folder, "out").some((name) => name.endsWith(".part"))
  )
  yield* untilOrEnd(running, "records come", begun)
  yield* running.kill(signal)
  return yield* running.outcome
}, Effect.scoped)

/** The third request for the BAM is the first for records; it comes slowly. */
const slowRecords = fault({ plane: "link", file: "*.bam", nth: 3 }, { slow: 10_000 })

describe("stops", () => {
  it.live(
    "P4 SIGTERM in the middle of a slice ends with 143 and leaves nothing; the next run is byte for byte the same",
    () =>
      Effect.gen(function* () {
        const place = yield* ground()
        yield* place.setFaults([slowRecords])
        const end = yield* stopped(place, "SIGTERM")
        assert.strictEqual(end.exitCode, 143, end.stderr)
        assert.deepStrictEqual(namesIn(place.folder, "out"), [])
        assert.match(end.stderr, /^0 files whole, 1 slice starts again: run the same command to go on$/m)
        const { error } = readReport(place.folder, "r.json").files[0] ?? {}
        assert.strictEqual(error?.tag, "Stopped")
        assert.match(error?.message ?? "", /before this slice was whole; the next run starts it again$/)
        yield* place.setFaults([])
        const outcome = yield* place.download(args)
        assert.strictEqual(outcome.exitCode, 0, outcome.stderr)
        delivered(place, yield* calm())
      })
  )

  it.live("P4 what kill -9 left in the middle of a slice is not used by the next run, and goes with it", () =>
    Effect.gen(function* () {
      const place = yield* ground()
      yield* place.setFaults([slowRecords])
      const end = yield* stopped(place, "SIGKILL")
      assert.strictEqual(end.exitCode, 137, end.stderr)
      const left = namesIn(place.folder, "out")
      assert.isTrue(left.length > 0 && left.every((name) => name.startsWith(".")), left.join(" "))
      for (const name of left.filter((name) => name.endsWith(".part"))) {
        writeFileSync(join(place.folder, "out", name), Buffer.alloc(5000, 7))
      }
      yield* place.setFaults([])
      const outcome = yield* place.download(args)
      assert.strictEqual(outcome.exitCode, 0, outcome.stderr)
      delivered(place, yield* calm())
    })
  )
})

describe("at every operation on the disk", unless(lacks.compiler), () => {
  // All of them take minutes (`SVC_KILL_POINTS=all`); the short form looks at those around the commit.
  const everyPoint = process.env["SVC_KILL_POINTS"] === "all"
  const source = fileURLToPath(new URL("../transfer/kill-point.c", import.meta.url))
  const regions = "chr7"

  const sweep = (name: string, overwrite: boolean, allowed: ReadonlyArray<string>) =>
    it.live(
      name,
      () =>
        Effect.gen(function* () {
          const { download, env, folder } = yield* ground()
          const library = join(folder, "kill-point.so")
          assert.strictEqual(spawnSync("gcc", ["-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"]).status, 0)
          const made = Effect.fnUntraced(function* (into: string, range: string, more: ReadonlyArray<string> = []) {
            mkdirSync(join(folder, into))
            const outcome = yield* download(["-a", "A1", "-g", range, "-d", into, ...more])
            assert.strictEqual(outcome.exitCode, 0, outcome.stderr)
            return both.map((file) => readFileSync(join(folder, into, file)))
          })
          const fresh = yield* made("fresh", regions)
          const old = yield* made("old", "chr13")
          const log = join(folder, "operations")
          const runs = Effect.fnUntraced(function* (at: number | null) {
            const into = join(folder, `at-${at}`)
            mkdirSync(into)
            if (overwrite) for (const [i, file] of both.entries()) writeFileSync(join(into, file), old[i] ?? "")
            const wish = ["-a", "A1", "-g", regions, "-d", into, ...(overwrite ? ["--overwrite"] : [])]
            const point: Record<string, string> = at === null ? { KILL_LOG: log } : { KILL_AT: String(at) }
            yield* run("svc-download", wish, {
              cwd: folder,
              env: { ...env, LD_PRELOAD: library, KILL_DIR: into, ...point }
            })
            const seen = both.map((file, i) => {
              if (!existsSync(join(into, file))) return "none"
              const bytes = readFileSync(join(into, file))
              return bytes.equals(fresh[i] ?? bytes.subarray(1))
                ? "new"
                : bytes.equals(old[i] ?? bytes.subarray(1))
                  ? "old"
                  : "torn"
            })
            assert.include(allowed, seen.join(" "), `operation ${at}`)
            const next = yield* download(wish)
            assert.strictEqual(next.exitCode, 0, `operation ${at}: ${next.stderr}`)
            for (const [i, file] of both.entries())
              assert.isTrue(fresh[i]?.equals(readFileSync(join(into, file))), file)
            const lasting = namesIn(into).filter((file) => !file.endsWith(".wait"))
            assert.deepStrictEqual(lasting, both, `operation ${at}`)
          })
          yield* runs(null)
          const count = statSync(log).size
          assert.isAbove(count, 20)
          const points = Array.from({ length: count }, (_, i) => i + 1).filter(
            (at) => everyPoint || (at > count - 14 && at % 3 === 0)
          )
          yield* Effect.forEach(points, runs, { concurrency: 2 })
        }),
      everyPoint ? 1_200_000 : 300_000
    )

  sweep("P1 D14 kill -9: the data file stands only beside its index", false, ["none none", "none new", "new new"])
  sweep("P1 D14 kill -9 with --overwrite: never an index beside other data", true, [
    "old old",
    "old none",
    "new none",
    "new new"
  ])
})

describe("links and hosts", () => {
  it.live(
    "L1 L2 a link that expires in the middle of a slice is renewed without a login, whichever request it hits",
    () =>
      Effect.gen(function* () {
        const digests = yield* calm()
        for (const nth of [1, 2, 3]) {
          const place = yield* ground()
          const expired = { status: 403, body: "<Error><Message>Request has expired</Message></Error>" }
          yield* place.setFaults([fault({ plane: "link", nth }, expired)])
          const outcome = yield* place.download(args)
          assert.strictEqual(outcome.exitCode, 0, outcome.stderr)
          delivered(place, digests)
          assert.strictEqual((yield* place.stats).logins, 1)
          assert.strictEqual(readReport(place.folder, "r.json").files[0]?.renewals, 1)
          assert.notMatch(outcome.stderr, /X-Amz|signature|token=/i)
        }
      })
  )

  it.live("L3 a link that stays forbidden ends with 77 and no file", () =>
    Effect.gen(function* () {
      const { download, folder, setFaults } = yield* ground()
      yield* setFaults([fault({ plane: "link", file: "*.bam" }, { status: 403 })])
      const outcome = yield* download(args)
      assert.strictEqual(outcome.exitCode, 77, outcome.stderr)
      assert.deepStrictEqual(namesIn(folder, "out"), [])
    })
  )

  it.live("N6 N7 N10 H9 broken, silent and encoded ranges are asked for again", () =>
    Effect.gen(function* () {
      const digests = yield* calm()
      for (const effect of [
        { reset: 3000 },
        { close: 3000 },
        { stall: 3000 },
        { reset: "head" },
        { gzip: "claimed" }
      ] as const) {
        const place = yield* ground()
        yield* place.setFaults([fault({ plane: "link", file: "*.bam", nth: 3 }, effect)])
        const outcome = yield* place.download([...args, "--idleTimeout", "1s"])
        assert.strictEqual(outcome.exitCode, 0, `${JSON.stringify(effect)}: ${outcome.stderr}`)
        delivered(place, digests)
      }
    })
  )

  it.live("H1 a host that ignores ranges is refused with 69 instead of fetching the file again and again", () =>
    Effect.gen(function* () {
      const { download, folder, setFaults, stats } = yield* ground()
      yield* setFaults([fault({ plane: "link", file: "*.bam" }, { ignoreRange: true })])
      const outcome = yield* download(args)
      assert.strictEqual(outcome.exitCode, 69, outcome.stderr)
      assert.match(outcome.stderr, /cannot serve single regions/)
      assert.deepStrictEqual(namesIn(folder, "out"), [])
      assert.isAtMost((yield* stats).linkRequests, 2)
    })
  )

  it.live("H3 a file that changes in the middle is sliced anew; the slice is of one version", () =>
    Effect.gen(function* () {
      const place = yield* ground()
      yield* place.setFaults([fault({ plane: "link", file: "*.bam", nth: 3 }, { swap: true })])
      const outcome = yield* place.download(args)
      assert.strictEqual(outcome.exitCode, 0, outcome.stderr)
      assert.match(outcome.stderr, /entity tag changed/)
      assert.deepStrictEqual(namesIn(place.folder, "out"), both)
    })
  )

  it.live("H3 a file that is another one at every other request is given up with 65", () =>
    Effect.gen(function* () {
      const { download, folder, setFaults } = yield* ground()
      const swaps = [2, 4, 6, 8].map((nth) => fault({ plane: "link", file: "*.bam", nth }, { swap: true }))
      yield* setFaults(swaps)
      const outcome = yield* download(args)
      assert.strictEqual(outcome.exitCode, 65, outcome.stderr)
      assert.match(outcome.stderr, /changed 3 times while regions were cut out/)
      assert.deepStrictEqual(namesIn(folder, "out"), [])
    })
  )

  it.live("D2 a flipped bit inside a needed block is found, and gives no file", () =>
    Effect.gen(function* () {
      const { download, folder, setFaults } = yield* ground()
      // After the head and the end.
      yield* setFaults([fault({ plane: "link", file: "*.bam", nth: 3 }, { corrupt: 9000 })])
      const outcome = yield* download(args)
      assert.strictEqual(outcome.exitCode, 65, outcome.stderr)
      assert.deepStrictEqual(namesIn(folder, "out"), [])
    })
  )

  it.live("L9 no cookie and no token goes to the link host", () =>
    Effect.gen(function* () {
      const { download, stats } = yield* ground({ behaviour: { strict: true } })
      const outcome = yield* download(["-a", "A1,A2", "-g", "chr7 chr13", "-d", "out", "-f", "bam,vcf.gz"])
      assert.strictEqual(outcome.exitCode, 0, outcome.stderr)
      const seen = yield* stats
      assert.deepStrictEqual(
        [seen.cookiesSeenByLinkHost, seen.tokensSeenByLinkHost, seen.maxApiInFlight, seen.logins],
        [0, 0, 1, 1]
      )
    })
  )
})

describe("the old slice", () => {
  it.live("mistake 6: --overwrite keeps the old pair until the new one is whole", () =>
    Effect.gen(function* () {
      const { download, folder, setFaults } = yield* ground()
      assert.strictEqual((yield* download(args)).exitCode, 0)
      const before = both.map((name) => readFileSync(join(folder, "out", name)))
      // After the head and the end.
      yield* setFaults([fault({ plane: "link", file: "*.bam", nth: 3 }, { corrupt: 9000 })])
      const outcome = yield* download(["-a", "A1", "-g", "chr7", "-d", "out", "--overwrite"])
      assert.strictEqual(outcome.exitCode, 65, outcome.stderr)
      assert.deepStrictEqual(namesIn(folder, "out"), both)
      for (const [i, name] of both.entries()) assert.isTrue(before[i]?.equals(readFileSync(join(folder, "out", name))))
    })
  )
})
