/** A short run of the agreement suite; `test/genome/agree.ts` is the long one. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ZlibCodec from "../../platform/inflate/ZlibCodec.ts"
import { agreeOnBam, agreeOnVcf } from "../genome/Agreement.ts"
import { lossKinds, tryLosses } from "../genome/Losses.ts"
import { folder } from "../genome/Oracles.ts"
import { bamSubjects, vcfSubjects } from "../genome/Subjects.ts"
import { lacks, unless } from "../Lacks.ts"

describe("slices by an index that may lie", () => {
  for (const kind of lossKinds) {
    it.effect(`D7 what lacks ${kind} gives what a scan without an index finds, or is refused`, () =>
      Effect.map(tryLosses(kind, 60, 1), (refused) => assert.isBelow(refused, kind === "its file" ? 61 : 30)).pipe(
        Effect.provide(ZlibCodec.layer)
      )
    )
  }
})

describe("slices agree with the tools", unless(lacks.genomeTools, lacks.realFiles), () => {
  it.live(
    "D15 BAM: the records of samtools view -M -L, in file order, each once",
    () =>
      Effect.gen(function* () {
        const path = yield* folder
        let records = 0
        for (const subject of yield* bamSubjects(path)) records += yield* agreeOnBam(subject, path, 1, 3)
        assert.isAbove(records, 1_000)
      }).pipe(Effect.provide(ZlibCodec.layer)),
    { timeout: 600_000 }
  )
  it.live(
    "D15 VCF: the lines of bcftools view -R, each once",
    () =>
      Effect.gen(function* () {
        const path = yield* folder
        let records = 0
        for (const { by, subject } of yield* vcfSubjects(path)) records += yield* agreeOnVcf(subject, path, 1, 3, by)
        assert.isAbove(records, 100)
      }).pipe(Effect.provide(ZlibCodec.layer)),
    { timeout: 600_000 }
  )
})
