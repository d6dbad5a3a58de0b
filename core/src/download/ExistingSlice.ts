/** Whether what stands under the name of a slice is that slice: its header names its regions. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { CannotCreate, type LocalIo } from "../Errors.ts"
import { type ByteReader, readerOf } from "../genome/ByteReader.ts"
import type { Codec } from "../genome/bgzf/Codec.ts"
import { type DataType, indexesOf } from "../genome/formats/FileNames.ts"
import { openFormat } from "../genome/formats/Formats.ts"
import { checkStructure } from "../genome/Structure.ts"
import { maker, otherRegions, type SliceState, type SliceWish } from "../transfer/SliceRequest.ts"
import { planRegions } from "../transfer/SliceSource.ts"

/** Reads header and index of `path`, never the network: regions are resolved against the file itself. */
export const existingSlice = (
  path: string,
  kind: DataType,
  content: SliceWish
): Effect.Effect<SliceState, never, FileSystem.FileSystem | Codec> =>
  look(path, kind, content).pipe(
    Effect.scoped,
    Effect.catch(({ message }) =>
      Effect.succeed({ _tag: "Other", error: new CannotCreate({ path, reason: message }) } as const)
    )
  )

const look = Effect.fn("svc.download.lookAtSlice")(function* (
  path: string,
  kind: DataType,
  content: SliceWish
): Effect.fn.Return<SliceState, LocalIo, FileSystem.FileSystem | Codec | Scope.Scope> {
  const size = yield* sizeOf(path)
  if (size === null) return { _tag: "Absent" }
  const reader = yield* readerOf(path, size)
  const regions = yield* recordedRegions(path, reader, kind)
  if (regions === null) return { _tag: "Other", error: otherRegions(path, null) }
  const incomplete = { _tag: "Incomplete", regions } as const
  for (const suffix of indexesOf(kind)) {
    const indexName = `${path}.${suffix}`
    const indexSize = yield* sizeOf(indexName)
    if (indexSize === null) continue
    const index = yield* readerOf(indexName, indexSize)
    // What does not hold together is cut out again, and regions that it cannot have are judged by the remote file.
    return yield* Effect.andThen(
      checkStructure(path, reader),
      planRegions({ name: path, reader, index: { name: indexName, reader: index } }, { kind, ...content })
    ).pipe(
      Effect.match({
        onFailure: () => incomplete,
        onSuccess: (plan): SliceState =>
          plan.key === regions
            ? {
                _tag: "Same",
                bytes: size,
                regions,
                index: { name: indexName.slice(indexName.lastIndexOf("/") + 1), bytes: indexSize }
              }
            : { _tag: "Other", error: otherRegions(path, regions, plan.key) }
      })
    )
  }
  return incomplete
})

/** Null when there is no file. */
const sizeOf = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const info = yield* Effect.option(fs.stat(path))
  return Option.isSome(info) && info.value.type === "File" ? Number(info.value.size) : null
})

/** The regions that the header names; null when it is not ours, or not readable. */
const recordedRegions = (path: string, reader: ByteReader<LocalIo>, kind: DataType) => {
  const program = { name: maker, version: "" }
  const regions = Effect.map(openFormat(path, reader, kind), ({ regionsOf }) => regionsOf(program))
  return Effect.catchTag(regions, "SvcFileDamaged", () => Effect.succeed(null))
}
