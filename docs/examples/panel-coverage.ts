/**
 * The mean depth of the regions of a panel in some analyses, as a table; no file is written.
 *
 *     node panel-coverage.ts A1 A2 A3 A4 A5
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect, Layer, Stream } from "effect"
import { Ids } from "svc-steps"
import { Service } from "svc-steps/node"
import { Reads } from "svc-steps/records"

/** 1-based, inclusive. */
const panel = [
  { name: "BRCA1", chr: "chr17", start: 43_044_295, end: 43_125_364 },
  { name: "CFTR", chr: "chr7", start: 117_559_500, end: 117_561_000 }
]
const range = panel.map(({ chr, end, start }) => `${chr}:${start}-${end}`).join(" ")

/** Unmapped, secondary, failed and duplicate reads, which samtools does not count either. */
const uncounted = 0x704

const depthsOf = Effect.fn("depthsOf")(function* (analysis: Ids.AnalysisId) {
  const reads = yield* Reads
  const { references } = yield* reads.header(analysis)
  const bases = panel.map(() => 0)
  yield* Stream.runForEachArray(reads.stream(analysis, { range }), (some) =>
    Effect.sync(() => {
      for (const { end, flags, ref_id, start } of some) {
        if ((flags & uncounted) !== 0) continue
        for (const [i, region] of panel.entries()) {
          if (references[ref_id]?.name !== region.chr) continue
          bases[i] = (bases[i] ?? 0) + Math.max(0, Math.min(end, region.end) - Math.max(start, region.start - 1))
        }
      }
    })
  )
  return panel.map(({ end, start }, i) => (bases[i] ?? 0) / (end - start + 1))
})

const program = Effect.fn("program")(function* (ids: ReadonlyArray<string>) {
  yield* Console.log(["analysis", ...panel.map(({ name }) => name)].join("\t"))
  for (const id of ids) {
    const depths = yield* depthsOf(Ids.AnalysisId.make(id))
    yield* Console.log([id, ...depths.map((depth) => depth.toFixed(1))].join("\t"))
  }
})

const layer = Reads.layer.pipe(Layer.provideMerge(Service.layerConfig()))
program(process.argv.slice(2)).pipe(Effect.provide(layer), NodeRuntime.runMain)
