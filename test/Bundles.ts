/** Programs that tests start, each as one file: from its sources one takes a second of CPU before its first line. */
import { mkdirSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"
import { modules } from "../scripts/bundling.ts"
import { folderUntilTheEnd } from "./Executables.ts"

const folder = folderUntilTheEnd("svc-bundles-")

const make = async (source: URL): Promise<string> => {
  const name = basename(source.pathname, ".ts")
  const { outputFiles } = await build({
    ...modules,
    entryPoints: { [name]: fileURLToPath(source) },
    outdir: join(folder, name),
    outExtension: { ".js": ".mjs" }
  })
  mkdirSync(join(folder, name), { recursive: true })
  for (const { contents, path } of outputFiles) writeFileSync(path, contents)
  return join(folder, name, `${name}.mjs`)
}

const made = new Map<string, Promise<string>>()

/** Path of the file that holds the program and all that it imports. */
export const bundled = (source: URL): Promise<string> => {
  const path = made.get(source.href) ?? make(source)
  made.set(source.href, path)
  return path
}
