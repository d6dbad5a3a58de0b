/** Where a thread finds its program: in a file, or in the single executable, which holds it as an asset. */
// Asked for when it is needed: an old Node does not have this module, and would fail before `Runtime.ts` can say what it needs.
const { getAsset, isSea } = process.getBuiltinModule("node:sea")

/** Set by the build, where modules are joined and a file beside this one is none any more; relative to this module. */
declare const GENOME_THREAD: string | undefined

/** The name of the asset in a single executable. */
export const asset = "genome-thread.js"

const file = () =>
  typeof GENOME_THREAD === "string"
    ? new URL(GENOME_THREAD, import.meta.url)
    : new URL(import.meta.url.replace(/ThreadProgram(\.\w+)$/, "GenomeThread$1"))

export const program: { readonly url: URL } | { readonly text: string } = isSea()
  ? { text: getAsset(asset, "utf8") }
  : { url: file() }
