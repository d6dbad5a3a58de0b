import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem, Layer, Path, PlatformError, Redacted, Result } from "effect"
import * as ZlibCodec from "../../../platform/inflate/ZlibCodec.ts"
import { AnalysisId } from "../contract/Ids.ts"
import { LinkForbidden } from "../Errors.ts"
import { parseRange } from "../genome/regions/RegionText.ts"
import { rowOf } from "../report/Report.ts"
import { FileTransfer } from "../transfer/FileTransfer.ts"
import type { SliceOutcome, SliceRequest, SliceWish } from "../transfer/SliceRequest.ts"
import { SliceTransfer } from "../transfer/SliceTransfer.ts"
import type { PlannedFile } from "./DownloadPlan.ts"
import type { FileResult } from "./FileResult.ts"
import { run } from "./Run.ts"
import type { RunLinks } from "./RunLinks.ts"

const content: SliceWish = { wanted: Result.getOrThrow(parseRange("chr1:1-100")), unmapped: false }
const file = (fileName: string, some: Partial<PlannedFile> = {}): PlannedFile => ({
  analysisId: AnalysisId.make("A1"),
  fileName,
  type: "bam",
  folder: "",
  size: null,
  archived: false,
  estimatedRestoreTime: null,
  hasLink: true,
  slice: { name: fileName.replace(".bam", ".ranged.bam"), indexFile: `${fileName}.bai`, content, estimate: null },
  decision: { _tag: "Fetch" },
  ...some
})
const outcome: SliceOutcome = {
  action: "downloaded",
  bytes: 900,
  sha256: "ab",
  regions: "chr1:1-100 {chr 2}:1-9",
  records: 12,
  index: { name: "S.ranged.bam.bai", bytes: 96, sha256: "cd" },
  fetched: 5000,
  warnings: ["S.bam: its end is missing"],
  attempts: 5,
  renewals: 1
}
const links: RunLinks = {
  lend: ({ fileName }) =>
    Effect.succeed({
      link: Redacted.make(`first ${fileName}`),
      size: 7,
      renewLink: Effect.succeed({ link: Redacted.make(`second ${fileName}`), size: 7 })
    })
}

interface Engines {
  readonly cut?: SliceTransfer["Service"]["download"]
  readonly whole?: FileTransfer["Service"]["download"]
}

const going = Effect.fnUntraced(function* (files: ReadonlyArray<PlannedFile>, destination: string, engines: Engines) {
  const request = {
    target: "https://lab/",
    destination,
    overwrite: false,
    check: "structure" as const,
    checksums: null,
    connections: 1
  }
  return yield* run({ files, failures: [], warnings: [] }, links, request).pipe(
    Effect.provideService(FileTransfer, {
      download: engines.whole ?? (() => Effect.die("no whole file")),
      vouch: () => Effect.succeed(true),
      index: () => Effect.succeed(null),
      tidy: () => Effect.void
    }),
    Effect.provideService(SliceTransfer, {
      download: engines.cut ?? (() => Effect.die("no slice")),
      estimate: () => Effect.die("nothing is estimated in a run"),
      tidy: () => Effect.void
    })
  )
})

const folder = Effect.gen(function* () {
  const [fs, path] = [yield* FileSystem.FileSystem, yield* Path.Path]
  return { fs, path, root: yield* fs.makeTempDirectoryScoped() }
})

layer(Layer.mergeAll(NodeServices.layer, ZlibCodec.layer), { excludeTestServices: true })("a run", (it) => {
  it.effect("asks for a slice with both files and its own name, and says all that it got", () =>
    Effect.gen(function* () {
      const { path, root } = yield* folder
      const asked: Array<SliceRequest> = []
      const [result] = yield* going([file("S.bam", { folder: "A1" })], root, {
        cut: (request) => {
          asked.push(request)
          return Effect.succeed(outcome)
        }
      })
      const [request] = asked
      assert.deepInclude(request, {
        name: "S.ranged.bam",
        directory: path.join(root, "A1"),
        kind: "bam",
        overwrite: false
      })
      assert.deepStrictEqual([request?.data.fileName, request?.index.fileName], ["S.bam", "S.bam.bai"])
      assert.deepStrictEqual(request === undefined ? null : yield* request.existing, { _tag: "Absent" })
      const row = result === undefined ? null : rowOf(result)
      assert.isAtLeast(row?.finishedAt?.getTime() ?? 0, row?.startedAt?.getTime() ?? Number.NaN)
      assert.deepStrictEqual(row === null ? null : { ...row, seconds: 0, startedAt: null, finishedAt: null }, {
        analysisId: "A1",
        fileName: "S.bam",
        path: `${root}/A1/S.ranged.bam`,
        action: "downloaded",
        reason: null,
        bytes: 900,
        listedBytes: null,
        resumedFrom: 0,
        sha256: "ab",
        provenBy: "records",
        regions: ["chr1:1-100", "{chr 2}:1-9"],
        records: 12,
        index: { path: `${root}/A1/S.ranged.bam.bai`, bytes: 96, sha256: "cd" },
        fetched: 5000,
        warnings: ["S.bam: its end is missing"],
        attempts: 5,
        renewals: 1,
        seconds: 0,
        startedAt: null,
        finishedAt: null,
        restoration: null,
        error: null
      })
    })
  )

  it.effect("a slice that is there is skipped; a summary of many regions stays one", () =>
    Effect.gen(function* () {
      const { root } = yield* folder
      const summary = "900 regions, CRC-32 0123abcd"
      const index = { name: "S.ranged.bam.bai", bytes: 7, sha256: null }
      const [result] = yield* going([file("S.bam")], root, {
        cut: () =>
          Effect.succeed({ ...outcome, action: "exists", sha256: null, records: null, index, regions: summary })
      })
      const found = result?._tag === "Kept" ? result : null
      assert.deepInclude(found?.index, { bytes: 7, sha256: null })
      assert.deepStrictEqual(found?.regions, [summary])
    })
  )

  it.effect("a slice that fails stops no other, and one without an index is not found", () =>
    Effect.gen(function* () {
      const { root } = yield* folder
      const alone = file("alone.bam", { slice: { name: "alone.ranged.bam", indexFile: null, content, estimate: null } })
      const results = yield* going([file("bad.bam"), alone, file("S.bam")], root, {
        cut: ({ data }) =>
          data.fileName === "bad.bam"
            ? Effect.fail(new LinkForbidden({ file: "bad.bam", host: "h", status: 403 }))
            : Effect.succeed(outcome)
      })
      assert.deepStrictEqual(
        results.map(rowOf).map(({ action, error }) => `${action} ${error?._tag}`),
        ["failed SvcLinkForbidden", "failed SvcNotFound", "downloaded undefined"]
      )
    })
  )

  it.effect("a folder that cannot be made fails its files, with what stands in its place or the system's reason", () =>
    Effect.gen(function* () {
      const { fs, path, root } = yield* folder
      yield* fs.writeFile(path.join(root, "A1"), new Uint8Array(1))
      const [blocked] = yield* going([file("S.bam", { folder: "A1" })], root, {})
      const errorOf = (result: FileResult | undefined) => (result === undefined ? null : rowOf(result).error)
      assert.strictEqual(errorOf(blocked)?._tag, "SvcCannotCreate")
      assert.match(errorOf(blocked)?.message ?? "", /not a folder is in its place/)
      const readOnly = PlatformError.systemError({
        _tag: "PermissionDenied",
        module: "FileSystem",
        method: "makeDirectory",
        cause: Object.assign(new Error("read-only"), { code: "EROFS" })
      })
      const [refused] = yield* going([file("S.bam", { folder: "A2" })], root, {}).pipe(
        Effect.provideService(FileSystem.FileSystem, { ...fs, makeDirectory: () => Effect.fail(readOnly) })
      )
      assert.strictEqual(errorOf(refused)?._tag, "SvcLocalIo")
      assert.match(errorOf(refused)?.message ?? "", /read-only|EROFS/)
    })
  )
})
