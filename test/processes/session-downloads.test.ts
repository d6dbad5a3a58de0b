/** `svc-download` over many analyses while its session ends, told from analyses that the account may not see. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { FaultRule } from "../../sandbox/Faults.ts"
import { fault, ground, namesIn, readReport } from "../DownloadGround.ts"

const ids = Array.from({ length: 10 }, (_, index) => `B${index + 1}`)
const world = {
  analyses: ids.map((id) => ({ id, files: [{ name: `${id}.vcf.gz`, copyOf: "A1/S1.vcf.gz" }] }))
}

const links = { endpoint: "getFileDownloadLinks" } as const
/** The session ends before the n-th request for links. */
const endsAt = (nth: number) => fault({ ...links, nth }, { invalidate: "forbid" })
const forbidden = (analysis: string) => fault({ ...links, analysis }, { status: 403 })

/** Downloads the ten analyses. */
const tenAnalyses = Effect.fnUntraced(function* (...faults: ReadonlyArray<FaultRule>) {
  const { download, folder, stats } = yield* ground({ world, faults, behaviour: { strict: true } })
  const outcome = yield* download(["-a", ids.join(","), "-f", "vcf.gz", "-d", "out", "--reportfile", "report.json"])
  assert.include([0, 77], outcome.exitCode, outcome.stderr)
  const { logins, overlaps, requests } = yield* stats
  const failed = readReport(folder, "report.json").files.filter(({ error }) => error !== null)
  assert.strictEqual(overlaps, 0)
  return {
    stderr: outcome.stderr,
    exitCode: outcome.exitCode,
    names: namesIn(folder, "out").length,
    failed: failed.map(({ analysisId, error }) => `${analysisId} ${error?.tag}`),
    logins,
    asked: requests["getFileDownloadLinks"] ?? 0
  }
})

describe("a run over ten analyses", () => {
  for (const [when, ends] of [
    ["at two of them", [3, 7]],
    ["at the first request, and again at its repetition", [1, 2]],
    ["in the middle, and again at the repetition", [5, 6]],
    ["twice, and once more while it is asked what the session is worth", [5, 6, 7]]
  ] as const) {
    it.live(`S7 the session ends by 403 within a minute ${when}: all files come`, () =>
      Effect.gen(function* () {
        const { exitCode, logins, names, stderr } = yield* tenAnalyses(...ends.map(endsAt))
        assert.strictEqual(exitCode, 0, stderr)
        assert.strictEqual(names, 10)
        assert.isAtMost(logins, 1 + ends.length)
      })
    )
  }

  for (const first of ["B1", "B6"]) {
    it.live(`S4 ${first} is forbidden: the others come, for one login and a few requests more`, () =>
      Effect.gen(function* () {
        const { asked, exitCode, failed, logins, names, stderr } = yield* tenAnalyses(forbidden(first))
        assert.strictEqual(exitCode, 77, stderr)
        assert.deepStrictEqual(failed, [`${first} Forbidden`])
        assert.strictEqual(names, 9)
        assert.strictEqual(logins, 2)
        assert.isAtMost(asked, 14)
      })
    )
  }

  it.live("S4 S7 one is forbidden and the session ends twice besides: only that one fails", () =>
    Effect.gen(function* () {
      const { exitCode, failed, logins, names, stderr } = yield* tenAnalyses(endsAt(6), endsAt(7), forbidden("B3"))
      assert.strictEqual(exitCode, 77, stderr)
      assert.deepStrictEqual(failed, ["B3 Forbidden"])
      assert.strictEqual(names, 9)
      assert.isAtMost(logins, 4)
    })
  )
})
