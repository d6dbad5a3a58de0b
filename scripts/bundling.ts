/**
 * What esbuild is told for everything that runs on Node: the executables, the single binary, and the programs that tests start
 * (test/Bundles.ts). And the two scripts of the gateway's page, which run in a browser.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type BuildOptions, build } from "esbuild"

export const bundling = {
  absWorkingDir: fileURLToPath(new URL("..", import.meta.url)),
  bundle: true,
  platform: "node",
  target: "node22.19",
  minify: true,
  legalComments: "none",
  metafile: true,
  write: false,
  logLevel: "warning"
} as const satisfies BuildOptions

/** Modules of the language. Some packages are CommonJS inside and call `require`, which such modules do not have by themselves. */
export const modules = {
  ...bundling,
  format: "esm",
  banner: { js: 'import{createRequire}from"node:module";const require=createRequire(import.meta.url);' }
} as const satisfies BuildOptions

/** Passed on as its makers build it, so only copied. */
export const genomeBrowser = "node_modules/igv"

/** By their names (gateway/PageFiles.ts). */
export const pageScripts = async (): Promise<ReadonlyMap<string, Uint8Array>> => {
  const { outputFiles } = await build({
    ...bundling,
    platform: "browser",
    target: "es2022",
    format: "esm",
    entryPoints: ["gateway/page/Script.ts"],
    outdir: "page"
  })
  const [own] = outputFiles
  if (own === undefined) throw new Error("the script of the page was not built")
  const igv = readFileSync(join(bundling.absWorkingDir, genomeBrowser, "dist/igv.esm.min.js"), "utf8")
  return new Map([
    ["page.js", own.contents],
    // Its map of sources is not passed on.
    ["igv.js", new TextEncoder().encode(igv.replace(/\n\/\/# sourceMappingURL=.*\s*$/, "\n"))]
  ])
}
