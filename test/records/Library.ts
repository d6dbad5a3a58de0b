/** A program of the library over a sandbox that serves given files, each with its index as an analysis of its own. */
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Layer } from "effect"
import { AnalysisId } from "../../core/src/contract/Ids.ts"
import { kindOfName } from "../../core/src/genome/formats/FileNames.ts"
import { Reads } from "../../core/src/records/Reads.ts"
import { Slices } from "../../core/src/records/Slices.ts"
import { Variants } from "../../core/src/records/Variants.ts"
import * as Service from "../../platform/Service.ts"
import { Sandbox } from "../../sandbox/Sandbox.ts"
import type { WorldFile } from "../../sandbox/WorldFile.ts"

/** The analyses of a folder of files, by the stem of their names. */
export const idsOf = (names: ReadonlyArray<string>): ((stem: string) => AnalysisId) => {
  const stems = [...new Set([...names].sort().flatMap((name) => kindOfName(name)?.stem ?? []))]
  return (stem) => AnalysisId.make(`A${stems.indexOf(stem) + 1}`)
}

/** The files in a folder until the end of the tests. */
export const folderOf = (files: Readonly<Record<string, Uint8Array>>): string => {
  const folder = mkdtempSync(join(tmpdir(), "svc-records-"))
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes)
  return folder
}

const records = Layer.mergeAll(Slices.layer, Reads.layer, Variants.layer)

/** @param world - what is served beside the folder */
export const libraryOver = (data: string, world: WorldFile = {}) =>
  Sandbox.layerFor((settings) => Layer.provideMerge(records, Service.layer(settings)), { data, world })
