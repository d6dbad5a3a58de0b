/** Programs that tests start, each as one file: from its sources one takes a second of CPU before its first line. */
import { writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"
import { bundling } from "../scripts/bundling.ts"
import { folderUntilTheEnd } from "./Executables.ts"

const folder = folderUntilTheEnd("svc-bundles-")

const make = async (source: URL): Promise<string> => {
  const { outputFiles } = await build({
    ...bundling,
    entryPoints: [fileURLToPath(source)],
    format: "esm",
    write: false
  })
  const path = join(folder, `${basename(source.pathname)}.mjs`)
  for (const { contents } of outputFiles) writeFileSync(path, contents)
  return path
}

const made = new Map<string, Promise<string>>()

/** Path of the file that holds the program and all that it imports. */
export const bundled = (source: URL): Promise<string> => {
  const path = made.get(source.href) ?? make(source)
  made.set(source.href, path)
  return path
}
