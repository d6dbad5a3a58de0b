/**
 * Compares the genotypes of two analyses at some sites: are they of one person?
 *
 *     node same-person.ts A1 A2 chr17:43044295-43125364 chr7:117559500-117561000
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect, Layer, Stream } from "effect"
import { Ids } from "svc-steps"
import { Service } from "svc-steps/node"
import { Variants } from "svc-steps/records"

/** The bases of the first sample at each site that its VCF has, in no order. */
const genotypesOf = Effect.fn("genotypesOf")(function* (analysis: Ids.AnalysisId, range: string) {
  const { stream } = yield* Variants
  return yield* stream(analysis, { range }).pipe(
    Stream.runFold(
      () => new Map<string, string>(),
      (found, variant) => {
        const alleles = [variant.REF, ...(variant.ALT ?? [])]
        const [genotype = "./."] = Object.values(variant.GENOTYPES())
        const bases = genotype.split(/[|/]/).map((allele) => alleles[Number(allele)] ?? "?")
        return found.set(`${variant.CHROM}:${variant.POS}`, bases.sort().join("/"))
      }
    )
  )
})

const program = Effect.fn("program")(function* (one: string, other: string, sites: ReadonlyArray<string>) {
  const [first, second] = yield* Effect.all(
    [genotypesOf(Ids.AnalysisId.make(one), sites.join(" ")), genotypesOf(Ids.AnalysisId.make(other), sites.join(" "))],
    { concurrency: 2 }
  )
  const common = [...first.keys()].filter((site) => second.has(site))
  const same = common.filter((site) => first.get(site) === second.get(site))
  yield* Console.log(`${same.length} of ${common.length} genotypes are the same`)
})

const layer = Variants.layer.pipe(Layer.provideMerge(Service.layerConfig()))
const [one = "", other = "", ...sites] = process.argv.slice(2)
program(one, other, sites).pipe(Effect.provide(layer), NodeRuntime.runMain)
