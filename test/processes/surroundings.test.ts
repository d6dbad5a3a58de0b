/** Slices in the surroundings of a container: no home, no folder for temporary files, nothing to write to but the destination. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ground, namesIn, sha256 } from "../DownloadGround.ts"
import { run } from "../Executables.ts"

const args = ["-a", "A1", "-g", "chr7:117559500-117561000", "-f", "bam,vcf.gz", "-d", "out"]

/** Nobody can make a folder there, not even root. */
const nowhere = "/dev/null/nowhere"

describe("without a place to write to", () => {
  it.live("a slice is made as with one, and only the destination has new files", () =>
    Effect.gen(function* () {
      const { download, env, folder } = yield* ground()
      const slices = ["S1.ranged.bam", "S1.ranged.bam.bai", "S1.ranged.vcf.gz", "S1.ranged.vcf.gz.tbi"]
      const bare = yield* run("svc-download", args, {
        cwd: folder,
        env: { ...env, HOME: nowhere, TMPDIR: nowhere, XDG_CACHE_HOME: nowhere }
      })
      assert.strictEqual(bare.exitCode, 0, bare.stderr)
      assert.deepStrictEqual(namesIn(folder, "out"), slices)
      // The lock folder is the one that is named: without it the run would refuse to begin.
      assert.deepStrictEqual(namesIn(folder), ["locks", "out"])
      const sums = slices.map((name) => sha256(folder, "out", name))
      const usual = yield* download([...args, "--overwrite"])
      assert.strictEqual(usual.exitCode, 0, usual.stderr)
      assert.deepStrictEqual(
        slices.map((name) => sha256(folder, "out", name)),
        sums
      )
    })
  )
})
