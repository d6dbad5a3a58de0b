/**
 * The long run of the agreement suite: `node test/genome/agree.ts [cases per file] [seed]`, by default 100
 * random BEDs for each of some 30 files. Prints a line per file; a disagreement ends it with the seed, the case and the BED.
 */
import { Effect } from "effect"
import * as ZlibCodec from "../../platform/inflate/ZlibCodec.ts"
import { agreeOnBam, agreeOnVcf } from "./Agreement.ts"
import { folder } from "./Oracles.ts"
import { bamSubjects, vcfSubjects } from "./Subjects.ts"

const cases = Number(process.argv[2] ?? 100)
const seed = Number(process.argv[3] ?? 2)

const report = (data: string, records: number) =>
  Effect.sync(() => process.stdout.write(`${data.replace(/^.*\//, "")}: ${cases} slices, ${records} records agree\n`))

const program = Effect.gen(function* () {
  const path = yield* folder
  for (const subject of yield* bamSubjects(path)) {
    yield* report(subject.data, yield* agreeOnBam(subject, path, seed, cases))
  }
  for (const { by, subject } of yield* vcfSubjects(path)) {
    yield* report(subject.data, yield* agreeOnVcf(subject, path, seed, cases, by))
  }
})

await Effect.runPromise(program.pipe(Effect.scoped, Effect.provide(ZlibCodec.layer)))
