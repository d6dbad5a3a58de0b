/** Files as streams of bytes and records, by the library over a sandbox. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Data, Effect, Stream } from "effect"
import { AnalysisId } from "../../core/src/contract/Ids.ts"
import type { RecordsError } from "../../core/src/download/Downloads.ts"
import { Downloads } from "../../core/src/download/Downloads.ts"
import * as Bgzf from "../../core/src/genome/bgzf/Bgzf.ts"
import { Codec } from "../../core/src/genome/bgzf/Codec.ts"
import { encodeBamHeader } from "../../core/src/genome/formats/BamHeader.ts"
import { Flag, type RecordFields } from "../../core/src/genome/formats/BamRecord.ts"
import type { FileType } from "../../core/src/genome/formats/FileNames.ts"
import type { BamRecord } from "../../core/src/records/BamRecord.ts"
import { Reads } from "../../core/src/records/Reads.ts"
import { Slices } from "../../core/src/records/Slices.ts"
import { Variants } from "../../core/src/records/Variants.ts"
import * as ZlibCodec from "../../platform/inflate/ZlibCodec.ts"
import { Sandbox } from "../../sandbox/Sandbox.ts"
import { makeSamples } from "../../sandbox/samples/Samples.ts"
import { bamFile, bgzf, concat, read, text } from "../genome/Fixtures.ts"
import { folderOf, idsOf, libraryOver } from "./Library.ts"

const codec = Effect.runSync(Effect.provide(Codec, ZlibCodec.layer))
const samples = Effect.runSync(Effect.provide(makeSamples(1), ZlibCodec.layer))
const sample = (name: string) => samples.find((one) => one.name === name)?.bytes() ?? assert.fail(`no ${name}`)

/** Reads whose bases and qualities do not shrink, so that a file has many ranges. */
const noisy = (count: number): ReadonlyArray<RecordFields> => {
  let state = 1
  const next = (below: number) => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
  return Array.from({ length: count }, (_, i) => ({
    ...read(`r${i}`, 0, i * 200, [[500, "M"]]),
    bases: Array.from({ length: 500 }, () => "ACGT"[next(4)]).join(""),
    qualities: Array.from({ length: 500 }, () => next(40))
  }))
}

const many = noisy(4_000)
const large = bamFile(codec, many, { blockBytes: 20_000 })
/** Records in three and more blocks, and all that a CIGAR can be. */
const odd: ReadonlyArray<RecordFields> = [
  read("plain", 0, 10, [[50, "M"]]),
  // The CIGAR of an aligner's try.
  {
    ...read(
      "tried",
      0,
      20,
      [
        [30, "M"],
        [5, "I"],
        [15, "M"]
      ],
      Flag.unmapped
    ),
    qualities: Array(50).fill(7)
  },
  { ...read("bare", 0, 30, [], 0), bases: "", qualities: [] },
  read("padded", 0, 40, [
    [20, "M"],
    [3, "P"],
    [4, "D"],
    [10, "N"],
    [30, "S"]
  ]),
  read("clipped", 0, 50, [[50, "S"]], 0),
  { ...read("unplaced", -1, -1, [], Flag.unmapped), bases: "ACGTN", qualities: [1, 2, 3, 4, 5] }
]
const odds = bamFile(codec, odd, { blockBytes: 40 })

/** The block at `share` of the file, with a bit of its content flipped. */
const flipped = (bytes: Uint8Array, share: number) => {
  const starts: Array<number> = []
  for (let at = 0; at < bytes.length; at += Bgzf.blockSize(bytes, at)) starts.push(at)
  const at = starts[Math.floor(starts.length * share)] ?? 0
  const planted = bytes.slice()
  planted[at + 400] = (planted[at + 400] ?? 0) ^ 4
  return { bytes: planted, at }
}
const damaged = flipped(large.bam, 0.6)
const wrongOrder = bamFile(codec, [...many.slice(0, 2_000), ...many.slice(2_500, 2_600), ...many.slice(2_000, 2_500)])
const bcf = bgzf(
  codec,
  concat(text("BCF"), Uint8Array.of(2, 2, 31, 0, 0, 0), text("#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFIL\0"))
)

/** Nothing but a header, one line of which is not UTF-8. */
const latin1 = bgzf(
  codec,
  encodeBamHeader(
    concat(text("@RG\tID:a\tSM:Zürich\n@CO\tUniversit"), Uint8Array.of(0xe4), text("t\n@RG\tID:b\tSM:x\n")),
    []
  )
)

const files = {
  "a-large.bam": large.bam,
  "a-large.bam.bai": large.bai,
  "b-odd.bam": odds.bam,
  "b-odd.bam.bai": odds.bai,
  "c-damaged.bam": damaged.bytes,
  "c-damaged.bam.bai": large.bai,
  "d-alone.bam": large.bam.subarray(0, large.bam.length - Bgzf.eofBlock.length),
  "e-foreign.bam": large.bam,
  "e-foreign.bam.bai": sample("S1.bam.bai"),
  "f-cold.archived.bam": odds.bam,
  "g-bcf.vcf.gz": bcf,
  "h-order.bam": wrongOrder.bam,
  "h-order.bam.bai": wrongOrder.bai,
  "i-sample.bam": sample("S1.bam"),
  "i-sample.bam.bai": sample("S1.bam.bai"),
  "i-sample.vcf.gz": sample("S1.vcf.gz"),
  "i-sample.vcf.gz.tbi": sample("S1.vcf.gz.tbi"),
  "j-latin1.bam": latin1
}
const folder = folderOf(files)
const idOf = idsOf(Object.keys(files))

/** An analysis with several files of a type. */
const pair = AnalysisId.make("PAIR")
const copies = (name: string, stem: string) =>
  Object.keys(files).flatMap((file) =>
    file.startsWith(`${stem}.`) ? [{ name: file.replace(stem, name), copyOf: `${idOf(stem)}/${file}` }] : []
  )
const world = {
  analyses: [
    { id: pair, files: [...copies("normal", "b-odd"), ...copies("tumor", "i-sample"), ...copies("old", "g-bcf")] }
  ]
}

const bytesOf = Effect.fnUntraced(function* (...args: Parameters<Slices["Service"]["bytes"]>) {
  const parts: Array<Uint8Array> = []
  const error = yield* Slices.use(({ bytes }) =>
    Stream.runForEach(bytes(...args), (part) => Effect.sync(() => void parts.push(part)))
  ).pipe(Effect.match({ onFailure: (error) => error, onSuccess: () => null }))
  return { bytes: concat(...parts), error }
})

/** All records that came, and the failure after them. */
const recordsOf = Effect.fnUntraced(function* (...args: Parameters<Reads["Service"]["stream"]>) {
  const records: Array<BamRecord> = []
  const error = yield* Reads.use(({ stream }) =>
    Stream.runForEach(stream(...args), (one) => Effect.sync(() => void records.push(one)))
  ).pipe(Effect.match({ onFailure: (error) => error, onSuccess: () => null }))
  return { records, names: records.map(({ name }) => name), error }
})

const names = many.map(({ name }) => name)

/** What the stream of a damaged file gives is the beginning of what a sound one has. */
const isBeginning = (found: ReadonlyArray<string>, least: number) => {
  assert.isAbove(found.length, least)
  assert.deepStrictEqual(found, names.slice(0, found.length))
}

const all = { range: "chr1" }
class Refused extends Data.TaggedError("Refused") {}

layer(libraryOver(folder, world), { excludeTestServices: true })("records", (it) => {
  it.effect("bytes of a file, a slice and an index are those that a download writes", () =>
    Effect.gen(function* () {
      const { folder: destination } = yield* Sandbox
      const id = idOf("i-sample")
      for (const [filetype, name] of [
        ["bam", "i-sample.bam"],
        ["vcf.gz", "i-sample.vcf.gz"],
        ["bam.bai", "i-sample.bam.bai"],
        ["vcf.gz.tbi", "i-sample.vcf.gz.tbi"]
      ] as const) {
        assert.deepStrictEqual(yield* bytesOf(id, { filetype }), { bytes: files[name], error: null })
      }
      const range = "chr17:43,044,295-43,125,364 chr7:117559500-117561000"
      const options = { analysisIds: [id], destination, range, filetypes: ["bam", "vcf.gz"] } as const
      yield* Downloads.use(({ fetch }) => fetch(options))
      for (const filetype of options.filetypes) {
        const { bytes, error } = yield* bytesOf(id, { filetype, range })
        assert.isNull(error)
        assert.isTrue(Buffer.from(bytes).equals(readFileSync(join(destination, `i-sample.ranged.${filetype}`))))
      }
    })
  )

  it.effect("reads of a whole file have all fields, also where records lie in several blocks", () =>
    Effect.gen(function* () {
      const { error, names, records } = yield* recordsOf(idOf("b-odd"))
      assert.isNull(error)
      assert.deepStrictEqual(
        names,
        odd.map(({ name }) => name)
      )
      const shown = (some: RecordFields) => [
        some.flags,
        some.refId,
        some.position,
        some.mapq,
        some.cigar.flat().join(""),
        some.bases,
        [...some.qualities]
      ]
      assert.deepStrictEqual(
        records.map((one) => [
          one.flags,
          one.ref_id,
          one.start,
          one.mq,
          one.CIGAR,
          one.seq,
          Array.from(one.qual ?? [])
        ]),
        odd.map(shown)
      )
      assert.deepStrictEqual(
        records.map(({ length_on_ref }) => length_on_ref),
        [50, 0, 0, 34, 1, 0]
      )
      assert.deepStrictEqual(
        records.map(({ end, start }) => end - start),
        [50, 1, 1, 34, 1, 1]
      )
      assert.deepStrictEqual(
        records.map((one) => one.getTag("NM")),
        odd.map(() => 0)
      )
      const regional = yield* recordsOf(idOf("b-odd"), { range: "chr1:35-45", unmapped: true })
      assert.deepStrictEqual(regional.names, ["plain", "padded", "unplaced"])
    })
  )

  it.effect("the header of reads, and nothing else of the file", () =>
    Effect.gen(function* () {
      const { stats } = yield* Sandbox
      const header = yield* Reads.use((reads) => reads.header(idOf("a-large")))
      const { references, sortOrder } = header
      assert.deepStrictEqual(references[0], { name: "chr1", length: 1_000_000, fields: { SN: "chr1", LN: "1000000" } })
      assert.deepStrictEqual([references.length, sortOrder], [3, "coordinate"])
      const { readGroups } = yield* Reads.use((reads) => reads.header(idOf("i-sample")))
      assert.deepInclude(readGroups[0], { sample: "S1" })
      const foreign = yield* Reads.use((reads) => reads.header(idOf("j-latin1")))
      assert.deepStrictEqual(
        foreign.readGroups.map(({ sample }) => sample),
        ["Zürich", "x"]
      )
      assert.include(foreign.text, "SM:Zürich\n@CO\tUniversit\udce4t\n")
      const all = yield* stats
      assert.isAtMost(all.files[`${idOf("a-large")}/a-large.bam`]?.bytes ?? 0, 65_536)
    })
  )

  it.effect("a region costs no byte more than its slice, and who stops reading stops the fetching", () =>
    Effect.gen(function* () {
      const { stats } = yield* Sandbox
      const file = `${idOf("a-large")}/a-large.bam`
      const bytes = Effect.map(stats, (now) => now.files[file]?.bytes ?? 0)
      const cost = <A, E, R>(work: Effect.Effect<A, E, R>) =>
        Effect.gen(function* () {
          const before = yield* bytes
          yield* work
          return (yield* bytes) - before
        })
      const slice = yield* cost(bytesOf(idOf("a-large"), { filetype: "bam", range: "chr1:300000-400000" }))
      const records = yield* cost(recordsOf(idOf("a-large"), { range: "chr1:300000-400000" }))
      assert.isAbove(slice, 0)
      assert.strictEqual(records, slice)
      const first = Reads.use(({ stream }) => Stream.runCollect(Stream.take(stream(idOf("a-large")), 3)))
      assert.deepStrictEqual(
        (yield* first).map(({ name }) => name),
        ["r0", "r1", "r2"]
      )
      const refused = Reads.use(({ stream }) =>
        Stream.runForEach(stream(idOf("a-large")), () => Effect.fail(new Refused()))
      )
      assert.strictEqual((yield* Effect.flip(refused))._tag, "Refused")
      assert.strictEqual((yield* stats).linkInFlight, 0)
      const settled = yield* bytes
      yield* Effect.yieldNow
      assert.strictEqual(yield* bytes, settled)
    })
  )

  it.effect("D1 a flipped bit is the typed failure after the records before it, of a whole file and of a region", () =>
    Effect.gen(function* () {
      const id = idOf("c-damaged")
      const counts: Array<number> = []
      for (const regions of [{}, all]) {
        const { error, names } = yield* recordsOf(id, regions)
        assert.deepInclude(error, { _tag: "SvcFileDamaged", fault: "BadBlock", file: "c-damaged.bam" })
        assert.include(error?.message, `byte ${damaged.at}`)
        isBeginning(names, 2_300)
        counts.push(names.length)
      }
      // Those of all blocks before it, either way.
      assert.strictEqual(counts[0], counts[1])
      for (const regions of [{}, all]) {
        const { bytes, error } = yield* bytesOf(id, { filetype: "bam", ...regions })
        assert.strictEqual(error?._tag, "SvcFileDamaged")
        assert.isAbove(bytes.length, damaged.at / 2)
        assert.isFalse(Bgzf.isEofBlock(bytes, bytes.length - Bgzf.eofBlock.length, bytes.length))
      }
    })
  )

  it.effect("an open slice is found by then, and each reading of it is whole", () =>
    Effect.gen(function* () {
      const { open } = yield* Slices
      const [id, region] = [idOf("a-large"), { filetype: "bam", range: "chr1:300000-400000" }] as const
      const opened = yield* open(id, region)
      const read = Effect.map(Stream.runCollect(opened), (parts) => concat(...parts))
      const { bytes } = yield* bytesOf(id, region)
      assert.deepStrictEqual([yield* read, yield* read], [bytes, bytes])
      const refused = (stem: string, range: string) =>
        Effect.map(Effect.flip(open(idOf(stem), { filetype: "bam", range })), ({ _tag }) => _tag)
      assert.strictEqual(yield* refused("a-large", "chrNone"), "SvcNotFound")
      assert.strictEqual(yield* refused("f-cold.archived", "chr1"), "SvcInArchive")
      assert.strictEqual(yield* refused("e-foreign", "chr1:5-900"), "SvcFileDamaged")
      const damaged = yield* open(idOf("c-damaged"), { filetype: "bam" })
      assert.strictEqual((yield* Effect.flip(Stream.runDrain(damaged)))._tag, "SvcFileDamaged")
    })
  )

  it.effect("a file without end and records out of order fail after all that is sound", () =>
    Effect.gen(function* () {
      const cut = yield* recordsOf(idOf("d-alone"))
      assert.deepInclude(cut.error, { _tag: "SvcFileDamaged", fault: "Truncated" })
      assert.deepStrictEqual(cut.names, names)
      const { bytes } = yield* bytesOf(idOf("d-alone"), { filetype: "bam" })
      assert.isAtMost(bytes.length, files["d-alone.bam"].length)
      // In the block of the first one that is out of order too.
      for (const regions of [{}, all]) {
        const { error, names } = yield* recordsOf(idOf("h-order"), regions)
        assert.deepInclude(error, { _tag: "SvcFileDamaged", fault: "BadRecord" })
        assert.strictEqual(names.length, 2_100)
      }
    })
  )

  it.effect(
    "D2 the index of another file, none, an unknown region, the archive and a format without records are typed failures",
    () =>
      Effect.gen(function* () {
        const fails = (stem: string, range: string | null, ...expected: ReadonlyArray<string>) =>
          Effect.map(recordsOf(idOf(stem), { range }), ({ error, records }) => {
            assert.strictEqual(error?._tag, expected[0])
            for (const word of expected.slice(1)) assert.include(`${error?.message}; ${error?.advice}`, word)
            assert.strictEqual(records.length, 0)
          })
        yield* fails("e-foreign", "chr1:5-900", "SvcFileDamaged", "e-foreign.bam.bai", "not the index of")
        yield* fails("d-alone", "chr1:5-900", "SvcNotFound", "index of d-alone.bam")
        yield* fails("a-large", "chrNone:5-900", "SvcNotFound", "chrNone")
        yield* fails("a-large", "chr1:9-5", "SvcUsageError", "chr1:9-5")
        yield* fails("f-cold.archived", null, "SvcInArchive", "f-cold.archived.bam", "requestRestore")
        yield* fails("g-bcf", null, "SvcNotFound", "bam")
        const variants = Variants.use(({ stream }) => Stream.runCollect(stream(idOf("g-bcf"))))
        assert.deepInclude(yield* Effect.flip(variants), { _tag: "SvcFileDamaged", fault: "BadHeader" })
        const { error } = yield* bytesOf(idOf("g-bcf"), { filetype: "vcf.gz" })
        assert.include(error?.message, "it is a BCF file")
      })
  )

  it.effect(
    "where an analysis has several files of a type one is chosen by its name, or the failure names them all",
    () =>
      Effect.gen(function* () {
        const choices = (error: RecordsError | null) =>
          error?._tag === "SvcSeveralFiles"
            ? error.files.map(({ analysisId, fileName }) => `${analysisId} ${fileName}`)
            : assert.fail(String(error))
        const [reads, variants] = [yield* Reads, yield* Variants]
        const bams = ["PAIR normal.bam", "PAIR tumor.bam"]
        assert.deepStrictEqual(choices((yield* recordsOf(pair)).error), bams)
        assert.deepStrictEqual(choices((yield* bytesOf(pair, { filetype: "bam" })).error), bams)
        assert.deepStrictEqual(choices(yield* Effect.flip(reads.header(pair))), bams)
        const vcfs = ["PAIR tumor.vcf.gz", "PAIR old.vcf.gz"]
        assert.deepStrictEqual(choices(yield* Effect.flip(variants.header(pair))), vcfs)
        assert.deepStrictEqual(choices(yield* Effect.flip(Stream.runDrain(variants.stream(pair)))), vcfs)

        const chosen = yield* recordsOf(pair, { file: "normal.bam", range: "chr1:35-45" })
        assert.deepStrictEqual([chosen.error, chosen.names], [null, ["plain", "padded"]])
        const { readGroups } = yield* reads.header(pair, { file: "tumor.bam" })
        assert.deepInclude(readGroups[0], { sample: "S1" })
        const bytes = yield* bytesOf(pair, { filetype: "bam.bai", file: "normal.bam.bai" })
        assert.deepStrictEqual(bytes, { bytes: odds.bai, error: null })
        assert.deepStrictEqual((yield* variants.header(pair, { file: "tumor.vcf.gz" })).samples, ["S1"])
        const count = Stream.runCount(variants.stream(pair, { file: "tumor.vcf.gz", range: "chr7" }))
        const alone = Stream.runCount(variants.stream(idOf("i-sample"), { range: "chr7" }))
        assert.strictEqual(yield* count, yield* alone)

        const openedBy = (file: string, analysisIds: ReadonlyArray<AnalysisId>, filetypes?: ReadonlyArray<FileType>) =>
          Effect.map(
            Downloads.use(({ open }) => open({ analysisIds, ...(filetypes && { filetypes }) }, { file })),
            (opened) => opened.file.fileName
          )
        assert.strictEqual(yield* openedBy("normal.bam.bai", [pair], ["bam", "bam.bai"]), "normal.bam.bai")
        assert.strictEqual(yield* openedBy("normal.bam", [pair, idOf("g-bcf")], ["bam"]), "normal.bam")
        assert.strictEqual(yield* openedBy("tumor.vcf.gz", [pair], ["bam", "vcf.gz"]), "tumor.vcf.gz")

        // A name that is not there, and one of another type.
        for (const file of ["tumour.bam", "tumor.vcf.gz"]) {
          const { error } = yield* recordsOf(pair, { file })
          assert.strictEqual(
            error?.message,
            `file ${file}: not found (there is normal.bam (analysis PAIR), tumor.bam (analysis PAIR))`
          )
        }
        const { error } = yield* recordsOf(idOf("b-odd"), { file: "b-odd.bam" })
        assert.isNull(error)
      })
  )

  it.effect(
    "L1 a connection that breaks is asked again, and a service that is gone in the middle is the failure after the records before",
    () =>
      Effect.gen(function* () {
        const { setFaults } = yield* Sandbox
        yield* setFaults([{ when: { plane: "link", nth: 3 }, then: { reset: 1000 } }])
        assert.strictEqual((yield* recordsOf(idOf("a-large"))).records.length, many.length)
        yield* setFaults([{ when: { plane: "link", after: 3 }, then: { status: 410 } }])
        const { error, names } = yield* recordsOf(idOf("a-large"))
        yield* setFaults([])
        assert.strictEqual(error?._tag, "SvcNotFound")
        // Which of the ranges was the last to be asked for, the network says.
        isBeginning(names, -1)
      })
  )
})
