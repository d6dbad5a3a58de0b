import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Layer, Logger, PlatformError } from "effect"
import * as NodePartFiles from "../../../platform/files/NodePartFiles.ts"
import { codecHere } from "../../../test/genome/CodecHere.ts"
import { listedFile, plannedFile } from "../../../test/selection/ListedFiles.ts"
import { AnalysisId } from "../contract/Ids.ts"
import type { PlannedFile } from "./DownloadPlan.ts"
import { planFiles, writeRefusal } from "./Planning.ts"

const refusal = (code: string) => Object.assign(new Error(code), { code })
const closed = FileSystem.layerNoop({
  access: (path, options) =>
    options?.writable === true
      ? Effect.fail(
          PlatformError.systemError({
            _tag: "Unknown",
            module: "FileSystem",
            method: "access",
            cause: refusal("EROFS")
          })
        )
      : Effect.die(`asked otherwise about ${path}`)
})
const open = FileSystem.layerNoop({ access: () => Effect.void })

const file = (folder: string, decision: PlannedFile["decision"]) => plannedFile("S1.bam", { folder, decision })
const fetch = { _tag: "Fetch" } as const

describe("unwritable", () => {
  it.effect("K6 a closed destination is known before a byte moves, where something would be written into it", () =>
    Effect.gen(function* () {
      const reason = (files: ReadonlyArray<PlannedFile>) =>
        Effect.map(Effect.provide(writeRefusal(files, "data"), closed), (error) => error?.message ?? null)
      const kept = file("", { _tag: "Skip", reason: "exists" })
      assert.strictEqual(yield* reason([kept, file("", fetch)]), "Cannot write to data: the file system is read-only")
      assert.isNull(yield* reason([kept]))
      assert.isNull(yield* reason([file("A1", fetch)]))
      assert.isNull(yield* Effect.provide(writeRefusal([file("", fetch)], "data"), open))
    })
  )
})

describe("indexes beside what is planned", () => {
  const services = NodePartFiles.layer.pipe(Layer.provideMerge(Layer.merge(NodeServices.layer, codecHere)))

  /** What is planned for `S1.bam` with these files and links in its folder, and what is warned of. */
  const planned = (
    names: ReadonlyArray<string>,
    how: {
      readonly overwrite: boolean
      readonly makeIndex: boolean
      readonly links?: ReadonlyArray<string>
      /** By how many minutes each file is older than the one before it. */
      readonly apart?: number
    }
  ) =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const destination = yield* fs.makeTempDirectoryScoped()
      for (const [at, name] of names.entries()) {
        yield* fs.writeFile(`${destination}/${name}`, new Uint8Array(5))
        const changed = 1e9 - at * (how.apart ?? 0) * 60
        yield* fs.utimes(`${destination}/${name}`, changed, changed)
      }
      for (const name of how.links ?? []) yield* fs.symlink("elsewhere", `${destination}/${name}`)
      const warned: Array<string> = []
      const logger = Logger.make<unknown, void>(({ message }) => void warned.push(String(message)))
      const files = [listedFile("S1.bam", { size: 5 })]
      const analyses = [{ analysisId: AnalysisId.make("A1"), named: true, sampleId: null, limsId: null, files }]
      const request = {
        ...how,
        destination,
        checksums: null,
        filetypes: ["bam"],
        layout: "flat"
      } as const
      const { plan } = yield* planFiles(analyses, request).pipe(Effect.provide(Logger.layer([logger])))
      const decided = plan.files.map(({ decision }) => (decision._tag === "Fail" ? decision.error._tag : decision._tag))
      return { decided, warned }
    }).pipe(Effect.provide(services), Effect.scoped)

  it.live("of an index that stays beside data of another time is warned, unless it is that of other data", () =>
    Effect.gen(function* () {
      const of = (...names: ReadonlyArray<string>) =>
        Effect.map(planned(["S1.bam", ...names], { overwrite: true, makeIndex: false }), ({ warned }) =>
          warned.map((line) => line.split(" ")[0])
        )
      assert.deepStrictEqual(yield* of("S1.bai", "S1.csi"), ["S1.csi", "S1.bai"])
      assert.deepStrictEqual(yield* of("S1.bai", "S1.csi", "S1.bcf"), ["S1.bai"])
    })
  )

  it.live("of a note by which another program would write into what is fetched is warned", () =>
    Effect.gen(function* () {
      const warned = "stays, and by it another program would write into the new S1.bam: remove it"
      for (const note of ["S1.bam.aria2", "S1.bam.lftp-pget-status"]) {
        const of = (names: ReadonlyArray<string>, overwrite: boolean) =>
          planned([...names, note], { overwrite, makeIndex: false })
        assert.deepStrictEqual(yield* of([], false), { decided: ["Fetch"], warned: [`${note} ${warned}`] })
        assert.deepStrictEqual(yield* of(["S1.bam"], true), { decided: ["Fetch"], warned: [`${note} ${warned}`] })
        assert.deepStrictEqual(yield* planned(["S1.bam", note], { overwrite: false, makeIndex: false, apart: 11 }), {
          decided: ["Skip"],
          warned: [`${note} is older than S1.bam, which is taken as whole: verify that file, or remove the note`]
        })
      }
    })
  )

  it.live(
    "a file of the listed size is not kept while a note says what it lacks, unless that is of an older file",
    () =>
      Effect.gen(function* () {
        const of = Effect.fnUntraced(function* (...names: ReadonlyArray<string>) {
          const decided: Array<unknown> = []
          for (const apart of [-20, 0, 10, 11])
            decided.push(...(yield* planned(names, { overwrite: false, makeIndex: false, apart })).decided)
          return decided.join(" ")
        })
        const [unfinished, kept] = ["SvcCannotCreate SvcCannotCreate SvcCannotCreate Skip", "Skip Skip Skip Skip"]
        for (const note of ["S1.bam.aria2", "S1.bam.lftp-pget-status"])
          assert.strictEqual(yield* of("S1.bam", note), unfinished)
        assert.strictEqual(yield* of("S1.bam", "S2.bam.aria2"), kept)
      })
  )

  it.live("a file whose index would take the place of a link fails before it is fetched, as it would in the run", () =>
    Effect.gen(function* () {
      for (const [there, overwrite, links, expected] of [
        [[], false, ["S1.bam.bai"], "SvcCannotCreate"],
        [["S1.bam"], true, ["S1.bai"], "SvcCannotCreate"],
        [["S1.bam"], false, ["S1.bam.csi"], "SvcCannotCreate"],
        [["S1.bam", "S1.bam.bai"], false, ["S1.bam.csi"], "Skip"],
        [["S1.bam"], false, [], "Skip"]
      ] as const) {
        const { decided } = yield* planned(there, { overwrite, makeIndex: true, links })
        assert.deepStrictEqual(decided, [expected], JSON.stringify([there, overwrite, links]))
      }
    })
  )
})
