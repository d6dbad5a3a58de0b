/** A BCF that the service has under the name of a VCF. */
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Codec } from "../../core/src/genome/bgzf/Codec.ts"
import * as ZlibCodec from "../../platform/inflate/ZlibCodec.ts"
import { ground, namesIn, sha256 } from "../DownloadGround.ts"
import { bgzf, concat, text } from "../genome/Fixtures.ts"
import { runWarm } from "../WarmExecutables.ts"

const header = "##fileformat=VCFv4.2\n##contig=<ID=chr1,length=100>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n\0"

describe("a BCF called .vcf.gz", () => {
  it.live("D16 comes whole and is called by its name; regions of it are refused in one sentence", () =>
    Effect.gen(function* () {
      const codec = yield* Effect.provide(Codec, ZlibCodec.layer)
      const data = mkdtempSync(join(tmpdir(), "svc-bcf-"))
      const length = Uint8Array.of(header.length, 0, 0, 0)
      writeFileSync(
        join(data, "B1.vcf.gz"),
        bgzf(codec, concat(text("BCF"), Uint8Array.of(2, 2), length, text(header)))
      )
      writeFileSync(join(data, "B1.vcf.gz.tbi"), bgzf(codec, text("CSI")))
      const { download, folder } = yield* ground({ data })

      const whole = yield* download(["-a", "A1", "-f", "vcf.gz", "-d", "out"])
      assert.strictEqual(whole.exitCode, 0, whole.stderr)
      assert.strictEqual(sha256(folder, "out", "B1.vcf.gz"), sha256(data, "B1.vcf.gz"))
      const verified = yield* runWarm("svc-verify", ["out/B1.vcf.gz"], { cwd: folder })
      assert.strictEqual(verified.exitCode, 0, verified.stderr)
      assert.match(verified.stdout, /^ok +out\/B1\.vcf\.gz .*BCF/)

      mkdirSync(join(folder, "part"))
      const part = yield* download(["-a", "A1", "-f", "vcf.gz", "-g", "chr1", "-d", "part"])
      assert.strictEqual(part.exitCode, 65, part.stderr)
      assert.include(part.stderr, "B1.vcf.gz: it is BCF, of which no regions can be cut out: download it whole")
      assert.deepStrictEqual(namesIn(folder, "part"), [])
    })
  )
})
