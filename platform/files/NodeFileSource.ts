/** `FileSource` on Node: reads at a place, and hashes beside other work. */
import fs from "node:fs"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { FileDamaged } from "../../core/src/Errors.ts"
import type { ChecksumKind } from "../../core/src/genome/formats/FileNames.ts"
import { FileSource, type OpenFile } from "../../core/src/verify/Verification.ts"
import { call, named, openScoped, readExactly } from "./FileCalls.ts"
import { hashingOf } from "./FileDigests.ts"

const { O_NONBLOCK, O_RDONLY } = fs.constants

/** Files on the disk of this machine. */
export const layer: Layer.Layer<FileSource> = Layer.sync(FileSource, () => FileSource.of({ open }))

const open = Effect.fnUntraced(function* (path: string) {
  // Non-blocking, so that opening a pipe does not wait for a writer.
  const fd = yield* openScoped(path, O_RDONLY | O_NONBLOCK).pipe(named(path, "open"))
  const { size } = yield* call<fs.Stats>((done) => fs.fstat(fd, done)).pipe(named(path, "look at"))

  const readInto = Effect.fnUntraced(function* (offset: number, target: Uint8Array) {
    const bytes = yield* readExactly(fd, offset, target.length, target).pipe(named(path, "read"))
    if (bytes.length < target.length) {
      return yield* new FileDamaged({ file: path, fault: "Changing", reason: "it became shorter while it was read" })
    }
  })

  const read = (offset: number, length: number) => {
    const bytes = new Uint8Array(Math.max(0, Math.min(length, size - offset)))
    return Effect.as(readInto(offset, bytes), bytes)
  }

  const checksum = (kind: ChecksumKind) =>
    Effect.map(hashingOf(fd, path).digests(size, [kind]), (digests) => digests.get(kind) ?? "")
  return { size, read, readInto, checksum } satisfies OpenFile
})
