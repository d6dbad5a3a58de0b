/** What esbuild is told for everything that runs on Node: the executables, the single binary, and the programs that tests start (test/Bundles.ts). */
import { fileURLToPath } from "node:url"
import type { BuildOptions } from "esbuild"

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
