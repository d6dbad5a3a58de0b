/** Structure, records, indexes and checksums: what is proven of a file before it gets its name. */
import { createHash } from "node:crypto"
import { crc32 } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Ref } from "effect"
import { FileDamaged } from "../../core/src/Errors.ts"
import * as Bgzf from "../../core/src/genome/bgzf/Bgzf.ts"
import { Codec } from "../../core/src/genome/bgzf/Codec.ts"
import { FileTransfer } from "../../core/src/transfer/FileTransfer.ts"
import type { TransferRequest } from "../../core/src/transfer/TransferRequest.ts"
import * as ZlibCodec from "../../platform/inflate/ZlibCodec.ts"
import { bamFile, read } from "../genome/Fixtures.ts"
import { withCodec } from "../genome/WithCodec.ts"
import { crc32c } from "./MemoryParts.ts"
import { cutAfter, patterned, type Script } from "./ScriptedHost.ts"
import { always, at, failure, ground, kib, mib, succeeds } from "./TransferGround.ts"

describe("FileTransfer, checks", () => {
  it.effect("a structure check that fails keeps the file from its final name, and its bytes are not kept", () =>
    Effect.gen(function* () {
      const sizes = yield* Ref.make<ReadonlyArray<number>>([])
      const check: TransferRequest["check"] = (part) =>
        Ref.update(sizes, (all) => [...all, part.size]).pipe(
          Effect.andThen(part.read(0, 4)),
          Effect.andThen(new FileDamaged({ file: "s.bam", fault: "NotBgzf", reason: "it is not BGZF" }))
        )
      const g = ground({ request: { check } })
      assert.deepInclude(yield* failure(g), { _tag: "SvcFileDamaged", fault: "NotBgzf" })
      assert.deepStrictEqual(yield* Ref.get(sizes), [200 * kib])
      assert.deepStrictEqual(g.disk.names, [])
    })
  )

  it.effect("D1 D3 without a word about checks a BAM must be whole, by its first or its last name", () =>
    Effect.gen(function* () {
      const reads = Array.from({ length: 6_000 }, (_, i) => read(`r${i}`, 0, i * 20))
      const { bam } = bamFile(yield* Codec, reads, { blockBytes: 2_000 })
      const names = [
        ["s.bam", "s.bam"],
        ["s.bam", "s"],
        ["s", "s.bam"]
      ] as const
      for (const bytes of [bam.subarray(0, 50_000), bam.subarray(0, -28), patterned(5_000)]) {
        for (const [fileName, name] of names) {
          const g = ground({ bytes, silent: true, request: { fileName, name } })
          assert.strictEqual((yield* Effect.flip(yield* g.run))._tag, "SvcFileDamaged")
          assert.deepStrictEqual(g.disk.names, [])
        }
        const unchecked = ground({ bytes })
        yield* yield* unchecked.run
        assert.deepStrictEqual(unchecked.disk.names, ["s.bam"])
      }
      const whole = ground({ bytes: bam, request: { check: "structure" } })
      yield* succeeds(whole)
    }).pipe(Effect.provide(ZlibCodec.layer))
  )

  withCodec("D2 D7 with the full check damage in the middle is found, and an index that misses records", function* () {
    const reads = Array.from({ length: 6_000 }, (_, i) => read(`r${i}`, 0, i * 20))
    const made = bamFile(yield* Codec, reads, { blockBytes: 2_000 })
    const spoilt = made.bam.slice()
    spoilt[30_000] = (spoilt[30_000] ?? 0) ^ 4
    for (const size of [made.bam.length, null]) {
      const whole = ground({ bytes: made.bam, request: { check: "full", size } })
      assert.strictEqual((yield* succeeds(whole)).provenBy, "records")
      const broken = ground({ bytes: spoilt, request: { check: "full", size } })
      const error = yield* failure(broken)
      assert.match(error.message, /^s\.bam: .*block .*at byte \d+/)
      assert.deepStrictEqual(broken.disk.names, [])
      // Only the ends are looked at otherwise.
      yield* succeeds(ground({ bytes: spoilt, request: { check: "structure", size } }))
    }
    const name = "s.bam.bai"
    const fewer = bamFile(yield* Codec, reads.slice(0, 5_990), { blockBytes: 2_000 })
    for (const [bai, right] of [
      [made.bai, true],
      [fewer.bai, false]
    ] as const) {
      const g = ground({ bytes: bai, request: { check: "full", fileName: name, name } })
      g.disk.files.set("s.bam", made.bam)
      assert.strictEqual(Exit.isSuccess(yield* g.run), right)
      assert.strictEqual(g.disk.files.has(name), right)
    }
  })

  withCodec(
    "D7 an index is checked against the data file that lies beside it, and alone where there is none",
    function* () {
      const codec = yield* Codec
      const ours = bamFile(codec, [read("r1", 0, 100), read("r2", 1, 200)])
      const other = bamFile(codec, [read("r1", 0, 100)], { references: [{ name: "chrX", length: 1000 }] })
      const became = Effect.fnUntraced(function* (beside: Uint8Array | null) {
        const name = "s.bam.bai"
        const g = ground({ bytes: ours.bai, request: { check: "structure", fileName: name, name } })
        if (beside !== null) g.disk.files.set("s.bam", beside)
        const exit = yield* g.run
        assert.strictEqual(g.disk.files.has(name), Exit.isSuccess(exit))
        return Exit.isSuccess(exit) ? exit.value.action : (yield* Effect.flip(exit)).message
      })
      assert.strictEqual(yield* became(null), "downloaded")
      assert.strictEqual(yield* became(ours.bam), "downloaded")
      assert.match(yield* became(other.bam), /^s\.bam\.bai: .*not the index of s\.bam/)
      assert.match(yield* became(ours.bam.subarray(0, 40)), /cannot be checked, as s\.bam beside it is damaged/)
    }
  )

  const digestOf = (algorithm: string, bytes: Uint8Array, form: "hex" | "base64" = "base64") =>
    createHash(algorithm).update(bytes).digest(form)
  const crc32Of = (bytes: Uint8Array) => {
    const sum = Buffer.alloc(4)
    sum.writeUInt32BE(crc32(bytes))
    return sum.toString("base64")
  }
  /** Adds header fields to every answer with bytes. */
  const telling = (headers: Readonly<Record<string, string>>): Script =>
    always((good) => ({ ...good, headers: { ...good.headers, ...headers } }))

  it.effect(
    "D2 every checksum that the link host tells is compared, and the outcome says by which the file is proven",
    () =>
      Effect.gen(function* () {
        const bytes = patterned(200 * kib)
        const md5 = digestOf("md5", bytes)
        const crc = Buffer.from(crc32c(bytes), "hex").toString("base64")
        const cases: ReadonlyArray<readonly [Readonly<Record<string, string>>, string]> = [
          [{}, "size"],
          [{ "content-md5": md5 }, "md5"],
          [{ "repr-digest": `sha-512=:${digestOf("sha512", bytes)}:` }, "sha512"],
          [{ "x-goog-hash": `crc32c=${crc}, md5=${md5}` }, "crc32c"],
          [{ "x-amz-checksum-crc32": crc32Of(bytes), "x-amz-checksum-type": "FULL_OBJECT" }, "crc32"],
          [{ "x-amz-checksum-crc32c": crc }, "crc32c"],
          [{ "x-amz-checksum-sha1": digestOf("sha1", bytes) }, "sha1"],
          [{ "x-amz-checksum-sha256": digestOf("sha256", bytes) }, "sha256"],
          [{ "x-amz-checksum-sha256": `${digestOf("sha256", patterned(9))}-2` }, "size"]
        ]
        for (const [headers, provenBy] of cases) {
          const outcome = yield* succeeds(ground({ script: telling(headers) }))
          assert.strictEqual(outcome.provenBy, provenBy)
        }
      })
  )

  it.effect("D2 a checksum that differs from that of the link host: 65, and nothing is left", () =>
    Effect.gen(function* () {
      const other = patterned(200 * kib, 2)
      for (const headers of [
        { "content-md5": digestOf("md5", other) },
        { "repr-digest": `sha-256=:${digestOf("sha256", other)}:` },
        { "content-digest": `sha-256=:${digestOf("sha256", other)}:` },
        { "x-goog-hash": `crc32c=${Buffer.from(crc32c(other), "hex").toString("base64")}` },
        { "x-amz-checksum-crc32": crc32Of(other) },
        { "x-amz-checksum-sha256": digestOf("sha256", other) }
      ]) {
        const g = ground({ script: telling(headers) })
        const error = yield* failure(g)
        assert.deepInclude(error, { _tag: "SvcFileDamaged", fault: "Checksum" })
        assert.match(error.message, /^s\.bam: its \w+ is [0-9a-f]+, but [\w-]+ of the link host says [0-9a-f]+$/)
        assert.deepStrictEqual(g.disk.names, [])
      }
    })
  )

  it.effect("D2 a checksum that an earlier run was told is compared by the run that ends the file", () =>
    Effect.gen(function* () {
      for (const version of [1, 2]) {
        const md5 = digestOf("md5", patterned(200 * kib, version))
        // Only the whole body has a Content-MD5; the rest comes as a part.
        const g = ground({
          script: at(0, (good) => cutAfter({ ...good, headers: { ...good.headers, "content-md5": md5 } }, 100 * kib))
        })
        const fiber = yield* Effect.forkChild(g.download)
        while (!g.events.some(({ _tag }) => _tag === "Retrying")) yield* Effect.yieldNow
        yield* Fiber.interrupt(fiber)
        const exit = yield* g.run
        assert.match(g.links.seen.at(-1)?.range ?? "", /^bytes=102400-/)
        if (version === 1) assert.strictEqual((yield* exit).provenBy, "md5")
        else assert.strictEqual((yield* Effect.flip(exit))._tag, "SvcFileDamaged")
      }
    })
  )

  /** A BAM of 40 blocks, with its right and a wrong middle. */
  const someBam = Effect.map(Codec, (codec) => {
    const reads = Array.from({ length: 6_000 }, (_, i) => read(`r${i}`, 0, i * 20))
    const { bai, bam } = bamFile(codec, reads, { blockBytes: 2_000 })
    const flipped = bam.slice()
    flipped[30_000] = (flipped[30_000] ?? 0) ^ 4
    const page = bam.slice()
    page.set(new TextEncoder().encode("<?xml version='1.0'?><Error><Code>InternalError</Code></Error>"), 30_000)
    return { bai, bam, wrong: [flipped, page] }
  })

  it.effect("D2 without a word about checks each byte is proven, and the next run fetches a damaged file anew", () =>
    Effect.gen(function* () {
      const { bam, wrong } = yield* someBam
      const tag = (bytes: Uint8Array) => `"${digestOf("md5", bytes, "hex")}"`
      const hosts: ReadonlyArray<readonly [tag: string | null, provenBy: string, headers?: Record<string, string>]> = [
        ['"v1"', "blocks"],
        [null, "blocks"],
        [tag(bam), "md5"],
        [tag(patterned(9)), "blocks"],
        [`"${digestOf("md5", bam, "hex")}-3"`, "blocks"],
        [tag(bam), "blocks", { "x-amz-server-side-encryption": "aws:kms" }],
        ['"v1"', "sha256", { "repr-digest": `sha-256=:${digestOf("sha256", bam)}:` }]
      ]
      for (const [etag, provenBy, headers = {}] of hosts) {
        const g = ground({ bytes: bam, etag, silent: true, script: telling(headers) })
        for (const bytes of wrong) {
          g.links.object = { bytes, etag }
          assert.strictEqual((yield* failure(g))._tag, "SvcFileDamaged")
          assert.deepStrictEqual(g.disk.names, [])
        }
        g.links.object = { bytes: bam, etag }
        const outcome = yield* succeeds(g)
        assert.deepStrictEqual([outcome.provenBy, outcome.resumedFrom], [provenBy, 0])
      }
    }).pipe(Effect.provide(ZlibCodec.layer))
  )

  withCodec("D2 K1 what an earlier run left is proven as well, in whichever half the damage is", function* () {
    const { bam, wrong } = yield* someBam
    for (const bytes of [bam, ...wrong]) {
      for (const middle of [20_000, 50_000]) {
        const g = ground({ bytes, silent: true, script: at(0, (good) => cutAfter(good, middle)) })
        const fiber = yield* Effect.forkChild(g.download)
        while (!g.events.some(({ _tag }) => _tag === "Retrying")) yield* Effect.yieldNow
        yield* Fiber.interrupt(fiber)
        const exit = yield* g.run
        assert.match(g.links.seen.at(-1)?.range ?? "", new RegExp(`^bytes=${middle}-`))
        if (bytes === bam) assert.strictEqual((yield* exit).provenBy, "blocks")
        else assert.match((yield* Effect.flip(exit)).message, /^s\.bam: the BGZF block at byte 2\d{4} is damaged/)
        assert.deepStrictEqual(g.disk.names, bytes === bam ? ["s.bam"] : [])
      }
    }
  })

  /** Segments are 32 MiB: an empty BAM, then blocks without records in it that one flipped bit spoils, one `across` two segments. */
  const longBam = Effect.gen(function* () {
    const { bam } = yield* someBam
    const filler = Bgzf.deflateBlock(yield* Codec, patterned(Bgzf.maxPayload), 0)
    const first = Bgzf.blockSize(bam.subarray(0, 2_000), 0)
    const fillers = Array.from({ length: Math.ceil((65 * mib) / filler.length) }, () => filler)
    const across = first + Math.floor((32 * mib - first) / filler.length) * filler.length
    return { bytes: Uint8Array.from(Buffer.concat([bam.subarray(0, first), ...fillers, Bgzf.eofBlock])), across }
  })

  withCodec("D2 over several connections the block across two of them is proven, too", function* () {
    const { across, bytes } = yield* longBam
    assert.isBelow(across, 32 * mib)
    for (const place of [across + 40, 32 * mib + 10]) {
      const g = ground({ bytes: bytes.slice(), silent: true })
      const spoilt = g.links.object.bytes
      spoilt[place] = (spoilt[place] ?? 0) ^ 1
      assert.match((yield* failure(g)).message, /BGZF block at byte \d+ is damaged/)
      assert.isAbove(g.links.seen.length, 1)
    }
  })

  it.effect(
    "the checks of structure and content read nothing twice: of what came only the ends are looked at again",
    () =>
      Effect.gen(function* () {
        const { bytes } = yield* longBam
        for (const [check, provenBy] of [
          ["structure", "structure"],
          ["content", "blocks"]
        ] as const) {
          const g = ground({ bytes, request: { check } })
          assert.strictEqual((yield* succeeds(g)).provenBy, provenBy)
          const asked = g.links.seen.map(({ range }) => (range ?? "").replace("bytes=", "").split("-").map(Number))
          const starts = asked.map(([start]) => start).sort((one, other) => (one ?? 0) - (other ?? 0))
          const ends = asked.map(([_, last = NaN]) => last + 1).sort((one, other) => one - other)
          assert.deepStrictEqual([...starts, bytes.length], [0, ...ends])
          assert.isAtMost(g.disk.bytesRead, 256 * kib, check)
        }
      }).pipe(Effect.provide(ZlibCodec.layer))
  )

  withCodec("what has no blocks is proven by its structure or its size, and the outcome says so", function* () {
    const { bai } = yield* someBam
    const md5 = `"${digestOf("md5", bai, "hex")}"`
    for (const [name, bytes, etag, provenBy] of [
      ["s.bam.bai", bai, '"v1"', "structure"],
      ["s.bam.bai", bai, md5, "md5"],
      ["notes", patterned(500), '"v1"', "size"],
      ["notes", new Uint8Array(0), '"v1"', "size"]
    ] as const) {
      const g = ground({ bytes, etag, silent: true, request: { name, fileName: name } })
      assert.strictEqual((yield* yield* g.run).provenBy, provenBy)
    }
    const empty = ground({ bytes: new Uint8Array(0), silent: true })
    assert.include((yield* failure(empty)).message, "it is empty")
  })

  const text = (g: ReturnType<typeof ground>, name: string) => Buffer.from(g.disk.files.get(name) ?? []).toString()

  it.effect("a checksum file is put beside the file, after it, and added where only it is missing", () =>
    Effect.gen(function* () {
      for (const kind of ["md5", "sha256"] as const) {
        const line = `${digestOf(kind, patterned(200 * kib), "hex")}  s.bam\n`
        const name = `s.bam.${kind}`
        const g = ground({ request: { checksums: kind } })
        yield* yield* g.run
        assert.deepStrictEqual(g.disk.names, ["s.bam", name])
        assert.strictEqual(text(g, name), line)
        assert.isBelow(g.disk.log.indexOf("commit"), g.disk.log.indexOf("checksum"))
        // As if the run had ended in between: nothing is fetched again.
        g.disk.files.delete(name)
        const requests = g.links.seen.length
        assert.strictEqual((yield* yield* g.run).action, "exists")
        assert.deepStrictEqual([text(g, name), g.links.seen.length], [line, requests])
        // One that is there is compared, and stays as it is.
        g.disk.files.set(name, Buffer.from(line.replace(/^./, (digit) => (digit === "0" ? "1" : "0"))))
        const wrong = text(g, name)
        assert.deepInclude(yield* Effect.flip(yield* g.run), { _tag: "SvcFileDamaged", file: name, fault: "Checksum" })
        assert.strictEqual(text(g, name), wrong)
        const anew = ground({ request: { checksums: kind, overwrite: true } })
        for (const one of ["s.bam", name]) anew.disk.files.set(one, Buffer.from("old"))
        yield* yield* anew.run
        assert.strictEqual(text(anew, name), line)
      }
    })
  )

  it.effect(
    "a checksum is put beside a kept file only where that has the size that is listed; one that is there is compared",
    () =>
      Effect.gen(function* () {
        const g = ground()
        g.disk.files.set("s.bam", patterned(100))
        const kept = { directory: "out", fileName: "s.bam", name: "s.bam", check: "none", checksums: "md5" } as const
        const vouched = (size: number | null) =>
          Effect.provide(
            FileTransfer.use(({ vouch }) => vouch({ ...kept, size })),
            g.layer
          )
        assert.isFalse(yield* vouched(null))
        assert.strictEqual((yield* Effect.flip(vouched(99)))._tag, "SvcFileDiffers")
        assert.deepStrictEqual(g.disk.names, ["s.bam"])
        assert.isTrue(yield* vouched(100))
        assert.strictEqual(text(g, "s.bam.md5"), `${digestOf("md5", patterned(100), "hex")}  s.bam\n`)
        const written = g.disk.log.length
        assert.isTrue(yield* vouched(null))
        assert.strictEqual(g.disk.log.length, written)
        g.disk.files.set("s.bam.md5", Buffer.from("no checksum\n"))
        assert.match((yield* Effect.flip(vouched(100))).message, /remove it, and a new one is written/)
      })
  )

  it.effect("with overwrite an old checksum never stands beside the new file", () =>
    Effect.gen(function* () {
      const g = ground({ request: { checksums: "md5", overwrite: true } })
      for (const name of ["s.bam", "s.bam.md5"]) g.disk.files.set(name, Buffer.from("old"))
      g.disk.fails = (operation) => (operation === "checksum" ? "ENOSPC" : null)
      assert.deepInclude(yield* Effect.flip(yield* g.run), { _tag: "SvcLocalIo", errno: "ENOSPC" })
      assert.deepStrictEqual(g.disk.names, ["s.bam"])
    })
  )

  it.effect("with overwrite what a list beside the file says of other files stays", () =>
    Effect.gen(function* () {
      const others = `${"a".repeat(32)}  other.txt\r\n${"b".repeat(32)} *x/t.bam\n`
      for (const checksums of ["md5", null] as const) {
        const g = ground({ request: { checksums, overwrite: true } })
        g.disk.files.set("s.bam", Buffer.from("old"))
        g.disk.files.set("s.bam.md5", Buffer.from(`${"c".repeat(32)}  s.bam\n${others}`))
        yield* yield* g.run
        const written = text(g, "s.bam.md5")
        assert.isTrue(written.endsWith(others), written)
        assert.notInclude(written, "c".repeat(32))
        assert.strictEqual(written.length > others.length, checksums === "md5")
      }
    })
  )

  for (const name of [
    "../s.bam",
    "/s.bam",
    "",
    ".",
    "..",
    "a/b",
    "a\0b",
    ".hidden",
    "-rf",
    "x.part",
    `${"x".repeat(256)}`
  ]) {
    it.effect(`Z1 the name ${JSON.stringify(name.slice(0, 20))} is refused before anything happens`, () =>
      Effect.gen(function* () {
        const g = ground({ request: { name } })
        assert.strictEqual((yield* failure(g))._tag, "SvcUnsafeName")
        assert.deepStrictEqual([g.disk.log, g.links.seen], [[], []])
      })
    )
  }
})
