/**
 * The long run of the agreement suite: `npm run agree [-- cases seed]`, by default 100 random BEDs for each of some 30 files, compared with
 * a scan without an index and with the tools, and five times as many for each kind of index that may lie. Prints a line per file; a
 * disagreement ends it with the seed, the case and the BED.
 */
import { Effect, Logger } from "effect"
import * as ZlibCodec from "../../platform/inflate/ZlibCodec.ts"
import { agreeOnBam, agreeOnVcf } from "./Agreement.ts"
import { lossKinds, tryLosses } from "./Losses.ts"
import { folder } from "./Oracles.ts"
import { bamSubjects, vcfSubjects } from "./Subjects.ts"

const cases = Number(process.argv[2] ?? 100)
const seed = Number(process.argv[3] ?? 2)

const report = (data: string, records: number) =>
  Effect.sync(() => process.stdout.write(`${data.replace(/^.*\//, "")}: ${cases} slices, ${records} records agree\n`))

const program = Effect.gen(function* () {
  for (const kind of lossKinds) {
    const refused = yield* tryLosses(kind, 5 * cases, seed)
    process.stdout.write(`an index without ${kind}: ${5 * cases} slices, ${refused} refused, the others agree\n`)
  }
  const path = yield* folder
  for (const subject of yield* bamSubjects(path)) {
    yield* report(subject.data, yield* agreeOnBam(subject, path, seed, cases))
  }
  for (const { by, subject } of yield* vcfSubjects(path)) {
    yield* report(subject.data, yield* agreeOnVcf(subject, path, seed, cases, by))
  }
})

await Effect.runPromise(program.pipe(Effect.scoped, Effect.provide([ZlibCodec.layer, Logger.layer([])])))
