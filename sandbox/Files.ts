import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { nextVersion, type StoredFile } from "./StoredFile.ts"
import { World } from "./World.ts"

/** The objects of the link host as they are now: the files of the world, some of them replaced meanwhile. */
export class Files extends Context.Service<Files>()("svc-steps/sandbox/Files", {
  make: Effect.gen(function* () {
    const { files } = yield* World
    const original = new Map(files.map((file) => [file.key, file]))
    let current = new Map(original)
    let version = 0
    return {
      byKey: (key: string) => current.get(key),
      /** In the order of their list. */
      ofAnalysis: (analysis: string) => [...current.values()].filter((file) => file.analysis === analysis),
      /** Puts another version of the file in its place, or the bytes of `analysis/file`. */
      swap: (file: StoredFile, to: true | string) => {
        const source = to === true ? file : [...current.values()].find((each) => `${each.analysis}/${each.name}` === to)
        const { source: content, size, etag, lastModified } = nextVersion(source ?? file, ++version)
        current.set(file.key, { ...file, source: content, size, etag, lastModified })
      },
      reset: () => {
        current = new Map(original)
      }
    }
  })
}) {
  static readonly layer = Layer.effect(Files, Files.make)
}
