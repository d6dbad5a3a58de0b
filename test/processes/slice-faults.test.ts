/** Slices as a process: a stop in the middle, what a link host gets to see, and an old slice that a new one replaces. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { fault, type Ground, ground, namesIn, readReport, sha256 } from "../DownloadGround.ts"
import { start, untilOrEnd } from "../Executables.ts"

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
})

describe("links and hosts", () => {
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
