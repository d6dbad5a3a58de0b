import { createHash } from "node:crypto"
import { gzipSync } from "node:zlib"
import { assert, describe } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { bamFile, bgzf, concat, read, text } from "../../../test/genome/Fixtures.ts"
import { rewritten } from "../../../test/genome/LossyIndexes.ts"
import { withCodecHere } from "../../../test/genome/WithCodec.ts"
import { longForm } from "../../../test/LongForm.ts"
import { LocalIo } from "../Errors.ts"
import { fromBytes } from "../genome/ByteReader.ts"
import * as Bgzf from "../genome/bgzf/Bgzf.ts"
import { Codec } from "../genome/bgzf/Codec.ts"
import { type ChecksumKind, checksumOfName, kindOfName } from "../genome/formats/FileNames.ts"
import { vcfColumns } from "../genome/formats/Vcf.ts"
import * as IndexBuilder from "../genome/index/IndexBuilder.ts"
import { makeIndex } from "./FileProof.ts"
import type { Target } from "./Targets.ts"
import type { Verdict } from "./Verdict.ts"
import { FileSource, verify } from "./Verification.ts"

const reads = Array.from({ length: 24 }, (_, i) => read(`r${i}`, i < 16 ? 0 : 2, i * 250))
const vcfHead = "##fileformat=VCFv4.2\n##contig=<ID=chr1,length=90000>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n"
const vcfLines = Array.from({ length: 9 }, (_, i) => `chr1\t${100 + i}\t.\tA\tC\t.\t.\tDP=${i}\n`)

type Files = Readonly<Record<string, Uint8Array>>

/** Files in memory. */
const memory = (files: Files, errno = "ENOENT") =>
  Layer.succeed(FileSource, {
    open: (path) => {
      const bytes = files[path]
      return bytes === undefined
        ? Effect.fail(new LocalIo({ path, operation: "open", errno }))
        : Effect.succeed({ ...fromBytes(bytes), checksum: (kind) => Effect.sync(() => sumOf(bytes, kind)) })
    }
  })
const sumOf = (bytes: Uint8Array, kind: ChecksumKind = "sha256") => createHash(kind).update(bytes).digest("hex")

const targetsOf = (files: Files, expected: Target["expected"] = null): ReadonlyArray<Target> =>
  Object.entries(files).map(([path, bytes]) => ({
    path,
    role: { _tag: "File", named: kindOfName(path), checksum: checksumOfName(path), bytes: bytes.length },
    expected,
    notes: []
  }))

const silent = { progress: () => Effect.void, verdict: () => Effect.void }

const check = (files: Files, expected: Target["expected"] = null) =>
  verify(targetsOf(files, expected), silent).pipe(
    Effect.provide(memory(files)),
    Effect.map((verdicts) => new Map(verdicts.map((verdict) => [verdict.path, verdict])))
  )
const checkOne = (path: string, bytes: Uint8Array, expected: Target["expected"] = null) =>
  Effect.map(check({ [path]: bytes }, expected), (verdicts) => verdicts.get(path) as Verdict)

const faultOf = (verdict: Verdict | undefined) =>
  verdict?.error?._tag === "SvcFileDamaged" ? verdict.error.fault : (verdict?.error?._tag ?? null)

/** The content as any reader of gzip would give it, null when it gives none. */
const contentOf = (codec: Codec["Service"], bytes: Uint8Array): Uint8Array | null => {
  const parts: Array<Uint8Array> = []
  for (let at = 0; at < bytes.length; ) {
    const size = Bgzf.blockSize(bytes, at)
    if (size <= 0 || at + size > bytes.length) return null
    const block = Bgzf.inflateBlock(codec, bytes, at, size)
    if (typeof block === "string") return null
    parts.push(block)
    at += size
  }
  return concat(...parts)
}

const subjects = Effect.map(Codec, (codec) => ({
  codec,
  files: [
    { name: "a.bam", bytes: bamFile(codec, reads.slice(0, 9), { blockBytes: 400 }).bam },
    { name: "a.vcf.gz", bytes: bgzf(codec, text(vcfHead), ...vcfLines.map(text)) }
  ]
}))

describe("verify", () => {
  withCodecHere("sound files tell what they hold, and an index which file it belongs to", function* () {
    const { bai, bam } = bamFile(yield* Codec, reads)
    const verdicts = yield* check({ "a.bam": bam, "a.bam.bai": bai })
    assert.deepInclude(verdicts.get("a.bam")?.facts, { records: 24, references: 3 })
    assert.strictEqual(verdicts.get("a.bam.bai")?.facts.comparedWith, "a.bam")
    assert.deepStrictEqual(
      [...verdicts.values()].map(({ status }) => status),
      ["ok", "ok"]
    )
  })

  withCodecHere(
    "D7 a gap of an index is named, and its index fails: with its data, and by samples of it",
    function* () {
      const many = [0, 1, 2].flatMap((ref) => Array.from({ length: 600 }, (_, i) => read(`r${i}`, ref, i * 20)))
      const { bai, bam } = bamFile(yield* Codec, many, { level: 0 })
      const lossy = rewritten(bai, ([, chr2]) => {
        chr2!.bins = []
      })
      const verdicts = yield* check({ "a.bam": bam, "a.bam.bai": lossy })
      assert.deepStrictEqual([verdicts.get("a.bam")?.status, verdicts.get("a.bam.bai")?.status], ["ok", "failed"])
      const said = /leads to nothing of a\.bam from byte \d+ to \d+, between chr1:1 and chr3: index the file anew$/
      assert.match(verdicts.get("a.bam.bai")?.error?.message ?? "", said)
      const files = { "a.bam": bam, "a.bam.bai": lossy }
      const [alone] = yield* verify(targetsOf({ "a.bam.bai": lossy }), silent).pipe(Effect.provide(memory(files)))
      assert.match(alone?.error?.message ?? "", said)
    }
  )

  withCodecHere(
    "D15 references may stand in another order than in the header, also for an index that is made",
    function* () {
      const { bai, bam } = bamFile(yield* Codec, [...reads.slice(16), ...reads.slice(0, 16)])
      const made = yield* makeIndex({ name: "a.bam", reader: fromBytes(bam) })
      for (const index of [bai, made.bytes]) {
        const verdicts = yield* check({ "a.bam": bam, "a.bam.bai": index })
        assert.deepStrictEqual(
          [...verdicts.values()].map(({ error, status }) => [status, error]),
          [
            ["ok", null],
            ["ok", null]
          ]
        )
      }
      const torn = bamFile(yield* Codec, [...reads.slice(0, 8), ...reads.slice(16), ...reads.slice(8, 16)])
      assert.strictEqual(faultOf(yield* checkOne("a.bam", torn.bam)), "BadRecord")
    }
  )

  withCodecHere(
    "D7 D16 an index may have its suffix in place of that of its data, and is held against it all the same",
    function* () {
      const codec = yield* Codec
      const { bai, bam, csi } = bamFile(codec, reads)
      const other = bamFile(codec, reads.slice(1))
      const builder = IndexBuilder.make(14, 5)
      for (const i of vcfLines.keys()) builder.add(0, 99 + i, 100 + i, true, 0, vcfHead.length)
      const tbi = bgzf(codec, builder.tbi(vcfColumns(["chr1"])))
      const vcf = bgzf(codec, text(vcfHead), ...vcfLines.map(text))
      const sound = yield* check({ "d/a.bam": bam, "d/a.bai": bai, "d/a.csi": csi })
      assert.deepStrictEqual(
        [...sound.values()].map(({ facts, kind, status }) => [kind, status, facts.comparedWith]),
        [
          ["bam", "ok", null],
          ["bam.bai", "ok", "d/a.bam"],
          ["bam.csi", "ok", "d/a.bam"]
        ]
      )
      // As htslib, by their first bytes: what goes by names, such as htsjdk, takes neither.
      const swapped = yield* check({ "a.bam": bam, "a.bam.bai": csi, "a.bam.csi": bai })
      for (const [name, kind] of [
        ["a.bam.bai", "CSI"],
        ["a.bam.csi", "BAI"]
      ] as const) {
        const verdict = swapped.get(name)
        assert.strictEqual(verdict?.status, "ok")
        assert.include(verdict?.notes ?? [], `it is a ${kind}, which some tools do not take under that name`)
        assert.strictEqual((verdict?.facts.blocks ?? null) !== null, kind === "CSI")
      }
      const gzip = new Uint8Array(gzipSync(bai))
      const gzipped = yield* check({ "a.bam": bam, "a.bam.bai": gzip })
      assert.deepInclude(gzipped.get("a.bam.bai"), { status: "ok", notes: [] })
      for (const cut of [gzip.subarray(0, -1), new Uint8Array(gzipSync(new Uint8Array(0x2000000)))]) {
        assert.strictEqual(faultOf(yield* checkOne("a.bam.bai", cut)), "BadIndex")
      }
      const tooDeep = yield* checkOne(
        "a.bam.csi",
        concat(text("CSI\u0001"), Uint8Array.of(14, 0, 0, 0, 10), new Uint8Array(16))
      )
      assert.match(tooDeep.error?.message ?? "", /^a\.bam\.csi: a CSI of 10 levels of bins, and at most 9 are read$/)
      const wrong = yield* check({
        "a.bam": bam,
        "a.bai": other.bai,
        "a.csi": other.csi,
        "v.vcf.gz": vcf,
        "v.vcf.tbi": tbi
      })
      for (const name of ["a.bai", "a.csi", "v.vcf.tbi"]) assert.strictEqual(faultOf(wrong.get(name)), "IndexMismatch")
      const broken = yield* check({ "b.bam": bgzf(codec, text("BAM")), "b.csi": csi })
      assert.include(broken.get("b.csi")?.notes ?? [], "not compared with b.bam, which failed")
    }
  )

  /** One bit wrong: found, or no reader can notice it, and then the checksum tells. True when it was found. */
  const flip = Effect.fnUntraced(function* (codec: Codec["Service"], name: string, bytes: Uint8Array, bit: number) {
    const spoiled = bytes.slice()
    spoiled[bit >>> 3] = (spoiled[bit >>> 3] ?? 0) ^ (1 << (bit & 7))
    const verdict = yield* checkOne(name, spoiled)
    if (verdict.status === "failed") {
      assert.strictEqual(verdict.error?._tag, "SvcFileDamaged")
      // The damage is reported at the block it is in, never far behind.
      if (verdict.place !== null) assert.isAtMost(verdict.place.offset, bit >>> 3)
      return true
    }
    assert.deepStrictEqual(contentOf(codec, spoiled), contentOf(codec, bytes), `${name} bit ${bit}`)
    const against = yield* checkOne(name, spoiled, { path: name, bytes: bytes.length, sha256: sumOf(bytes) })
    assert.strictEqual(faultOf(against), "Checksum")
    return false
  })

  withCodecHere(
    "D2 a flipped bit of a small BAM and a small VCF is found, but for those that no reader can notice",
    function* () {
      const { codec, files } = yield* subjects
      for (const { bytes, name } of files) {
        // Each of so many falls on every bit of a byte.
        const each = longForm ? 1 : 41
        const bits = Array.from({ length: Math.floor((bytes.length * 8) / each) }, (_, bit) => bit * each)
        const found = yield* Effect.filter(bits, (bit) => flip(codec, name, bytes, bit))
        // Times and marks in headers of blocks, unused bits behind a deflate stream, copies from a place with the same bytes.
        assert.isAbove(found.length / bits.length, 0.9)
      }
    }
  )

  withCodecHere("D2 a flipped bit in blocks of usual size: found, or no reader can notice it", function* () {
    const codec = yield* Codec
    const many = Array.from({ length: 300 }, (_, i) => read(`r${i}`, 0, i * 97))
    const { bam } = bamFile(codec, many, { blockBytes: 30_000 })
    for (let seed = 1; seed <= (longForm ? 1000 : 24); seed++) {
      yield* flip(codec, "a.bam", bam, (Math.imul(seed, 0x9e3779b1) >>> 0) % (bam.length * 8))
    }
  })

  withCodecHere("D1 every truncation is found", function* () {
    const { files } = yield* subjects
    for (const { bytes, name } of files) {
      for (let length = 0; length < bytes.length; length += longForm ? 1 : 7) {
        const verdict = yield* checkOne(name, bytes.subarray(0, length))
        assert.oneOf(faultOf(verdict), ["Truncated", "NotBgzf"], `${name} cut to ${length}`)
      }
    }
  })

  withCodecHere("D3 what is no BGZF at all is named by what it is", function* () {
    const plain = new Uint8Array(gzipSync(text(vcfHead)))
    for (const [bytes, wanted] of [
      [plain, "it is plain gzip; compress it with bgzip"],
      [new Uint8Array(0), "it is empty"],
      [text("<!DOCTYPE html><title>Login</title>"), "it is an HTML or XML page"]
    ] as const) {
      const { error } = yield* checkOne("a.vcf.gz", bytes)
      assert.strictEqual(error?.message, `a.vcf.gz: not a BGZF file: ${wanted}`)
    }
  })

  withCodecHere("a cut at the border of two blocks, where every block that is left is sound", function* () {
    const { files } = yield* subjects
    const [{ bytes, name } = { bytes: new Uint8Array(0), name: "" }] = files
    const first = Bgzf.blockSize(bytes, 0)
    const verdict = yield* checkOne(name, bytes.subarray(0, first + Bgzf.blockSize(bytes, first)))
    assert.strictEqual(faultOf(verdict), "Truncated")
    assert.include(verdict.error?.message ?? "", "end-of-file block")
  })

  withCodecHere("the first of several damages is reported, with its block counted from 1 and its byte", function* () {
    const { files } = yield* subjects
    const bytes = (files[0]?.bytes ?? new Uint8Array(0)).slice()
    const second = Bgzf.blockSize(bytes, 0)
    const third = second + Bgzf.blockSize(bytes, second)
    bytes[third] = 0
    bytes[third - 5] = (bytes[third - 5] ?? 0) ^ 1
    const verdict = yield* checkOne("a.bam", bytes)
    assert.deepStrictEqual(verdict.place, { block: 2, offset: second })
    assert.match(verdict.error?.message ?? "", new RegExp(`^a\\.bam: block 2 at byte ${second} `))
  })

  withCodecHere("sound blocks with records that are none, or out of the order the header promises", function* () {
    const codec = yield* Codec
    const swapped = bamFile(codec, [...reads].reverse()).bam
    assert.strictEqual(faultOf(yield* checkOne("a.bam", swapped)), "BadRecord")
    const foreign = bamFile(codec, [read("r", 7, 1)]).bam
    assert.strictEqual(faultOf(yield* checkOne("a.bam", foreign)), "BadRecord")
    const lines = bgzf(codec, text(`${vcfHead}chr1\t5\t.\tA\tC\t.\t.\t.\nchr1 five\n`))
    assert.strictEqual(faultOf(yield* checkOne("a.vcf.gz", lines)), "BadRecord")
    const { bam } = bamFile(codec, reads)
    const last = bam.length - Bgzf.eofBlock.length
    const content = contentOf(codec, bam.subarray(0, last)) ?? new Uint8Array(0)
    const cut = yield* checkOne("a.bam", bgzf(codec, content.subarray(0, content.length - 3)))
    assert.include(cut.error?.message ?? "", "ends inside a record")
  })

  withCodecHere(
    "D7 an index of another file, of an older version of its file, and one whose file is damaged",
    function* () {
      const codec = yield* Codec
      const { bai, bam } = bamFile(codec, reads)
      const fewer = bamFile(codec, reads.slice(0, 23))
      const older = yield* check({ "a.bam": bam, "a.bam.bai": fewer.bai })
      assert.strictEqual(faultOf(older.get("a.bam.bai")), "IndexMismatch")
      assert.strictEqual(older.get("a.bam")?.status, "ok")
      const spoiled = bam.slice()
      spoiled[bam.length - 40] = (spoiled[bam.length - 40] ?? 0) ^ 1
      const beside = yield* check({ "a.bam": spoiled, "a.bam.bai": bai })
      assert.strictEqual(beside.get("a.bam")?.status, "failed")
      assert.deepInclude(beside.get("a.bam.bai"), { status: "ok", notes: ["not compared with a.bam, which failed"] })
      const alone = yield* checkOne("b.bam.bai", bai)
      assert.deepStrictEqual(alone.notes, ["not compared: b.bam is not there"])
    }
  )

  withCodecHere(
    "D7 an index that leads past records, though it counts and names them all; named alone, it is only sampled",
    function* () {
      const { bai, bam } = bamFile(yield* Codec, reads)
      const spoiled = bai.slice()
      // The end of the first chunk is its begin, behind magic, number of references, number of bins, bin and number of chunks.
      const end = 4 + 4 + 4 + 4 + 4 + 8
      spoiled.copyWithin(end, end - 8, end)
      const verdicts = yield* check({ "a.bam": bam, "a.bam.bai": spoiled })
      assert.strictEqual(verdicts.get("a.bam")?.facts.records, 24)
      assert.strictEqual(faultOf(verdicts.get("a.bam.bai")), "IndexMismatch")
      assert.match(verdicts.get("a.bam.bai")?.error?.message ?? "", /it does not fit a\.bam: /)
      const files = { "a.bam": bam, "a.bam.bai": bai }
      const [alone] = yield* verify(targetsOf({ "a.bam.bai": bai }), silent).pipe(Effect.provide(memory(files)))
      assert.deepStrictEqual(alone?.notes, ["compared with samples of a.bam only: name that file too"])
    }
  )

  withCodecHere("size and checksum of a manifest count for any kind of file", function* () {
    const bytes = text("notes")
    const expected = { path: "notes.txt", bytes: 5, sha256: sumOf(bytes) }
    assert.strictEqual((yield* checkOne("notes.txt", bytes, expected)).status, "ok")
    assert.strictEqual(faultOf(yield* checkOne("notes.txt", bytes, { ...expected, bytes: 6 })), "Size")
    assert.strictEqual(faultOf(yield* checkOne("notes.txt", bytes, { ...expected, sha256: "0" })), "Checksum")
    assert.strictEqual((yield* checkOne("notes.txt", bytes)).status, "unchecked")
  })

  withCodecHere(
    "D2 a checksum beside a file is held against it: equal, of other bytes, of no form, without its file",
    function* () {
      const { bam } = bamFile(yield* Codec, reads)
      // A sound file, so that nothing but the checksum can tell it from the one that was written.
      const other = bamFile(yield* Codec, reads.slice(1)).bam
      for (const kind of ["md5", "sha256"] as const) {
        const beside = `d/a.bam.${kind}`
        const against = (written: string, files: Files = { "d/a.bam": bam }) =>
          Effect.map(check({ ...files, [beside]: text(written) }), (verdicts) => verdicts.get(beside))
        const sound = yield* against(`${sumOf(bam, kind)}  a.bam\n`)
        assert.deepInclude(sound, { status: "ok", kind })
        assert.strictEqual(sound?.facts.comparedWith, "d/a.bam")
        const spoiled = yield* against(`${sumOf(other, kind)}  a.bam\n`)
        assert.strictEqual(faultOf(spoiled), "Checksum")
        assert.strictEqual(
          spoiled?.error?.message,
          `${beside}: it does not fit d/a.bam, whose ${kind === "md5" ? "MD5" : "SHA-256"} is ${sumOf(bam, kind)}: one of the two was changed`
        )
        assert.strictEqual(faultOf(yield* against("no checksum\n")), "BadRecord")
        assert.strictEqual(faultOf(yield* against(`${"0".repeat(2 ** 20)}0`)), "BadRecord")
        const lonely = yield* against(`${sumOf(bam, kind)}  a.bam\n`, {})
        assert.strictEqual(faultOf(lonely), "SvcNotFound")
        assert.strictEqual(lonely?.error?.message, `d/a.bam, the file of ${beside}: not found`)
      }
    }
  )

  withCodecHere(
    "an index that cannot be read fails alone: its data and the other index are as sound as before",
    function* () {
      const { bai, bam } = bamFile(yield* Codec, reads)
      const verdicts = yield* check({ "a.bam": bam, "a.bai": bai.subarray(0, 20), "a.bam.bai": bai })
      assert.deepStrictEqual(
        [...verdicts.values()].map(({ status }) => status),
        ["ok", "failed", "ok"]
      )
      assert.strictEqual(faultOf(verdicts.get("a.bai")), "BadIndex")
    }
  )

  withCodecHere("what is no file to check is told as what it is; what is missing or closed has failed", function* () {
    const roles: ReadonlyArray<Target["role"]> = [
      { _tag: "Missing" },
      { _tag: "Unreadable", errno: "EACCES" },
      { _tag: "Absent", reason: "it is archived" },
      { _tag: "Empty" },
      { _tag: "Part" }
    ]
    const targets = roles.map((role) => ({ path: role._tag, role, expected: null, notes: [] }))
    const verdicts = yield* Effect.provide(verify(targets, silent), memory({}))
    assert.deepStrictEqual(
      verdicts.map(({ error, notes, status }) => [status, error?._tag ?? notes[0]]),
      [
        ["failed", "SvcNotFound"],
        ["failed", "SvcLocalIo"],
        ["unchecked", "it is archived"],
        ["unchecked", "a folder without files"],
        ["unfinished", "part of a download: the next run goes on with it"]
      ]
    )
    const files = { "a.bam.md5": text(`${"0".repeat(32)}  a.bam\n`) }
    const closed = yield* Effect.provide(verify(targetsOf(files), silent), memory(files, "EACCES"))
    assert.strictEqual(faultOf(closed[0]), "SvcLocalIo")
  })

  withCodecHere("a file that is gone since it was found is a failure of that file alone", function* () {
    const { bai, bam } = bamFile(yield* Codec, reads)
    const verdicts = yield* verify(targetsOf({ "gone.bam": bam, "a.bam.bai": bai }), silent).pipe(
      Effect.provide(memory({ "a.bam.bai": bai }))
    )
    assert.deepStrictEqual(
      verdicts.map(({ status }) => status),
      ["failed", "ok"]
    )
    assert.strictEqual(verdicts[0]?.error?._tag, "SvcLocalIo")
  })
})
