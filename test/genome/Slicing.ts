/** Slices of files in memory. */
import { gunzipSync } from "node:zlib"
import { Effect } from "effect"
import type { ByteReader } from "../../core/src/genome/ByteReader.ts"
import { kindOfName } from "../../core/src/genome/formats/FileNames.ts"
import type { IndexedSource } from "../../core/src/genome/IndexedFile.ts"
import { parseRange, type RegionText } from "../../core/src/genome/regions/RegionText.ts"
import { planSlice, type SliceOptions, writeSlice } from "../../core/src/genome/slice/Slice.ts"
import { concat } from "./Fixtures.ts"

/** @param suffix - that of the index after the name of the data */
export const sourceOf = <E>(data: ByteReader<E>, index: ByteReader<E>, suffix = "bam.bai"): IndexedSource<E> => ({
  name: `x.${suffix.slice(0, suffix.lastIndexOf("."))}`,
  reader: data,
  index: { name: `x.${suffix}`, reader: index }
})

export interface Cutting extends Partial<SliceOptions> {
  readonly unmapped?: boolean
  /** Header and index were taken, and records are read. */
  readonly began?: () => void
}

/** The slice of these regions: its bytes, what was planned, and what it came to. */
export const sliceOf = Effect.fnUntraced(function* <E>(
  source: IndexedSource<E>,
  range: string | ReadonlyArray<RegionText>,
  { began, unmapped = false, ...options }: Cutting = {}
) {
  const text = typeof range === "string"
  const wanted = text ? (range === "" ? [] : yield* Effect.fromResult(parseRange(range))) : range
  const plan = yield* planSlice({
    ...{ source, wanted, takeUnplaced: unmapped },
    type: kindOfName(source.name)?.type ?? "bam"
  })
  began?.()
  const parts: Array<Uint8Array> = []
  const sink = { write: (bytes: Uint8Array) => Effect.sync(() => void parts.push(bytes.slice())) }
  const program = { name: "svc-steps", version: "0.1.0" }
  const result = yield* writeSlice(plan, sink, { program, connections: 2, ...options })
  return { bytes: concat(...parts), plan, result }
})

/** All that is in the blocks of a file. */
export const contentOf = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(gunzipSync(bytes))
