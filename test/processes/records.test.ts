/** Every field of every record of real files, as samtools and bcftools print them. */
import { copyFileSync, existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Stream } from "effect"
import type { BamRecord } from "../../core/src/records/BamRecord.ts"
import { Reads } from "../../core/src/records/Reads.ts"
import { Variants } from "../../core/src/records/Variants.ts"
import { realBams, realPath, realVcfs, tool } from "../genome/Oracles.ts"
import { lacks, unless } from "../Lacks.ts"
import { folderOf, idsOf, libraryOver } from "../records/Library.ts"

const names = lacks.realFiles === null ? [...realBams, ...realVcfs] : []
const folder = folderOf({})
mkdirSync(folder, { recursive: true })
const all = names.flatMap((name) => [name, `${name}.bai`, `${name}.tbi`]).filter((name) => existsSync(realPath(name)))
for (const name of all) copyFileSync(realPath(name), join(folder, name))
const idOf = idsOf(all)
const stemOf = (name: string) => name.replace(/\.(bam|vcf\.gz)$/, "")

/** The line of a read without its tags, as samtools prints it. */
const lineOf = (one: BamRecord, references: ReadonlyArray<{ readonly name: string }>): string => {
  const nameOf = (number: number) => references[number]?.name ?? "*"
  const mate = one.next_refid === one.ref_id && one.ref_id >= 0 ? "=" : nameOf(one.next_refid)
  const quality = one.qual === null ? "*" : String.fromCharCode(...Array.from(one.qual, (value) => value + 33))
  return [
    ...[one.name, one.flags, nameOf(one.ref_id), one.start + 1, one.mq ?? 255, one.CIGAR || "*", mate],
    ...[one.next_pos + 1, one.template_length, one.seq || "*", quality]
  ].join("\t")
}

/** A tag as `XX:value`; floats as samtools shortens them. */
const tagOf = (name: string, value: unknown): string => {
  const short = (one: unknown) => (typeof one === "number" && !Number.isInteger(one) ? Number(one.toPrecision(6)) : one)
  return typeof value === "string" || typeof value === "number"
    ? `${name}:${short(value)}`
    : `${name}:${Array.from(value as Iterable<number>, short).join(",")}`
}

const theirTag = (text: string): string => {
  const [, name = "", type, value = ""] = /^(..):(.):(.*)$/s.exec(text) ?? []
  if (type === "B") return `${name}:${value.slice(2).split(",").map(Number).join(",")}`
  return type === "f" || type === "i" ? `${name}:${Number(value)}` : `${name}:${value}`
}

if (lacks.realFiles === null) {
  layer(libraryOver(folder), { excludeTestServices: true })("records of real files", (it) => {
    for (const name of realBams) {
      it.effect(
        `${name}: samtools view`,
        () =>
          Effect.gen(function* () {
            const { header, stream } = yield* Reads
            const id = idOf(stemOf(name))
            const { references } = yield* header(id)
            const lines = tool("samtools", "view", realPath(name)).split("\n").filter(Boolean)
            let at = 0
            yield* Stream.runForEach(stream(id), (one) =>
              Effect.sync(() => {
                const columns = (lines[at++] ?? "").split("\t")
                assert.strictEqual(lineOf(one, references), columns.slice(0, 11).join("\t"))
                const tags = Object.entries(one.tags).map(([tag, value]) => tagOf(tag, value))
                assert.deepStrictEqual(tags, columns.slice(11).map(theirTag))
              })
            )
            assert.strictEqual(at, lines.length)
          }),
        unless(lacks.genomeTools)
      )
    }
    for (const name of realVcfs) {
      it.effect(
        `${name}: the lines of the file, with their columns`,
        () =>
          Effect.gen(function* () {
            const { stream } = yield* Variants
            const lines = tool("bgzip", "-dc", realPath(name))
              .split("\n")
              .filter((line) => line !== "" && !line.startsWith("#"))
            const found = yield* Stream.runCollect(stream(idOf(stemOf(name))))
            assert.deepStrictEqual(
              found.map(({ line }) => line),
              lines
            )
            assert.deepStrictEqual(
              found.map(({ ALT, CHROM, POS, REF }) => [CHROM, `${POS}`, REF, ALT?.join(",") ?? "."]),
              lines.map((line) => line.split("\t")).map(([chrom, pos, , ref, alt]) => [chrom, pos, ref, alt])
            )
          }),
        unless(lacks.genomeTools)
      )
    }
  })
} else {
  describe("records of real files", () => {
    for (const name of [...realBams, ...realVcfs]) it(name, unless(lacks.realFiles), () => {})
  })
}
