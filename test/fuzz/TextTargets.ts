/** Everything that reads a text of somebody else: replies, bodies, restoration files, regions, settings, manifests. */

import { gzipSync } from "node:zlib"
import { Effect, Exit, Result } from "effect"
import { BodyScanner } from "../../core/src/annotations/BodyReading.ts"
import { parse, render } from "../../core/src/archive/TrackingFile.ts"
import { AnalysisId } from "../../core/src/contract/Ids.ts"
import { fromBytes } from "../../core/src/genome/ByteReader.ts"
import { readBed } from "../../core/src/genome/regions/BedFile.ts"
import { parseRange } from "../../core/src/genome/regions/RegionText.ts"
import { configLayer } from "../../core/src/settings/ConfigLayer.ts"
import { readJson } from "../../core/src/text/JsonText.ts"
import { judge } from "../../core/src/transfer/RangeReply.ts"
import { parseManifest } from "../../core/src/verify/Manifest.ts"
import { ChunkedFrames, parseHead } from "../../platform/http/HttpReply.ts"
import type { SeededRandom } from "../../sandbox/samples/SeededRandom.ts"
import { codecHere } from "../../test/genome/CodecHere.ts"
import { mutate, mutateText, type Target } from "./Mutation.ts"

/** Tags of the errors; a text has nothing in front of its content. */
type Tags = ReadonlyArray<string>

const decoder = new TextDecoder()
const textTarget = (
  name: string,
  samples: readonly [string, ...ReadonlyArray<string>],
  read: (text: string) => Tags
): Target => ({
  name,
  make: (random) => mutateText(random.pick(samples), random),
  refusals: ["refused", "SvcUsageError", "SvcFileDamaged"],
  read: (bytes) => ({ tags: read(decoder.decode(bytes)), past: true })
})

const refusedIf = (bad: boolean): Tags => (bad ? ["refused"] : [])
const tagOf = (error: unknown) =>
  typeof error === "object" && error !== null && "_tag" in error ? String(error._tag) : "refused"
const outcomeOf = (result: Result.Result<unknown, unknown>): Tags =>
  Result.isFailure(result) ? [tagOf(result.failure)] : []

const head = [
  "HTTP/1.1 206 Partial Content",
  "Content-Length: 500",
  "Content-Range: bytes 100-599/5000",
  'ETag: "33a64df551425fcc55e4d42a148795d9"',
  "Last-Modified: Wed, 21 Oct 2026 07:28:00 GMT",
  "Connection: keep-alive"
]

const reply = textTarget(
  "http-reply",
  [head.join("\r\n"), head.join("\r\n").replace(/Content-Length.*\r\n/, "Transfer-Encoding: chunked\r\n")],
  (text) => {
    const parsed = parseHead(text)
    if (Result.isFailure(parsed)) return ["refused"]
    const { framing, headers, status } = parsed.success
    const asked = { first: 100, end: 600, range: true, size: 5_000, known: null }
    const verdict = judge(asked, { status, headers, framed: framing._tag !== "Close" })
    if (verdict._tag !== "Bytes") return ["refused"]
    if (verdict.first !== 100 || (verdict.end ?? 601) > 600) throw new Error("another range was taken")
    return []
  }
)

const chunked = textTarget(
  "http-chunks",
  ["5\r\nhello\r\n1f;x=y\r\n0123456789012345678901234567890\r\n0\r\nA: b\r\n\r\n"],
  (text) => {
    const bytes = new TextEncoder().encode(text)
    const frames = new ChunkedFrames()
    for (let at = 0; at < bytes.length && !frames.ended; ) {
      const looked = frames.look(bytes.subarray(at))
      if (Result.isFailure(looked)) return ["refused"]
      const taken = looked.success.skip + looked.success.data
      if (taken === 0) throw new Error("no progress")
      at += taken
    }
    return refusedIf(!frames.ended)
  }
)

const body =
  '{"data":[["a",1,[],null,[2,"x;\\u00e4"]],[ ],["yy",-0.5,1e5,{"a":[1]},true,false]],"header":[{"id":"A"}],"x":{}}'

/** What the scanner takes must be JSON, and what is JSON with rows and header must be taken. */
const annotations = textTarget(
  "annotations",
  [body, `${body.slice(0, 8)}${'["r",1],'.repeat(200)}${body.slice(8)}`],
  (text) => {
    const bytes = new TextEncoder().encode(text)
    const scanner = new BodyScanner({ depth: 1000, piece: 1 << 20 })
    for (let at = 0; at < bytes.length; at += 37)
      if (scanner.push(bytes.slice(at, at + 37)) !== null) return ["refused"]
    if (scanner.end() !== null) return ["refused"]
    JSON.parse(text.replace(/^\ufeff/, ""))
    return []
  }
)

const entry = {
  ...{
    target: "https://lab.example.org/",
    analysisId: AnalysisId.make("A1"),
    fileName: "S1.bam",
    status: "pending",
    more: { a: [1, null] }
  },
  ...{ restoreEstimation: "2026-11-21T00:00:00Z", requestTime: "2026-11-21T00:00:00.000Z" },
  options: {
    destination: ".",
    overwrite: false,
    range: "chr1:1-5",
    bed: null,
    restorationFile: "t.json",
    filetypes: ["bam"]
  }
}
/** What is taken must survive being written and read again. */
const tracking = textTarget(
  "tracking",
  [JSON.stringify([entry, entry], null, 2), JSON.stringify({ restorations: [entry], lastUpdated: "x" })],
  (text) => {
    const parsed = parse(text)
    if (Result.isFailure(parsed)) return ["refused"]
    const again = parse(render(parsed.success))
    if (Result.isFailure(again) || again.success.items.length !== parsed.success.items.length)
      throw new Error("not kept")
    return []
  }
)

const bedText = "track name=x\n#c\nchr1\t100\t200\tname\t0\t+\nchr2 5 10\r\n\nchrX\t1\t2\n"
const bed: Target = {
  name: "bed",
  make: (random: SeededRandom) => {
    const text = mutateText(bedText.repeat(random.between(1, 5)), random)
    const kind = random.next()
    return kind < 0.5
      ? text
      : kind < 0.7
        ? new Uint8Array(gzipSync(text))
        : mutate(new Uint8Array(gzipSync(bedText)), random)
  },
  refusals: ["SvcUsageError"],
  read: (bytes) => {
    const exit = Effect.runSyncExit(Effect.provide(Effect.result(readBed("x.bed", fromBytes(bytes))), codecHere))
    if (Exit.isFailure(exit)) throw new Error(String(exit.cause))
    return { tags: outcomeOf(exit.value), past: true }
  }
}

const regions = textTarget(
  "regions",
  ["chr1:1-5000 chrX {HLA-A*01:01}:5-9 chr2:7", "chr1:1,000-2,000\nchrM:-500"],
  (text) => outcomeOf(parseRange(text))
)

const settings = textTarget(
  "config",
  [
    JSON.stringify(
      { username: "u", target: "https://x/", analysisIds: ["A1", 2], overwrite: true, filetypes: ["bam"], range: null },
      null,
      2
    )
  ],
  (text) => {
    const read = readJson(text)
    if (Result.isFailure(read)) return ["refused"]
    const { value } = read.success
    if (typeof value !== "object" || value === null || Array.isArray(value)) return ["refused"]
    return refusedIf(configLayer({ ...value }).problems.length > 0)
  }
)

const sum = `${"0123456789abcdef".repeat(4)}  out/S1.bam\n`
const file = { path: "out/S1.bam", action: "downloaded", reason: null, bytes: 5, sha256: "ab", regions: null }
const manifest = textTarget(
  "manifest",
  [sum.repeat(3), `\\${sum}`, JSON.stringify({ schema: "svc.report/1", files: [file, file] })],
  (text) => outcomeOf(parseManifest("m", text))
)

export const textTargets: ReadonlyArray<Target> = [
  reply,
  chunked,
  annotations,
  tracking,
  bed,
  regions,
  settings,
  manifest
]
