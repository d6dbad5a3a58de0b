/** Links first on a service with many analyses, and what must hold after every run of it. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { readReport } from "../../DownloadGround.ts"
import { root } from "../../Root.ts"
import { folder } from "../Ground.ts"
import { filesBelow, type LaunchPad, launchPad, type Run } from "./Nextflow.ts"

/** The runs with links first that docs/nextflow.md tells to type, on this machine and on a cluster: what follows the name of the pipeline. */
export const [documented = [], documentedOnSlurm = []] = [
  ...readFileSync(`${root}docs/nextflow.md`, "utf8").matchAll(
    /^\$ nextflow run svc (--links_first .*|-profile slurm .*)$/gm
  )
].map(([, args = ""]) => args.split(" "))

const ids = (count: number) => Array.from({ length: count }, (_, at) => `B${at + 1}`)

/** A launch folder for a service with analyses `B1`, `B2`, ..., each a copy of `A1` under names of its own, and their sample sheet. */
export const scattered = Effect.fnUntraced(function* (count: number) {
  const analyses = ids(count).map((id) => ({
    id,
    files: [
      { name: `${id}.bam`, copyOf: "A1/S1.bam" },
      { name: `${id}.bam.bai`, copyOf: "A1/S1.bam.bai" }
    ]
  }))
  const world = join(yield* folder, "world.json")
  writeFileSync(world, JSON.stringify({ analyses }))
  const pad = yield* launchPad(["--strict", "--world", world])
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

/** Nothing that Nextflow keeps of its tasks, shows or publishes holds a link; the links file is for its owner alone. */
export const secret = (pad: LaunchPad, run: Run) => {
  const kept = filesBelow(pad.folder).filter((name) => !/\.(?:bam|bai)$/.test(name))
  const holders = kept.filter((name) => readFileSync(join(pad.folder, name), "utf8").includes("X-Amz-Signature"))
  const own = holders.filter((name) => /^work\/.*\/(?:\w+\.)?(?:links|renewed)\.json$/.test(name))
  assert.isAbove(own.length, 0)
  assert.deepStrictEqual(holders, own)
  assert.notInclude(run.stdout + run.stderr + run.log, "X-Amz-Signature")
}
