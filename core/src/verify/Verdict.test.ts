import { assert, describe, it } from "@effect/vitest"
import { FileDamaged, LocalIo, NotFound, NothingToVerify } from "../Errors.ts"
import {
  exitCodeOf,
  noFacts,
  summary,
  totalsOf,
  unprovenSentence,
  type Verdict,
  verdictLine,
  verdictsJson
} from "./Verdict.ts"

const verdict = (path: string, some: Partial<Verdict> = {}): Verdict => ({
  path,
  kind: "bam",
  status: "ok",
  bytes: 1024,
  sha256: null,
  notes: [],
  facts: noFacts,
  place: null,
  error: null,
  ...some
})
const damaged = verdict("b.bam", {
  status: "failed",
  sha256: "ab",
  place: { block: 2, offset: 300 },
  error: new FileDamaged({ file: "b.bam", fault: "BadBlock", reason: "block 2 at byte 300 has a wrong checksum" })
})

describe("a verdict as one line", () => {
  it("counts what is there, in the singular too, and says nothing of what the kind of file has not", () => {
    const facts = { ...noFacts, blocks: 40, references: 1, samples: 0, records: 2 }
    assert.strictEqual(
      verdictLine(verdict("a.bam", { facts })),
      "ok          a.bam  1 KiB, 40 blocks, 1 reference, 0 samples, 2 records"
    )
    assert.strictEqual(
      verdictLine(verdict("a.bam.bai", { facts: { ...noFacts, comparedWith: "a.bam" }, sha256: "ab" })),
      "ok          a.bam.bai  1 KiB, belongs to a.bam, sha256 as expected"
    )
    assert.strictEqual(verdictLine(verdict("x.bin", { status: "unchecked", bytes: null })), "not checked x.bin")
  })

  it("a damaged file is its error and its notes; a checksum is not praised there", () => {
    const line = verdictLine({ ...damaged, notes: ["not in sums.txt", "\u001b[2J"] })
    assert.match(line, /^FAILED {6}b\.bam.*block 2 at byte 300.*; not in sums\.txt; \\u001b\[2J$/)
    assert.notInclude(line, "sha256")
  })
})

describe("a verification in all", () => {
  const verdicts = [
    verdict("a.bam"),
    damaged,
    verdict(".c.bam.00000000.part", { status: "unfinished", bytes: 7 }),
    verdict("d.bin", { status: "unchecked", bytes: 9 }),
    verdict("e.bam", { status: "failed", bytes: null, error: new NotFound({ what: "e.bam" }) })
  ]

  it("counts the bytes of what was checked only, and its line has no size", () => {
    assert.deepStrictEqual(totalsOf(verdicts), {
      files: 5,
      ok: 1,
      failed: 2,
      unfinished: 1,
      unchecked: 1,
      bytes: 2048
    })
    assert.strictEqual(summary(totalsOf(verdicts)), "5 files: 1 ok, 2 failed, 1 unfinished, 1 not checked")
    assert.strictEqual(summary(totalsOf([verdict("a.bam")])), "1 file: 1 ok")
    assert.strictEqual(summary(totalsOf([])), "0 files")
  })

  it("ends with the most severe failure, and with 0 without one", () => {
    const io = verdict("f.bam", {
      status: "failed",
      error: new LocalIo({ path: "f.bam", operation: "read", errno: "EIO" })
    })
    assert.strictEqual(exitCodeOf([verdict("a.bam")], null), 0)
    assert.strictEqual(exitCodeOf(verdicts, null), 65)
    assert.strictEqual(exitCodeOf([...verdicts, io], null), 74)
  })

  it("that has compared nothing says what was there instead", () => {
    const note = verdict("notes.txt", { status: "unchecked", kind: null, bytes: 9 })
    const part = verdict(".c.bam.00000000.part", { status: "unfinished", bytes: null })
    assert.isNull(unprovenSentence(verdicts))
    assert.isNull(unprovenSentence([verdict("a.bam"), note]))
    assert.strictEqual(unprovenSentence([]), "no files there")
    assert.strictEqual(unprovenSentence([verdict("out", { status: "unchecked", bytes: null })]), "no files there")
    assert.strictEqual(unprovenSentence([part]), "1 download not finished yet")
    assert.match(unprovenSentence([part, note, note]) ?? "", /^1 download not finished yet, 2 files, but no BAM/)
    const nothing = new NothingToVerify({ where: "out", reason: "no files there" })
    assert.strictEqual(exitCodeOf([note], nothing), 66)
    assert.strictEqual(exitCodeOf([damaged], nothing), 65)
    assert.strictEqual(verdictsJson("1.2.3", [note], nothing).exitCode, 66)
  })

  it("as JSON: the fault with its place where it has one", () => {
    const document = verdictsJson("1.2.3", verdicts, null)
    assert.strictEqual(document.schema, "svc.verify/1")
    assert.strictEqual(document.exitCode, 65)
    const [ok, bad, , , missing] = document.files
    assert.isNull(ok?.error)
    assert.deepInclude(bad?.error, { tag: "FileDamaged", fault: "BadBlock", block: 2, offset: 300 })
    assert.deepStrictEqual(missing?.error, {
      tag: "NotFound",
      message: "e.bam: not found",
      block: null,
      offset: null
    })
    assert.notProperty(ok ?? {}, "place")
    assert.strictEqual(ok?.records, null)
  })
})
