import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { nextVersion, type StoredFile } from "./StoredFile.ts"
import { World } from "./World.ts"

/** The objects of the link host as they are now: the files of the world, some of them replaced meanwhile. */
export class Files extends Context.Service<
  Files,
  {
    readonly byKey: (key: string) => StoredFile | undefined
    /** In the order of their list. */
    readonly ofAnalysis: (analysis: string) => ReadonlyArray<StoredFile>
    /** Puts another version of the file in its place, or the bytes of `analysis/file`. */
    readonly swap: (file: StoredFile, to: true | string) => Effect.Effect<void>
    readonly reset: Effect.Effect<void>
  }
>()("svc-steps/sandbox/Files") {
  static readonly layer = Layer.effect(
    Files,
    Effect.gen(function* () {
      const world = yield* World
      const original = new Map(world.files.map((file) => [file.key, file]))
      let current = new Map(original)
      let version = 0
      return Files.of({
        byKey: (key) => current.get(key),
        ofAnalysis: (analysis) => [...current.values()].filter((file) => file.analysis === analysis),
        swap: (file, to) =>
          Effect.sync(() => {
            const source =
              to === true ? file : [...current.values()].find((each) => `${each.analysis}/${each.name}` === to)
            const { source: content, size, etag, lastModified } = nextVersion(source ?? file, ++version)
            current.set(file.key, { ...file, source: content, size, etag, lastModified })
          }),
        reset: Effect.sync(() => {
          current = new Map(original)
        })
      })
    })
  )
}
