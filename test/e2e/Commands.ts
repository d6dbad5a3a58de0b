/** The executables as a user has them: `svc-download` and the others on PATH, without `.js`. */
import { mkdirSync, readdirSync, symlinkSync } from "node:fs"
import { basename, join } from "node:path"
import { Effect } from "effect"
import { root } from "../Root.ts"
import { folder } from "./Ground.ts"

/** A folder with a link to every `dist/svc-*.js` and to the Node of this test, until the scope closes; and PATH with it in front. */
export const commands = Effect.map(folder, (home) => {
  const bin = join(home, "bin")
  mkdirSync(bin)
  for (const file of readdirSync(join(root, "dist")).filter((name) => /^svc-[a-z-]+\.js$/.test(name))) {
    symlinkSync(join(root, "dist", file), join(bin, basename(file, ".js")))
  }
  symlinkSync(process.execPath, join(bin, "node"))
  return { bin, path: `${bin}:${process.env["PATH"]}` }
})
