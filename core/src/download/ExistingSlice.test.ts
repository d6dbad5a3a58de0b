import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem, Layer, Path } from "effect"
import * as ZlibCodec from "../../../platform/inflate/ZlibCodec.ts"
import { makeSamples } from "../../../sandbox/samples/Samples.ts"
import { concat } from "../../../test/genome/Fixtures.ts"
import { fromBytes } from "../genome/ByteReader.ts"
import type { DataType } from "../genome/formats/FileNames.ts"
import { parseRange } from "../genome/regions/RegionText.ts"
import { writeSlice } from "../genome/slice/Slice.ts"
import { maker, type SliceWish } from "../transfer/SliceRequest.ts"
import { planRegions } from "../transfer/SliceSource.ts"
import { lookAt } from "./Planning.ts"
import { existingSlice } from "./SliceTasks.ts"

const gene = "chr7:117559500-117561000"
const contentOf = (range: string) =>
  Effect.map(Effect.fromResult(parseRange(range)), (wanted): SliceWish => ({ wanted, unmapped: false }))

/** Made once. */
const samples = Effect.runSync(Effect.cached(makeSamples(1)))

/** The slice of a sample as `name` with its index in a folder of its own. */
const cut = Effect.fnUntraced(function* (kind: DataType, program = maker) {
  const [fs, path] = [yield* FileSystem.FileSystem, yield* Path.Path]
  const files = yield* samples
  const bytesOf = (name: string) => files.find((sample) => sample.name === name)?.bytes() ?? new Uint8Array(0)
  const [name, indexName] = kind === "bam" ? ["S1.bam", "S1.bam.bai"] : ["S1.vcf.gz", "S1.vcf.gz.tbi"]
  const source = {
    name,
    reader: fromBytes(bytesOf(name)),
    index: { name: indexName, reader: fromBytes(bytesOf(indexName)) }
  }
  const planned = yield* planRegions(source, { kind, ...(yield* contentOf(gene)) })
  const pieces: Array<Uint8Array> = []
  const sink = { write: (piece: Uint8Array) => Effect.sync(() => void pieces.push(piece.slice())) }
  const result = yield* writeSlice(planned, sink, { connections: 1, program: { name: program, version: "1.0.0" } })
  const file = path.join(yield* fs.makeTempDirectoryScoped(), name)
  const index = `${file}.${result.indexSuffix}`
  const bytes = concat(...pieces)
  yield* fs.writeFile(file, bytes)
  yield* fs.writeFile(index, result.index)
  return { fs, file, index, bytes, whole: bytesOf(name), regions: planned.key }
})

const stateOf = Effect.fnUntraced(function* (file: string, kind: DataType, range = gene) {
  const state = yield* existingSlice(file, kind, yield* contentOf(range))
  return state._tag === "Other" ? `Other: ${state.error.message}` : state
})

layer(Layer.mergeAll(NodeServices.layer, ZlibCodec.layer), { excludeTestServices: true })("an existing slice", (it) => {
  for (const kind of ["bam", "vcf.gz"] as const) {
    it.effect(`of the same regions with its index is the same, of others another (${kind})`, () =>
      Effect.gen(function* () {
        const { bytes, file, fs, index, regions } = yield* cut(kind)
        const beside = { name: index.slice(index.lastIndexOf("/") + 1), bytes: (yield* fs.readFile(index)).length }
        assert.deepStrictEqual(yield* stateOf(file, kind), {
          _tag: "Same",
          bytes: bytes.length,
          regions,
          index: beside
        })
        const other = yield* stateOf(file, kind, "chr7:117559500-117561001")
        assert.match(String(other), /^Other: .*it is there with other regions \(chr7:117559500-117561000\)$/)
      })
    )

    it.effect(`D14 without its index, with a broken one, or cut off it is incomplete (${kind})`, () =>
      Effect.gen(function* () {
        const { bytes, file, fs, index, regions } = yield* cut(kind)
        const incomplete = { _tag: "Incomplete", regions } as const
        const good = yield* fs.readFile(index)
        yield* fs.remove(index)
        assert.deepStrictEqual(yield* stateOf(file, kind), incomplete)
        yield* fs.writeFile(index, good.subarray(0, good.length >> 1))
        assert.deepStrictEqual(yield* stateOf(file, kind), incomplete)
        yield* fs.writeFile(index, good)
        yield* fs.writeFile(file, bytes.subarray(0, bytes.length - 28))
        assert.deepStrictEqual(yield* stateOf(file, kind), incomplete)
      })
    )

    it.effect(`a file that we did not cut is never taken for a slice (${kind})`, () =>
      Effect.gen(function* () {
        const { file, fs, whole } = yield* cut(kind)
        const foreign = /^Other: .*a file that we did not cut is there$/
        for (const bytes of [whole, new Uint8Array(0), new TextEncoder().encode("notes"), whole.subarray(0, 100)]) {
          yield* fs.writeFile(file, bytes)
          assert.match(String(yield* stateOf(file, kind)), foreign)
        }
        const theirs = yield* cut(kind, "other-program")
        assert.match(String(yield* stateOf(theirs.file, kind)), foreign)
      })
    )
  }

  it.effect("is read for a plan, unless it is to be replaced in any case", () =>
    Effect.gen(function* () {
      const path = yield* Path.Path
      const { bytes, file, regions } = yield* cut("bam")
      const name = path.basename(file)
      const slice = { name, indexFile: null, content: yield* contentOf(gene), estimate: null }
      const places = [{ folder: "", fileName: "S.bam", type: "bam", slice } as const]
      const seen = (overwrite: boolean) =>
        Effect.map(lookAt({ destination: path.dirname(file), overwrite }, places), ({ slices }) => [...slices])
      const [[at, state] = []] = yield* seen(false)
      assert.strictEqual(at, name)
      assert.deepInclude(state, { _tag: "Same", bytes: bytes.length, regions })
      assert.deepStrictEqual(yield* seen(true), [])
    })
  )

  it.effect("regions that the source cannot have are left to the remote file to judge", () =>
    Effect.gen(function* () {
      const { file, regions } = yield* cut("bam")
      assert.deepStrictEqual(yield* stateOf(file, "bam", "chrNone:1-5"), { _tag: "Incomplete", regions })
    })
  )

  it.effect("nothing, or a folder, is no slice", () =>
    Effect.gen(function* () {
      const { file, fs } = yield* cut("bam")
      assert.deepStrictEqual(yield* stateOf(`${file}.none`, "bam"), { _tag: "Absent" })
      yield* fs.makeDirectory(`${file}.folder`)
      assert.deepStrictEqual(yield* stateOf(`${file}.folder`, "bam"), { _tag: "Absent" })
    })
  )

  it.effect("K6 one that cannot be read is refused with the reason, not overwritten", () =>
    Effect.gen(function* () {
      const { file } = yield* cut("bam")
      const guarded = Effect.updateService(FileSystem.FileSystem, (fs) => ({
        ...fs,
        open: (path: string) => fs.open(`${path}.none`)
      }))
      assert.match(String(yield* guarded(stateOf(file, "bam"))), /^Other: .*S1\.bam/)
    })
  )
})
