/** One file to standard output, as a process in a pipe. */
import { execFile } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Ground, ground, namesIn, readReport } from "../DownloadGround.ts"
import { commandOf } from "../Executables.ts"
import { lacks, unless } from "../Lacks.ts"

interface Piped {
  readonly exitCode: number
  readonly bytes: Buffer
  readonly stderr: string
}

/** `svc-download A1 ... --stdout` with what came out as bytes; `reader` may stand after it in the pipe. */
const piped = ({ env, folder }: Ground, args: string, reader = "cat") =>
  Effect.callback<Piped>((resume) => {
    const command = commandOf("svc-download").join(" ")
    execFile(
      "bash",
      ["-c", `${command} ${args} --stdout | ${reader}; exit \${PIPESTATUS[0]}`],
      { cwd: folder, env: { ...process.env, ...env }, encoding: "buffer", maxBuffer: 2 ** 28 },
      (error, bytes, stderr) =>
        resume(Effect.succeed({ exitCode: Number(error?.code ?? 0), bytes, stderr: stderr.toString() }))
    )
  })

const gene = "chr17:43044295-43125364"
const endBlock = 28

describe("svc-download --stdout", () => {
  it.live("writes the bytes that a download writes to the disk, and everything else to standard error", () =>
    Effect.gen(function* () {
      const place = yield* ground({ behaviour: { strict: true } })
      const { download, folder } = place
      const files = yield* download(["A1", "-f", "bam,bam.bai,vcf.gz", "-d", "out"])
      const slices = yield* download(["A1", "-f", "bam,vcf.gz", "-g", gene, "-d", "out"])
      assert.deepStrictEqual([files.exitCode, slices.exitCode], [0, 0], files.stderr + slices.stderr)
      for (const [args, name] of [
        ["A1 -f bam", "S1.bam"],
        ["A1 -f bam.bai", "S1.bam.bai"],
        ["A1 -f vcf.gz", "S1.vcf.gz"],
        [`A1 -g ${gene} --reportfile r.json`, "S1.ranged.bam"],
        [`A1 -f vcf.gz -g ${gene}`, "S1.ranged.vcf.gz"]
      ] as const) {
        const { bytes, exitCode, stderr } = yield* piped(place, args)
        assert.strictEqual(exitCode, 0, stderr)
        assert.isTrue(bytes.equals(readFileSync(join(folder, "out", name))), name)
        assert.match(stderr, /downloaded|written/)
      }
      const [file, ...others] = readReport(folder, "r.json").files
      assert.strictEqual(others.length, 0)
      assert.deepInclude(file, { action: "downloaded", path: null, fileName: "S1.bam", error: null })
      assert.isAbove(file?.records ?? 0, 100)
      assert.deepStrictEqual(namesIn(folder), ["locks", "out", "r.json"])
    })
  )

  it.live(
    "D1 a failure in the middle leaves the end block out, so that samtools notices, and the exit code says why",
    () =>
      Effect.gen(function* () {
        const place = yield* ground()
        const { bytes: sound } = yield* piped(place, "A1 -f bam")
        for (const [args, corrupt] of [
          ["A1 -f bam", 100_000],
          ["A1 -g chr17", 10_000]
        ] as const) {
          // The first request is for the header.
          yield* place.setFaults([{ when: { file: "*.bam", after: 1 }, then: { corrupt } }])
          const { bytes, exitCode, stderr } = yield* piped(place, args)
          assert.strictEqual(exitCode, 65, stderr)
          assert.match(stderr, /S1\.bam: .*byte \d+/)
          const end = sound.subarray(-endBlock)
          assert.isFalse(bytes.length >= endBlock && bytes.subarray(-endBlock).equals(end), args)
          writeFileSync(join(place.folder, "cut.bam"), bytes)
          yield* place.setFaults([{ when: { file: "*.bam", after: 1 }, then: { corrupt } }])
          const { bytes: said } = yield* piped(place, args, "samtools view -c - 2>&1")
          assert.match(said.toString(), /EOF marker is absent|truncated|fail to read/i)
        }
      }),
    unless(lacks.genomeTools)
  )

  it.live("several files are 64 with their names, one in the archive is 75, and nothing is written for either", () =>
    Effect.gen(function* () {
      const place = yield* ground()
      for (const [args, code, said] of [
        ["A1", 64, /S1\.bam \(analysis A1\), S1\.bam\.bai \(analysis A1\): choose one/],
        ["A1,A2 -f bam", 64, /S1\.bam \(analysis A1\), S2\.bam \(analysis A2\)/],
        ["A3 -f bam", 75, /S3\.bam \(analysis A3\): in the archive.*; svc-request-restore -a A3 asks for it/],
        ["A1 -f bam -g chrNone", 66, /chrNone/],
        ["nope -f bam", 66, /nope/],
        [
          "A1 -f bam -d out --wait 1h",
          64,
          /--stdout, --destination and --wait cannot be used together: nothing is kept or waited for/
        ],
        ["A1 -f bam --check structure", 64, /all of it is checked/],
        ["A1 -f bam --plan", 64, /--plan and --stdout cannot be used together/],
        ["A1 -f bam --resumeArchivedDownloads", 64, /cannot be used together/]
      ] as const) {
        const { bytes, exitCode, stderr } = yield* piped(place, args)
        assert.deepStrictEqual([exitCode, bytes.length], [code, 0], `${args}: ${stderr}`)
        assert.match(stderr, said)
      }
      assert.deepStrictEqual(namesIn(place.folder), ["locks", "out"])
    })
  )

  it.live("a reader that has enough ends it with 141, quietly, and the session is logged out", () =>
    Effect.gen(function* () {
      const place = yield* ground()
      const { bytes, exitCode, stderr } = yield* piped(place, "A1 -f bam", "head -c 10")
      assert.deepStrictEqual([exitCode, bytes.length], [141, 10], stderr)
      assert.notMatch(stderr, /EPIPE|error/i)
      assert.deepInclude(yield* place.stats, { logins: 1, logouts: 1, linkInFlight: 0 })
    })
  )
})
