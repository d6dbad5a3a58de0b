/**
 * The reads of a large file as records, beside the slice of the same region: CPU, memory and bytes. Each form has a process of its own.
 *
 *     node scripts/ensure.mjs bench/records.ts [reads]
 */
import { execFile } from "node:child_process"
import { Effect, Layer, Stream } from "effect"
import { AnalysisId } from "../core/src/contract/Ids.ts"
import { Codec } from "../core/src/genome/bgzf/Codec.ts"
import { Reads } from "../core/src/records/Reads.ts"
import { Slices } from "../core/src/records/Slices.ts"
import * as ZlibCodec from "../platform/inflate/ZlibCodec.ts"
import * as Service from "../platform/Service.ts"
import { Sandbox } from "../sandbox/Sandbox.ts"
import { bamFile, read } from "../test/genome/Fixtures.ts"
import { folderOf } from "../test/records/Library.ts"

const id = AnalysisId.make("A1")
const regions = { range: "chr1" }

const forms = {
  slice: Slices.use(({ bytes }) => Stream.runDrain(bytes(id, { filetype: "bam", ...regions }))),
  records: Reads.use(({ stream }) =>
    Stream.runForEachArray(stream(id, regions), (some) =>
      Effect.sync(() => {
        for (const { flags } of some) if (flags < 0) throw new Error("no flags")
      })
    )
  )
}

/** CPU seconds and peak memory (MB) of one form, against the service of the environment. */
const measure = (form: keyof typeof forms) =>
  Effect.gen(function* () {
    const before = process.cpuUsage()
    yield* forms[form]
    const { system, user } = process.cpuUsage(before)
    console.log(JSON.stringify({ cpu: (system + user) / 1e6, rss: process.resourceUsage().maxRSS / 1024 }))
  }).pipe(Effect.provide(Layer.mergeAll(Slices.layer, Reads.layer).pipe(Layer.provide(Service.layerConfig()))))

const [first = "200000"] = process.argv.slice(2)
if (first in forms) await Effect.runPromise(measure(first as keyof typeof forms))
else {
  const count = Number(first)
  let state = 1
  const next = (below: number) => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
  const letters = () => Array.from({ length: 150 }, () => "ACGT"[next(4)]).join("")
  const reads = Array.from({ length: count }, (_, i) => ({
    ...read(`read-${i}`, 0, Math.floor((i * 990_000) / count), [[150, "M"]]),
    bases: letters(),
    qualities: Array.from({ length: 150 }, () => next(8) * 5)
  }))
  await Effect.runPromise(
    Effect.gen(function* () {
      const { bai, bam } = bamFile(yield* Codec, reads)
      const data = folderOf({ "S1.bam": bam, "S1.bam.bai": bai })
      yield* Effect.gen(function* () {
        const { password, settings, stats, url, user } = yield* Sandbox
        const env = {
          ...process.env,
          ...{ SVC_TARGET: url, SVC_USER: user, SVC_PASSWORD: password, SVC_LOCK_DIR: settings.lockDir }
        }
        let fetched = (yield* stats).linkBytes
        for (let round = 0; round < 3; round++) {
          for (const form of Object.keys(forms)) {
            const child = yield* Effect.callback<string>((resume) => {
              execFile(process.execPath, [import.meta.filename, form], { env }, (error, stdout, stderr) =>
                resume(Effect.succeed(error === null ? stdout.trim() : stderr))
              )
            })
            const now = (yield* stats).linkBytes
            console.log(`${form}\t${child}\t${now - fetched} bytes of ${bam.length}`)
            fetched = now
          }
        }
      }).pipe(Effect.provide(Sandbox.layer({ data })))
    }).pipe(Effect.provide(ZlibCodec.layer), Effect.scoped)
  )
}
