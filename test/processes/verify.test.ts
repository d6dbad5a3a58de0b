/** `svc-verify` as a user's process, on files of the sandbox and on what svc-download left. */
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { basename, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Bgzf from "../../core/src/genome/bgzf/Bgzf.ts"
import * as ZlibCodec from "../../platform/inflate/ZlibCodec.ts"
import { makeSamples } from "../../sandbox/samples/Samples.ts"
import { ground, namesIn, sha256 } from "../DownloadGround.ts"
import { run } from "../Executables.ts"
import { fits } from "../Schemas.ts"
import { temporaryFolder } from "../TemporaryFolder.ts"
import { runWarm } from "../WarmExecutables.ts"
import { words } from "../Words.ts"

// Made once: it takes half a second.
const samples = Effect.runSync(Effect.cached(Effect.provide(makeSamples(1), ZlibCodec.layer)))

/** A folder with the files of one sandbox sample: S1.bam, S1.bam.bai, S1.vcf.gz, S1.vcf.gz.tbi. */
const sample = Effect.gen(function* () {
  const folder = yield* temporaryFolder("svc-verify-")
  const files = yield* samples
  for (const { bytes, name } of files.slice(0, 4)) writeFileSync(join(folder, name), bytes())
  const verify = (...args: ReadonlyArray<string>) => runWarm("svc-verify", args, { cwd: folder })
  return { folder, verify }
})

const flip = (path: string, at: number) => {
  const bytes = readFileSync(path)
  bytes[at] = (bytes[at] ?? 0) ^ 16
  writeFileSync(path, bytes)
}

interface Document {
  readonly schema: string
  readonly exitCode: number
  readonly totals: Readonly<Record<string, number>>
  readonly files: ReadonlyArray<{
    readonly path: string
    readonly status: string
    readonly records: number | null
    readonly error: {
      readonly tag: string
      readonly fault?: string
      readonly block: number | null
      readonly offset: number | null
    } | null
  }>
}
const documentOf = (stdout: string): Document => fits("verify", JSON.parse(stdout))

describe("svc-verify", () => {
  it.live("a sound folder: a line per file on stdout, the sum on stderr, 0", () =>
    Effect.gen(function* () {
      const { folder, verify } = yield* sample
      writeFileSync(join(folder, "notes.txt"), "hello")
      const { exitCode, stderr, stdout } = yield* verify(".")
      assert.strictEqual(exitCode, 0, stderr)
      assert.match(stdout, /^ok +S1\.bam .*\d+ blocks, .* records$/m)
      assert.match(stdout, /^ok +S1\.bam\.bai .*belongs to S1\.bam$/m)
      assert.match(stdout, /^not checked notes\.txt .*unknown type$/m)
      assert.match(stderr, /5 files: 4 ok, 1 not checked/)
    })
  )

  it.live("one flipped bit: 65, with the file, the number of the block and its byte", () =>
    Effect.gen(function* () {
      const { folder, verify } = yield* sample
      const path = join(folder, "S1.bam")
      const second = Bgzf.blockSize(readFileSync(path), 0)
      flip(path, second + 400)
      const { exitCode, stdout } = yield* verify(".", "--format", "json")
      const { files, schema, totals } = documentOf(stdout)
      assert.strictEqual(exitCode, 65)
      assert.strictEqual(schema, "svc.verify/1")
      assert.deepInclude(totals, { ok: 3, failed: 1 })
      const damaged = files.find(({ status }) => status === "failed")
      assert.deepInclude(damaged?.error, { tag: "FileDamaged", fault: "BadBlock", block: 2, offset: second })
      const plain = yield* verify("S1.bam")
      assert.strictEqual(plain.exitCode, 65)
      assert.match(plain.stdout, new RegExp(`^FAILED +S1\\.bam: block 2 at byte ${second} `))
      assert.match(plain.stderr, /^Error: 2 files: 1 ok, 1 failed/)
    })
  )

  it.live("a cut file, a foreign index, a missing path: the most severe decides", () =>
    Effect.gen(function* () {
      const { folder, verify } = yield* sample
      assert.strictEqual((yield* verify("S1.bam", "gone.bam")).exitCode, 66)
      cpSync(join(folder, "S1.vcf.gz.tbi"), join(folder, "S1.bam.csi"))
      assert.strictEqual((yield* verify("S1.bam.csi")).exitCode, 65)
      const path = join(folder, "S1.vcf.gz")
      truncateSync(path, statSync(path).size - 28)
      const { exitCode, stdout } = yield* verify("gone.bam", "S1.vcf.gz")
      assert.strictEqual(exitCode, 65)
      assert.match(stdout, /S1\.vcf\.gz: it does not end with the BGZF end-of-file block/)
    })
  )

  it.live("parts of downloads are unfinished, not damaged; links to folders are not followed", () =>
    Effect.gen(function* () {
      const { folder, verify } = yield* sample
      writeFileSync(join(folder, ".S2.bam.01234567.part"), "half")
      writeFileSync(join(folder, ".S2.bam.01234567.part.json"), "{}")
      mkdirSync(join(folder, "below"))
      symlinkSync("..", join(folder, "below", "round"))
      symlinkSync("../S1.bam", join(folder, "below", "linked.bam"))
      const { exitCode, stdout } = yield* verify(folder)
      assert.strictEqual(exitCode, 0, stdout)
      assert.match(stdout, /^unfinished +.*\.part; part of a download/m)
      assert.match(stdout, /^ok +.*below\/linked\.bam/m)
      assert.strictEqual(stdout.trimEnd().split("\n").length, 6)
    })
  )

  it.live("against the report of a download: sound, then a file changed, then one gone", () =>
    Effect.gen(function* () {
      const { download, folder } = yield* ground()
      const done = yield* download(words`-a A1 -f bam,bam.bai,vcf.gz,vcf.gz.tbi -d out --reportfile out/report.json`)
      assert.strictEqual(done.exitCode, 0, done.stderr)
      const verify = (...args: ReadonlyArray<string>) => runWarm("svc-verify", args, { cwd: folder })
      const sound = yield* verify("--against", "out/report.json")
      assert.strictEqual(sound.exitCode, 0, sound.stdout)
      assert.strictEqual(sound.stdout.match(/sha256 as expected/g)?.length, 4)
      const [bam = ""] = /\S+\.bam(?= )/.exec(sound.stdout) ?? []
      // Not one byte of content is changed: only the checksum can tell.
      appendFileSync(join(folder, bam), Bgzf.eofBlock)
      const longer = yield* verify("--against", "out/report.json")
      assert.strictEqual(longer.exitCode, 65)
      assert.match(longer.stdout, /^FAILED +.*\.bam: it has \d+ bytes, and \d+ are expected/m)
      rmSync(join(folder, bam))
      const gone = yield* verify("--against", "out/report.json")
      assert.strictEqual(gone.exitCode, 66)
      assert.match(gone.stdout, /^FAILED +.*\.bam: not found/m)
    })
  )

  it.live(
    "checksums that svc-download put beside its files: all hold, then one is of other bytes, then its file is gone",
    () =>
      Effect.gen(function* () {
        const { download, folder } = yield* ground()
        const done = yield* download(["-a", "A1", "-d", "out", "--layout", "flat", "--checksums", "md5"])
        assert.strictEqual(done.exitCode, 0, done.stderr)
        const verify = runWarm("svc-verify", ["out"], { cwd: folder })
        const sound = yield* verify
        assert.strictEqual(sound.exitCode, 0, sound.stdout)
        assert.strictEqual(sound.stdout.match(/^ok +out\/\S+\.md5 .*, belongs to out\/\S+$/gm)?.length, 2)
        const name = /\S+\.bam(?=\.md5)/.exec(sound.stdout)?.[0] ?? ""
        writeFileSync(join(folder, `${name}.md5`), `${"0".repeat(32)}  ${basename(name)}\n`)
        const spoiled = yield* verify
        assert.strictEqual(spoiled.exitCode, 65)
        assert.include(spoiled.stdout, `FAILED      ${name}.md5: it does not fit ${name}, whose MD5 is `)
        rmSync(join(folder, name))
        const gone = yield* verify
        assert.strictEqual(gone.exitCode, 66)
        assert.include(gone.stdout, `FAILED      ${name}, the file of ${name}.md5: not found`)
      })
  )

  it.live("against sha256sum, from another folder", () =>
    Effect.gen(function* () {
      const { folder } = yield* sample
      const lines = ["S1.bam", "S1.vcf.gz"].map((name) => `${sha256(folder, name)}  ${name}\n`)
      writeFileSync(join(folder, "SHA256SUMS"), lines.join(""))
      const sums = join(folder, "SHA256SUMS")
      assert.strictEqual((yield* runWarm("svc-verify", ["--against", sums])).exitCode, 0)
      writeFileSync(
        sums,
        lines.join("").replace(/^./, (digit) => (digit === "0" ? "1" : "0"))
      )
      const wrong = yield* runWarm("svc-verify", ["--against", sums])
      assert.strictEqual(wrong.exitCode, 65)
      assert.match(wrong.stdout, /S1\.bam: its SHA-256 is /)
    })
  )

  it.live("nothing is proven by an empty folder, other files or half a download: 66, and it says so", () =>
    Effect.gen(function* () {
      const { folder, verify } = yield* sample
      for (const name of ["empty", "notes", "half"]) mkdirSync(join(folder, name))
      writeFileSync(join(folder, "notes", "a.txt"), "hello")
      writeFileSync(join(folder, "half", ".S2.bam.01234567.part"), "half")
      const empty = yield* verify("empty")
      assert.strictEqual(empty.exitCode, 66)
      assert.strictEqual(empty.stderr, "Error: Nothing to verify in empty: no files there\n")
      const notes = yield* verify("notes", "--format", "json")
      assert.strictEqual(notes.exitCode, 66)
      assert.match(notes.stderr, /^Error: Nothing to verify in notes: 1 file, but no BAM, no VCF\.gz/)
      assert.deepInclude(documentOf(notes.stdout), { exitCode: 66 })
      assert.strictEqual((yield* verify("half")).exitCode, 66)
      const some = yield* verify("S1.bam", "empty")
      assert.strictEqual(some.exitCode, 0)
      assert.match(some.stdout, /^not checked empty; a folder without files$/m)
    })
  )

  it.live("wrong use: nothing to check, a manifest that is missing or is none", () =>
    Effect.gen(function* () {
      const { verify } = yield* sample
      const nothing = yield* verify()
      assert.strictEqual(nothing.exitCode, 64)
      assert.match(nothing.stderr, /^Error: Nothing to check/)
      const unset = yield* verify("S1.bam", "")
      assert.strictEqual(unset.exitCode, 64)
      assert.match(unset.stderr, /^Error: PATH must not be empty\n/)
      assert.strictEqual((yield* verify("--against", "gone.json")).exitCode, 66)
      assert.strictEqual((yield* verify("--against", "S1.bam")).exitCode, 65)
      assert.strictEqual((yield* verify("S1.bam", "--format", "xml")).exitCode, 64)
    })
  )

  it.live("D16 S1.bai is the index of S1.bam everywhere: served, fetched, used for regions and verified", () =>
    Effect.gen(function* () {
      const { folder } = yield* sample
      const data = join(folder, "data")
      mkdirSync(data)
      for (const [from, to] of [
        ["S1.bam", "S1.bam"],
        ["S1.bam.bai", "S1.bai"],
        ["S1.vcf.gz", "S1.vcf.gz"],
        ["S1.vcf.gz.tbi", "S1.vcf.tbi"]
      ] as const) {
        renameSync(join(folder, from), join(data, to))
      }
      const own = yield* ground({ data })
      const out = join(own.folder, "out")
      const fetched = yield* own.download(["-a", "A1", "-d", "out", "-f", "bam,bam.bai,vcf.gz,vcf.gz.tbi"])
      assert.strictEqual(fetched.exitCode, 0, fetched.stderr)
      assert.deepStrictEqual(namesIn(out), ["S1.bai", "S1.bam", "S1.vcf.gz", "S1.vcf.tbi"])
      const cut = yield* own.download(["-a", "A1", "-d", "out", "-f", "bam,vcf.gz", "-g", "chr1:155234500-155236000"])
      assert.strictEqual(cut.exitCode, 0, cut.stderr)
      const { exitCode, stdout } = yield* runWarm("svc-verify", [out], { cwd: own.folder })
      assert.strictEqual(exitCode, 0, stdout)
      for (const [index, file] of [
        ["S1.bai", "S1.bam"],
        ["S1.vcf.tbi", "S1.vcf.gz"]
      ] as const) {
        assert.include(stdout, `belongs to ${join(out, file)}`)
        truncateSync(join(out, index), statSync(join(out, index)).size - 3)
        const cutOff = yield* runWarm("svc-verify", [out], { cwd: own.folder })
        assert.strictEqual(cutOff.exitCode, 65, cutOff.stdout)
        assert.match(cutOff.stdout, new RegExp(`^FAILED +${join(out, index)}: .*byte `, "m"))
      }
    })
  )

  it.live("uses no network, also where spans have a collector", () =>
    Effect.gen(function* () {
      const { folder } = yield* sample
      const preloaded = join(folder, "offline.cjs")
      writeFileSync(
        preloaded,
        `const used = () => process.exit(99)
        require("node:net").Socket.prototype.connect = used
        require("node:dgram").createSocket = used
        require("node:dns").lookup = used`
      )
      const env = { NODE_OPTIONS: `--require ${preloaded}`, OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" }
      const outcome = yield* run("svc-verify", ["S1.bam"], { cwd: folder, env })
      assert.strictEqual(outcome.exitCode, 0, outcome.stderr)
    })
  )
})
