/** Variants as a stream, and the header of a VCF, by the library over a sandbox. */
import { assert, layer } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { Codec } from "../../core/src/genome/bgzf/Codec.ts"
import { vcfColumns } from "../../core/src/genome/formats/Vcf.ts"
import * as IndexBuilder from "../../core/src/genome/index/IndexBuilder.ts"
import { Slices } from "../../core/src/records/Slices.ts"
import { Variants } from "../../core/src/records/Variants.ts"
import * as ZlibCodec from "../../platform/inflate/ZlibCodec.ts"
import { Sandbox } from "../../sandbox/Sandbox.ts"
import { makeSamples } from "../../sandbox/samples/Samples.ts"
import { bgzf, concat, text } from "../genome/Fixtures.ts"
import { folderOf, idsOf, libraryOver } from "./Library.ts"

const codec = Effect.runSync(Effect.provide(Codec, ZlibCodec.layer))
const samples = Effect.runSync(Effect.provide(makeSamples(1), ZlibCodec.layer))
const sample = (name: string) => samples.find((one) => one.name === name)?.bytes() ?? assert.fail(`no ${name}`)

const version = "##fileformat=VCFv4.2\n"
const columns = "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO"

/** Lines that do not shrink, so that the file has many blocks and ranges: nearly all blocks end inside a line. */
const noisyLines = () => {
  let state = 1
  const noise = () => {
    state = (state * 48_271) % 2_147_483_647
    return state
  }
  return Array.from(
    { length: 9_000 },
    (_, i) =>
      `1\t${10 * i + 5}\tv${i}\tA\tC\t.\tPASS\tX=${Buffer.from(Int32Array.from({ length: 45 }, noise).buffer).toString("base64")}`
  )
}
const lines = noisyLines()
const large = bgzf(codec, text(`${version}##contig=<ID=1,length=100000>\n${columns}\n${lines.join("\n")}\n`))
const index = () => {
  const builder = IndexBuilder.make(14, 5)
  // One chunk: a slice of the whole reference begins at the first record, which stands in the first block.
  const header = `${version}##contig=<ID=1,length=100000>\n${columns}\n`.length
  builder.add(0, 4, 10 * lines.length, true, 0, header)
  builder.close(large.length - 28, 0)
  return bgzf(codec, builder.tbi(vcfColumns(["1"])))
}

/** With a bit of its content flipped. */
const damaged = large.slice()
damaged[1_200_000] = (damaged[1_200_000] ?? 0) ^ 4

const oneRecord = "\n1\t5\tx\tA\tC\t.\tPASS\tDP=3\n"
const latin1 = Uint8Array.from(Buffer.from("##source=Universit\xe4t\n", "latin1"))

const files = {
  "a-large.vcf.gz": large,
  "b-damaged.vcf.gz": damaged,
  "b-damaged.vcf.gz.tbi": index(),
  "c-sample.vcf.gz": sample("S1.vcf.gz"),
  "c-sample.vcf.gz.tbi": sample("S1.vcf.gz.tbi"),
  "d-open.vcf.gz": bgzf(codec, text(`${version}${columns}\n1\t5\tx\tA\tC\t.\tPASS\tDP=3\n1\t9\ty\tA\tC,G\t7.5\t.\t.`)),
  "e-names.vcf.gz": bgzf(
    codec,
    text(
      `${version}${["__proto__", "constructor", "prototype"].map((name) => `##${name}=<ID=polluted,Type=Flag>\n##INFO=<ID=${name},Number=1,Type=Integer,Description="x">\n`).join("")}` +
        `${columns}\tFORMAT\t__proto__\n1\t5\tx\tA\tC\t.\tPASS\t__proto__=1,2;constructor=3;prototype=4;DP=3\t__proto__:GT\t1,2:0/1\n`
    )
  ),
  "f-comment.vcf.gz": bgzf(
    codec,
    text(`${version}##odd=a\rb\n##contig=<ID=X,length=7>\n##contig=<ID=10>\n##contig=< ID = 2 , length = 5>\n`),
    text(`${columns}\n#a comment${oneRecord}`)
  ),
  "i-no-ids.vcf.gz": bgzf(
    codec,
    text(
      `${version}##INFO=<ID=N,Number=1,Type=Integer,Description="x">\n##FORMAT=<ID=AD,Number=R,Type=Integer,Description="x">\n##INFO=<Description="a, ID=b">\n##FORMAT=none\n` +
        `##INFO=<Number=1,Description="a, b",ID=M,Type=Integer>\n` +
        `##INFO=< ID=AX,Number=1,Type=Integer,Description="x">\n##INFO= <ID=Q>\n##contig=<ID=1,length=9>\n##contig=<length=9>\n##contig=none\n##odd=<x=1>\n` +
        `${columns}\tFORMAT\tS\n1\t5\tx\tA\tC\t.\tPASS\tN=3;M=4;AX=5\tAD\t1,2\n`
    )
  ),
  "h-cut.vcf.gz": large.subarray(0, 1_200_000),
  "g-latin1.vcf.gz": bgzf(
    codec,
    concat(text(`${version}##note=Zürich\n`), latin1, text(`##contig=<ID=1>\n${columns}${oneRecord}`))
  )
}
const idOf = idsOf(Object.keys(files))

/** The lines that came, and the failure after them. */
const linesOf = Effect.fnUntraced(function* (...args: Parameters<Variants["Service"]["stream"]>) {
  const found: Array<string> = []
  const error = yield* Variants.use(({ stream }) =>
    Stream.runForEach(stream(...args), ({ line }) => Effect.sync(() => void found.push(line)))
  ).pipe(Effect.match({ onFailure: (error) => error, onSuccess: () => null }))
  return { found, error }
})

/** Whole lines, in their order, from the first. */
const isBeginning = (found: ReadonlyArray<string>, least: number) => {
  assert.isAtLeast(found.length, least)
  assert.isBelow(found.length, lines.length)
  assert.deepStrictEqual(found, lines.slice(0, found.length))
}

layer(libraryOver(folderOf(files)), { excludeTestServices: true })("variants", (it) => {
  it.effect("of a whole file, of regions, and of a file without its last line feed", () =>
    Effect.gen(function* () {
      const { header, stream } = yield* Variants
      const id = idOf("c-sample")
      const { contigs, samples } = yield* header(id)
      assert.deepStrictEqual(samples, ["S1"])
      assert.isAbove(contigs.length, 3)
      const whole = yield* Stream.runCollect(stream(id))
      const range = "chr17:43,044,295-43,125,364"
      const some = yield* Stream.runCollect(stream(id, { range }))
      const inside = whole.filter(({ CHROM, POS }) => CHROM === "chr17" && POS >= 43_044_295 && POS <= 43_125_364)
      assert.isAbove(some.length, 0)
      assert.deepStrictEqual(
        some.map(({ line }) => line),
        inside.map(({ line }) => line)
      )
      const open = yield* Stream.runCollect(stream(idOf("d-open")))
      assert.deepStrictEqual(
        open.map(({ ALT, INFO, POS, QUAL }) => [POS, ALT, QUAL, INFO["DP"]]),
        [
          [5, ["C"], undefined, [3]],
          [9, ["C", "G"], 7.5, undefined]
        ]
      )
    })
  )

  it.effect("D1 a flipped bit and a cut are the typed failure after whole lines, of a whole file and of a region", () =>
    Effect.gen(function* () {
      for (const regions of [{}, { range: "1" }]) {
        const { error, found } = yield* linesOf(idOf("b-damaged"), regions)
        assert.deepInclude(error, { _tag: "SvcFileDamaged", fault: "BadBlock", file: "b-damaged.vcf.gz" })
        isBeginning(found, 4_000)
      }
      const { error, found } = yield* linesOf(idOf("h-cut"))
      assert.deepInclude(error, { _tag: "SvcFileDamaged", fault: "Truncated" })
      isBeginning(found, 4_000)
    })
  )

  it.effect("L1 a service that is gone in the middle is the failure after whole lines", () =>
    Effect.gen(function* () {
      const { setFaults } = yield* Sandbox
      yield* setFaults([{ when: { plane: "link", after: 2 }, then: { status: 410 } }])
      const { error, found } = yield* linesOf(idOf("a-large"))
      yield* setFaults([])
      assert.strictEqual(error?._tag, "SvcNotFound")
      // The failure may overtake what is being inflated.
      isBeginning(found, 0)
    })
  )

  it.effect("names of the language in a header or a record change no object but their own", () =>
    Effect.gen(function* () {
      const own = () => [Object.prototype, Object, Function.prototype].map((one) => Reflect.ownKeys(one))
      const before = own()
      const { header, stream } = yield* Variants
      const { metadata } = yield* header(idOf("e-names"))
      const types = Object.entries(metadata["INFO"] ?? {}).map(([id, { Type }]) => [id, Type])
      assert.includeDeepMembers(types, [
        ["constructor", "Integer"],
        ["prototype", "Integer"]
      ])
      const [one] = yield* Stream.runCollect(stream(idOf("e-names")))
      assert.deepInclude(one?.INFO, { DP: [3], constructor: [3], prototype: [4] })
      assert.deepStrictEqual(Object.entries(one?.GENOTYPES() ?? {}), [["__proto__", "0/1"]])
      one?.SAMPLES()
      assert.deepStrictEqual(own(), before)
    })
  )

  it.effect(
    "what the engine reads is read: a comment after the columns, a carriage return, contigs in their order",
    () =>
      Effect.gen(function* () {
        const id = idOf("f-comment")
        const { header, stream } = yield* Variants
        assert.deepStrictEqual((yield* header(id)).contigs, [
          { name: "X", length: 7 },
          { name: "10", length: null },
          { name: "2", length: 5 }
        ])
        const variants = yield* Stream.runCollect(stream(id))
        assert.deepStrictEqual(
          variants.map(({ INFO, POS }) => [POS, INFO["DP"]]),
          [[5, [3]]]
        )
        const bytes = yield* Slices.use((slices) => Stream.runCollect(slices.bytes(id, { filetype: "vcf.gz" })))
        assert.deepStrictEqual(concat(...bytes), files["f-comment.vcf.gz"])
      })
  )

  it.effect("a line without an ID takes no type from the fields of others, and the place of no other line", () =>
    Effect.gen(function* () {
      const { header, stream } = yield* Variants
      const [one] = yield* Stream.runCollect(stream(idOf("i-no-ids")))
      assert.deepStrictEqual(one?.INFO, { N: [3], M: [4], AX: [5] })
      const { metadata } = yield* header(idOf("i-no-ids"))
      assert.deepInclude(metadata, { contig: { 1: { length: "9" } }, odd: { x: "1" } })
      assert.deepStrictEqual(one?.SAMPLES(), { S: { AD: [1, 2] } })
    })
  )

  it.effect("a byte that is no UTF-8 spoils no other line of the header", () =>
    Effect.gen(function* () {
      const { metadata, text } = yield* Variants.use(({ header }) => header(idOf("g-latin1")))
      assert.strictEqual(metadata["note"], "Zürich")
      assert.include(text, "##note=Zürich\n##source=Universit\udce4t\n##contig=<ID=1>\n")
    })
  )
})
