/** `svc-verify` on indexes under their other name, and without a network; what it says of files is in verify.transcript. */
import { mkdirSync, renameSync, statSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ZlibCodec from "../../platform/inflate/ZlibCodec.ts"
import { makeSamples } from "../../sandbox/samples/Samples.ts"
import { ground, namesIn } from "../DownloadGround.ts"
import { run } from "../Executables.ts"
import { temporaryFolder } from "../TemporaryFolder.ts"
import { runWarm } from "../WarmExecutables.ts"

// Made once: it takes half a second.
const samples = Effect.runSync(Effect.cached(Effect.provide(makeSamples(1), ZlibCodec.layer)))

/** A folder with the files of one sandbox sample: S1.bam, S1.bam.bai, S1.vcf.gz, S1.vcf.gz.tbi. */
const sample = Effect.gen(function* () {
  const folder = yield* temporaryFolder("svc-verify-")
  const files = yield* samples
  for (const { bytes, name } of files.slice(0, 4)) writeFileSync(join(folder, name), bytes())
  return folder
})

describe("svc-verify", () => {
  it.live("D16 S1.bai is the index of S1.bam everywhere: served, fetched, used for regions and verified", () =>
    Effect.gen(function* () {
      const folder = yield* sample
      const data = join(folder, "data")
      mkdirSync(data)
      for (const [from, to] of [
        ["S1.bam", "S1.bam"],
        ["S1.bam.bai", "S1.bai"],
        ["S1.vcf.gz", "S1.vcf.gz"],
        ["S1.vcf.gz.tbi", "S1.vcf.tbi"]
      ] as const) {
        renameSync(join(folder, from), join(data, to))
      }
      const own = yield* ground({ data })
      const out = join(own.folder, "out")
      const fetched = yield* own.download(["-a", "A1", "-d", "out", "-f", "bam,bam.bai,vcf.gz,vcf.gz.tbi"])
      assert.strictEqual(fetched.exitCode, 0, fetched.stderr)
      assert.deepStrictEqual(namesIn(out), ["S1.bai", "S1.bam", "S1.vcf.gz", "S1.vcf.tbi"])
      const cut = yield* own.download(["-a", "A1", "-d", "out", "-f", "bam,vcf.gz", "-g", "chr1:155234500-155236000"])
      assert.strictEqual(cut.exitCode, 0, cut.stderr)
      const { exitCode, stdout } = yield* runWarm("svc-verify", [out], { cwd: own.folder })
      assert.strictEqual(exitCode, 0, stdout)
      for (const [index, file] of [
        ["S1.bai", "S1.bam"],
        ["S1.vcf.tbi", "S1.vcf.gz"]
      ] as const) {
        assert.include(stdout, `belongs to ${join(out, file)}`)
        truncateSync(join(out, index), statSync(join(out, index)).size - 3)
        const cutOff = yield* runWarm("svc-verify", [out], { cwd: own.folder })
        assert.strictEqual(cutOff.exitCode, 65, cutOff.stdout)
        assert.match(cutOff.stdout, new RegExp(`^FAILED +${join(out, index)}: .*byte `, "m"))
      }
    })
  )

  it.live("uses no network, also where spans have a collector", () =>
    Effect.gen(function* () {
      const folder = yield* sample
      const preloaded = join(folder, "offline.cjs")
      writeFileSync(
        preloaded,
        `const used = () => process.exit(99)
        require("node:net").Socket.prototype.connect = used
        require("node:dgram").createSocket = used
        require("node:dns").lookup = used`
      )
      const env = { NODE_OPTIONS: `--require ${preloaded}`, OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" }
      const outcome = yield* run("svc-verify", ["S1.bam"], { cwd: folder, env })
      assert.strictEqual(outcome.exitCode, 0, outcome.stderr)
    })
  )
})
