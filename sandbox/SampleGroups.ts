import * as Effect from "effect/Effect"
import { kindOfName, vcf } from "../core/src/genome/formats/FileNames.ts"
import type { FileGroup, NamedContent } from "./DataFolder.ts"
import { groupFiles } from "./DataFolder.ts"
import { makeSamples } from "./samples/Samples.ts"

const isVariants = (file: NamedContent) => kindOfName(file.name)?.type === vcf.suffix

// Generating takes longer than everything else at the start, and tests start many sandboxes with one seed.
const made = new Map<number, ReadonlyArray<FileGroup>>()

/**
 * The files of a sandbox without `--data`: one analysis per generated sample, except that the last sample makes two,
 * an archived alignment and variants alone. So each kind of analysis is there.
 */
export const sampleGroups = Effect.fn("sampleGroups")(function* (seed: number) {
  const before = made.get(seed)
  if (before !== undefined) return before
  const samples = yield* makeSamples(seed)
  const files = samples.map(
    ({ name, bytes }): NamedContent => ({
      name,
      content: { _tag: "Memory", bytes },
      archived: false
    })
  )
  const groups = groupFiles(files)
  const last = groups.at(-1)
  const alignment = last?.files.filter((file) => !isVariants(file)) ?? []
  const complete =
    last === undefined
      ? groups
      : [
          ...groups.slice(0, -1),
          {
            base: last.base,
            files: alignment.map((file) => ({ ...file, archived: kindOfName(file.name)?.index === null }))
          },
          { base: last.base, files: last.files.filter(isVariants) }
        ]
  made.set(seed, complete)
  return complete
})
