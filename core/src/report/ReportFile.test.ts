import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem, Layer } from "effect"
import { lookAt } from "../download/Planning.ts"
import { Codec } from "../genome/bgzf/Codec.ts"
import { encode, start } from "../transfer/PartJournal.ts"
import { canWriteReport } from "./ReportFile.ts"

const noCodec = Layer.succeed(
  Codec,
  Codec.here({ inflateRaw: () => null, gunzip: () => null, deflateRaw: (bytes) => bytes, crc32: () => 0 })
)

layer(NodeServices.layer, { excludeTestServices: true })("ReportFile", (it) => {
  it.effect("a missing folder is found before the run, a folder at the path too", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      const missing = yield* Effect.flip(canWriteReport(`${folder}/no/report.json`))
      assert.strictEqual(missing.message, `Cannot create ${folder}/no/report.json: its folder does not exist`)
      assert.match((yield* Effect.flip(canWriteReport(folder))).message, /it is a folder/)
    })
  )
})

layer(Layer.merge(NodeServices.layer, noCodec), { excludeTestServices: true })("DestinationView", (it) => {
  it.effect("sees files, things that are no files, own files, and bytes of unfinished ones", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      yield* fs.writeFile(`${folder}/a.bam`, new Uint8Array(5))
      yield* fs.makeDirectory(`${folder}/b.bam`)
      yield* fs.makeDirectory(`${folder}/A2`)
      yield* fs.writeFile(`${folder}/A2/.c.bam.0123abcd.part`, new Uint8Array(9000).fill(1))
      const journal = encode({ ...start("id", "w", null), spans: [[500, 8000, 1]] })
      yield* fs.writeFileString(`${folder}/A2/.c.bam.0123abcd.part.json`, journal)
      yield* fs.writeFile(`${folder}/.d.bam.0123abcd.part`, new Uint8Array(9000).fill(1))
      const place = (fileName: string, into = "") => ({ fileName, folder: into, type: "bam" as const, slice: null })
      const places = [
        place("a.bam"),
        place("b.bam"),
        place("c.bam", "A2"),
        place("d.bam"),
        place("../x.bam"),
        place("l")
      ]
      const view = yield* lookAt({ destination: folder, overwrite: false }, places)
      assert.deepStrictEqual(
        [...view.occupants].map(([path, { kind, size }]) => [path, kind, kind === "file" ? size : 0]),
        [
          ["a.bam", "file", 5],
          ["b.bam", "other", 0]
        ]
      )
      assert.strictEqual(view.present(place("c.bam", "A2")), 7500)
      assert.strictEqual(view.present(place("c.bam")), 0)
      assert.strictEqual(view.present(place("d.bam")), 0, "what no journal proves is no progress")
      assert.deepStrictEqual(
        (yield* lookAt({ destination: `${folder}/none`, overwrite: false }, places)).occupants,
        new Map()
      )
    })
  )

  it.effect("Z1 does not look outside of the destination when an analysis is called ..", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      yield* fs.makeDirectory(`${folder}/data`)
      yield* fs.writeFile(`${folder}/a.bam`, new Uint8Array(5))
      yield* fs.writeFile(`${folder}/.a.bam.0123abcd.part`, new Uint8Array(9000).fill(1))
      const place = { fileName: "a.bam", folder: "..", type: "bam" as const, slice: null }
      const view = yield* lookAt({ destination: `${folder}/data`, overwrite: false }, [place])
      assert.deepStrictEqual(view.occupants, new Map())
      assert.strictEqual(view.present(place), 0)
    })
  )
})
