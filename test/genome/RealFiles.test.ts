/** Real files of other projects: their structure passes, and our index parsers agree with those of @gmod. */

import { assert, describe, it } from "@effect/vitest"
import { BamFile } from "@gmod/bam"
import { TabixIndexedFile } from "@gmod/tabix"
import { Effect } from "effect"
import { fromBytes } from "../../core/src/genome/ByteReader.ts"
import { readBamHeader } from "../../core/src/genome/formats/BamHeader.ts"
import { readVcfHeader } from "../../core/src/genome/formats/VcfHeader.ts"
import { checkStructure, readIndex } from "../../core/src/genome/Structure.ts"
import * as ZlibCodec from "../../platform/inflate/ZlibCodec.ts"
import { lacks, unless } from "../Lacks.ts"
import { realBams, realBytes, realFile, realPath, realVcfs } from "./Oracles.ts"
import { walk } from "./Walk.ts"
import { withCodec } from "./WithCodec.ts"

const provided = Effect.provide(ZlibCodec.layer)

describe("real files", unless(lacks.realFiles), () => {
  it.effect.each(realBams)("%s passes with its index", (name) =>
    Effect.gen(function* () {
      const data = { name, reader: realFile(name) }
      const facts = yield* checkStructure(name, data.reader)
      const index = yield* checkStructure(`${name}.bai`, realFile(`${name}.bai`), data)
      assert.strictEqual(index.references, facts.references)
      const walked = yield* walk(name, data.reader)
      assert.isAbove(walked.inflated, data.reader.size)
    }).pipe(provided)
  )

  it.effect.each(realVcfs)("%s passes with its index", (name) =>
    Effect.gen(function* () {
      const data = { name, reader: realFile(name) }
      yield* checkStructure(name, data.reader)
      const index = yield* checkStructure(`${name}.tbi`, realFile(`${name}.tbi`), data)
      assert.isAbove(index.compared, 0)
    }).pipe(provided)
  )

  withCodec("a CSI of a BAM passes", function* () {
    const name = "volvox-sorted.bam"
    const facts = yield* checkStructure(`${name}.csi`, realFile(`${name}.csi`), { name, reader: realFile(name) })
    assert.strictEqual(facts.compared, 1)
  })

  withCodec("an index beside another file does not pass", function* () {
    for (const name of realBams) {
      for (const other of realBams) {
        if (name === other || name === "empty.bam" || other === "empty.bam") continue
        const result = yield* Effect.flip(
          checkStructure(`${other}.bai`, realFile(`${other}.bai`), { name, reader: realFile(name) })
        )
        assert.include(["IndexMismatch", "BadBlock"], result.fault, `${other}.bai beside ${name}`)
      }
    }
  })

  it.effect.each(realBams)("%s: header and index as @gmod/bam reads them", (name) =>
    Effect.gen(function* () {
      const gmod = new BamFile({ bamPath: realPath(name), baiPath: realPath(`${name}.bai`) })
      const header = yield* readBamHeader(name, realFile(name))
      yield* Effect.promise(() => gmod.getHeader())
      const text = yield* Effect.promise(() => gmod.getHeaderText())
      assert.strictEqual(new TextDecoder().decode(header.text), text?.replace(/\0+$/, ""))
      const ourIndex = (yield* readIndex(name, realFile(`${name}.bai`))).index
      const index = gmod.index
      if (index === undefined) return assert.fail("@gmod/bam has no index")
      for (const [ref, { length }] of header.references.entries()) {
        const ours = ourIndex.reference(ref)
        const theirs = yield* Effect.promise(() => index.lineCount(ref))
        if (ours.counts !== null) assert.strictEqual(ours.counts.mapped, theirs)
        const chunks = yield* Effect.promise(() => index.blocksForRange(ref, 0, length))
        assert.strictEqual(
          chunks.length > 0,
          [...ours.bins.values()].some((bin) => bin.chunks.length > 0)
        )
      }
    }).pipe(provided)
  )

  it.effect.each(realVcfs)("%s: header and index as @gmod/tabix reads them", (name) =>
    Effect.gen(function* () {
      const gmod = new TabixIndexedFile({ path: realPath(name), tbiPath: realPath(`${name}.tbi`) })
      const header = yield* readVcfHeader(name, realFile(name))
      const text = yield* Effect.promise(() => gmod.getHeader())
      assert.strictEqual(new TextDecoder().decode(header.text).trimEnd(), text.trimEnd())
      const { columns } = yield* readIndex(name, realFile(`${name}.tbi`))
      assert.deepStrictEqual(columns?.names, yield* Effect.promise(() => gmod.getReferenceSequenceNames()))
    }).pipe(provided)
  )

  withCodec("D1 each real BAM without its last 28 bytes is truncated", function* () {
    for (const name of realBams) {
      const bytes = realBytes(name)
      const fault = yield* Effect.flip(checkStructure(name, fromBytes(bytes.subarray(0, -28))))
      assert.strictEqual(fault.fault, "Truncated")
    }
  })
})
