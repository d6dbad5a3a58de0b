/** A service with many analyses, and what must hold after every run over them. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { readReport } from "../../DownloadGround.ts"
import { folder } from "../Ground.ts"
import { filesBelow, type LaunchPad, launchPad } from "./Nextflow.ts"

const ids = (count: number) => Array.from({ length: count }, (_, at) => `B${at + 1}`)

/** A launch folder for a service with analyses `B1`, `B2`, ..., each a copy of `A1` under names of its own, and their sample sheet. */
export const scattered = Effect.fnUntraced(function* (count: number, sandboxArgs: ReadonlyArray<string> = []) {
  const analyses = ids(count).map((id) => ({
    id,
    files: [
      { name: `${id}.bam`, copyOf: "A1/S1.bam" },
      { name: `${id}.bam.bai`, copyOf: "A1/S1.bam.bai" }
    ]
  }))
  const world = join(yield* folder, "world.json")
  writeFileSync(world, JSON.stringify({ analyses }))
  const pad = yield* launchPad(["--strict", "--world", world, ...sandboxArgs])
  pad.write("samples.csv", ["id,analysis", ...ids(count).map((id) => `row-${id},${id}`), ""].join("\n"))
  return { ...pad, ids: ids(count) }
})

/** Every file of every analysis is in the results, whole, with its report. */
export const delivered = (pad: LaunchPad & { readonly ids: ReadonlyArray<string> }, outdir: string) => {
  const names = pad.ids.flatMap((id) => [`row-${id}/${id}.bam`, `row-${id}/${id}.bam.bai`, `row-${id}.report.json`])
  const results = filesBelow(join(pad.folder, outdir))
  assert.deepStrictEqual(
    results.filter((name) => name.startsWith("row-")),
    [...names].sort()
  )
  for (const id of pad.ids) {
    const report = readReport(pad.folder, outdir, `row-${id}.report.json`)
    assert.strictEqual(report.exitCode, 0)
    assert.strictEqual(report.totals.downloaded, 2)
  }
}
