/**
 * The tests start the executables some thousand times, and a third of the CPU time of a short run is V8 compiling the same
 * functions. So `npm test` starts them as the image does (docs/adr/0013), from functions compiled once per build; the
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
  symlinkSync
} from "node:fs"
import { join } from "node:path"
import { root } from "./Root.ts"

const cache = `${root}node_modules/.cache/svc-compiled`
const launcher = `${root}containers/launch.cjs`

const make = (programs: ReadonlyArray<string>, folder: string) => {
  const fresh = `${folder}.${process.pid}`
  mkdirSync(fresh, { recursive: true })
  copyFileSync(launcher, join(fresh, "launch.cjs"))
  for (const file of programs) {
    copyFileSync(`${root}dist/${file}`, join(fresh, file))
    symlinkSync("launch.cjs", join(fresh, file.replace(/\.js$/, "")))
  }
  const { status } = spawnSync(process.execPath, [`${root}containers/warm.ts`, fresh], { stdio: "inherit" })
  if (status !== 0) throw new Error("containers/warm.ts could not run the executables of dist/")
  const finished = readdirSync(cache).filter((name) => !name.includes("."))
  for (const name of finished) rmSync(join(cache, name), { recursive: true, force: true })
  renameSync(fresh, folder)
}

/** Names the folder of their launchers in `SVC_COMPILED`, which Executables.ts reads. */
export default () => {
  if (!existsSync(`${root}dist`)) return
  const programs = readdirSync(`${root}dist`).filter((file) => file.endsWith(".js"))
  const hash = createHash("sha256").update(`${process.version}\n`).update(readFileSync(launcher))
  for (const file of programs) hash.update(readFileSync(`${root}dist/${file}`))
  const folder = join(cache, hash.digest("hex").slice(0, 16))
  if (!existsSync(folder)) make(programs, folder)
  process.env["SVC_COMPILED"] = folder
}
