import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ZlibCodec from "../../platform/inflate/ZlibCodec.ts"
import { makeSamples } from "../../sandbox/samples/Samples.ts"
import { run } from "../Executables.ts"
import { temporaryFolder } from "../TemporaryFolder.ts"

describe("svc-verify, as a process", () => {
  it.live("proves files to their last byte; one flipped bit is 65, a file that is not there 66, wrong usage 64", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder("svc-verify-")
      const files = yield* Effect.provide(makeSamples(1), ZlibCodec.layer)
      for (const { bytes, name } of files.slice(0, 4)) writeFileSync(join(folder, name), bytes())
      const verify = (...args: ReadonlyArray<string>) => run("svc-verify", args, { cwd: folder })
      const good = yield* verify(".")
      assert.strictEqual(good.exitCode, 0, good.stdout + good.stderr)
      assert.lengthOf(good.stdout.match(/^ok /gm) ?? [], 4)
      const bytes = readFileSync(join(folder, "S1.bam"))
      const middle = bytes.length >> 1
      bytes.writeUInt8(bytes.readUInt8(middle) ^ 16, middle)
      writeFileSync(join(folder, "S1.bam"), bytes)
      const spoilt = yield* verify("S1.bam")
      assert.strictEqual(spoilt.exitCode, 65, spoilt.stderr)
      assert.match(spoilt.stdout, /^FAILED +S1\.bam/m)
      assert.strictEqual((yield* verify("nothing.bam")).exitCode, 66)
      const usage = yield* verify("--chek")
      assert.deepStrictEqual([usage.exitCode, usage.stdout], [64, ""])
    })
  )
})
