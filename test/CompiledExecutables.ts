/**
 * The tests start the executables some thousand times, and a third of the CPU time of a short run is V8 compiling the same
 * functions. So `npm test` starts them as the image does (docs/adr/0017), from functions compiled once per build; the
 * plain files are what build.test.ts, the tests that kill and all end-to-end tests start.
 */
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync
} from "node:fs"
import { dirname, join } from "node:path"
import type { TestProject } from "vitest/node"
import { root } from "./Root.ts"

const cache = `${root}node_modules/.cache/svc-compiled`

const make = (programs: ReadonlyArray<string>, folder: string) => {
  const fresh = `${folder}.${process.pid}`
  mkdirSync(fresh, { recursive: true })
  for (const file of programs) {
    copyFileSync(`${root}dist/${file}`, join(fresh, file))
    symlinkSync(file, join(fresh, file.replace(/\.js$/, "")))
  }
  const { status } = spawnSync(process.execPath, [`${root}scripts/warm.ts`, fresh], { stdio: "inherit" })
  if (status !== 0) throw new Error("scripts/warm.ts could not run the executables of dist/")
  putInPlace(fresh, folder)
}

/** Milliseconds; no run of the tests takes as long, so what is older is used by none. */
const longestRun = 3_600_000

/** Gives `fresh` its name `folder`, unless another run has been faster, and removes what older builds and ended runs left beside it. */
export const putInPlace = (fresh: string, folder: string) => {
  try {
    renameSync(fresh, folder)
  } catch (error) {
    // Both were made from the same files: the other run starts its executables from there already.
    if (!existsSync(folder)) throw error
    rmSync(fresh, { recursive: true, force: true })
  }
  for (const name of readdirSync(dirname(folder))) {
    const other = join(dirname(folder), name)
    const made = statSync(other, { throwIfNoEntry: false })?.mtimeMs ?? 0
    if (other !== folder && made < Date.now() - longestRun) rmSync(other, { recursive: true, force: true })
  }
}

/** Names the folder of their copies in `SVC_COMPILED`, which Executables.ts reads; while files are watched, the plain ones are good enough. */
export default ({ config }: TestProject) => {
  if (config.watch || !existsSync(`${root}dist`)) return
  const programs = readdirSync(`${root}dist`).filter((file) => file.endsWith(".js"))
  const hash = createHash("sha256").update(`${process.version}\n`)
  for (const file of programs) hash.update(readFileSync(`${root}dist/${file}`))
  const folder = join(cache, hash.digest("hex").slice(0, 16))
  if (!existsSync(folder)) make(programs, folder)
  process.env["SVC_COMPILED"] = folder
}
