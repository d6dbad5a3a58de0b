/** An unfinished file that changes on the disk between two runs, as a person would meet it: whole processes against the sandbox. */
import { randomBytes } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { crc32, deflateRawSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { humanSize } from "../../core/src/text/Quantity.ts"
import { fault, ground, namesIn, partBytes, readReport, sha256 } from "../DownloadGround.ts"
import { start, untilOrEnd } from "../Executables.ts"
import { temporaryFolder } from "../TemporaryFolder.ts"

/** A BGZF block with these bytes, not compressed. */
const block = (content: Buffer): Buffer => {
  const body = deflateRawSync(content, { level: 0 })
  const bytes = Buffer.alloc(18 + body.length + 8)
  bytes.set([31, 139, 8, 4, 0, 0, 0, 0, 0, 255, 6, 0, 66, 67, 2, 0])
  bytes.writeUInt16LE(bytes.length - 1, 16)
  bytes.set(body, 18)
  bytes.writeUInt32LE(crc32(content), bytes.length - 8)
  bytes.writeUInt32LE(content.length, bytes.length - 4)
  return bytes
}

/** Head and end of a BAM, and about so many random bytes between them. */
const bamOf = (bytes: number): Buffer =>
  Buffer.concat([
    block(Buffer.from("BAM\u0001\0\0\0\0\0\0\0\0", "latin1")),
    ...Array.from({ length: Math.ceil(bytes / 65_000) }, () => block(randomBytes(65_000))),
    Buffer.from("1f8b08040000000000ff0600424302001b0003000000000000000000", "hex")
  ])

type Span = readonly [start: number, end: number, sum: number]

const link = { plane: "link", file: "big.bam" } as const

/**
 * A run of `svc-download` that `signal` ended when its journal had a span or its part all that the link host sends, one byte of the part
 * changed in the middle of the span number `which`, and the same command again.
 */
const changedBetweenRuns = Effect.fnUntraced(function* (
  size: number,
  { signal, stall, which }: { readonly signal: NodeJS.Signals; readonly stall: number; readonly which: number }
) {
  const bam = bamOf(size)
  const path = join(yield* temporaryFolder("svc-bam-"), "big.bam")
  writeFileSync(path, bam)
  const here = yield* ground({ world: { analyses: [{ id: "B1", files: [{ name: "big.bam", path }] }] } })
  yield* here.setFaults([fault({ ...link, nth: 1 }, { stall })])
  const out = join(here.folder, "out")
  const args = ["-a", "B1", "-f", "bam", "-d", "out", "--limitRate", "400M", "--checksums", "sha256"]
  const named = (suffix: string) => join(out, namesIn(out).find((name) => name.endsWith(suffix)) ?? "nothing yet")
  const spans = (): ReadonlyArray<Span> => JSON.parse(readFileSync(named(".part.json"), "utf8")).spans
  const running = yield* start("svc-download", args, { cwd: here.folder, env: here.env })
  yield* untilOrEnd(
    running,
    "there is something to kill",
    signal === "SIGKILL"
      ? Effect.sync(() => namesIn(out).some((name) => name.endsWith(".part.json")) && spans().length > 0)
      : Effect.sync(() => partBytes(out) >= stall)
  )
  yield* running.kill(signal)
  yield* running.outcome
  const left = spans()
  const [from = 0, to = 0] = left[which] ?? []
  const part = readFileSync(named(".part"))
  const middle = (from + to) >> 1
  part[middle] = (part[middle] ?? 0) ^ 0x04
  writeFileSync(named(".part"), part)

  yield* here.setFaults([])
  const before = (yield* here.stats).files["B1/big.bam"]
  const next = yield* here.download([...args, "--reportfile", "report.json"])
  const after = (yield* here.stats).files["B1/big.bam"]
  const kept = left.reduce((sum, [start, end]) => sum + end - start, 0) - (to - from)
  return {
    bam,
    here,
    kept,
    next,
    span: [from, to] as const,
    fetched: (after?.bytes ?? 0) - (before?.bytes ?? 0)
  }
})

const proves = ({
  bam,
  fetched,
  here,
  kept,
  next,
  span: [from, to]
}: Effect.Success<ReturnType<typeof changedBetweenRuns>>) => {
  assert.strictEqual(next.exitCode, 0, next.stderr)
  assert.isTrue(readFileSync(join(here.folder, "out", "big.bam")).equals(bam))
  const hex = sha256(here.folder, "out", "big.bam")
  assert.strictEqual(readFileSync(join(here.folder, "out", "big.bam.sha256"), "utf8"), `${hex}  big.bam\n`)
  const [file] = readReport(here.folder, "report.json").files
  assert.deepInclude(file, {
    action: "downloaded",
    bytes: bam.length,
    resumedFrom: kept,
    sha256: hex,
    provenBy: "blocks"
  })
  assert.strictEqual(fetched, bam.length - kept)
  // What is announced is what the journal does not prove, however long the part is.
  assert.include(next.stderr, `Fetching 1 file, ${humanSize(bam.length - kept - (to - from))}`)
  const lines = next.stderr.split("\n").filter((line) => line.includes("not those that came"))
  assert.strictEqual(lines.length, 1, next.stderr)
  assert.include(lines[0], `bytes ${from}-${to - 1} of the unfinished file are not those that came; fetching`)
  assert.deepStrictEqual(namesIn(here.folder, "out"), ["big.bam", "big.bam.sha256"])
}

describe("K12 a byte of the unfinished file that changes between two runs", () => {
  it.live("of a large file that was killed: its span and the rest are fetched, and nothing else", () =>
    Effect.gen(function* () {
      const run = yield* changedBetweenRuns(80 * 1024 * 1024, {
        signal: "SIGKILL",
        stall: 24 * 1024 * 1024,
        which: 3
      })
      proves(run)
      assert.isAtMost(run.span[1] - run.span[0], 8 * 1024 * 1024)
      assert.isAbove(run.kept, 32 * 1024 * 1024)
    })
  )

  it.live("of a small file after Ctrl-C: the run that goes on has the right bytes and the right checksum", () =>
    Effect.gen(function* () {
      const run = yield* changedBetweenRuns(1_300_000, { signal: "SIGINT", stall: 700_000, which: 0 })
      assert.deepStrictEqual([...run.span], [0, 700_000])
      proves(run)
    })
  )
})

it.live("P1 D2 a byte that came wrong before kill -9 is found by the run that goes on: 65, and no file", () =>
  Effect.gen(function* () {
    const path = join(yield* temporaryFolder("svc-bam-"), "big.bam")
    const bam = bamOf(20 * 1024 * 1024)
    writeFileSync(path, bam)
    const here = yield* ground({ world: { analyses: [{ id: "B1", files: [{ name: "big.bam", path }] }] } })
    const stall = 12 * 1024 * 1024
    yield* here.setFaults([fault({ ...link, nth: 1 }, { corrupt: 3_000_000, stall })])
    const out = join(here.folder, "out")
    const args = ["-a", "B1", "-f", "bam", "-d", "out"]
    const running = yield* start("svc-download", args, { cwd: here.folder, env: here.env })
    const journal = () => namesIn(out).find((name) => name.endsWith(".part.json"))
    const spans = (): ReadonlyArray<Span> => {
      const name = journal()
      return name === undefined ? [] : JSON.parse(readFileSync(join(out, name), "utf8")).spans
    }
    yield* untilOrEnd(
      running,
      "what came is noted",
      Effect.sync(() => spans().length > 0)
    )
    yield* running.kill("SIGKILL")
    yield* running.outcome
    const next = yield* here.download(args)
    assert.strictEqual(next.exitCode, 65, next.stderr)
    assert.match(next.stderr, /big\.bam: .*block .*at byte \d+/)
    assert.deepStrictEqual(namesIn(out), [])
    const again = yield* here.download(args)
    assert.strictEqual(again.exitCode, 0, again.stderr)
    assert.isTrue(readFileSync(join(out, "big.bam")).equals(bam))
  })
)
