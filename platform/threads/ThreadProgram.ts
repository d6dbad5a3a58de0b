/**
 * Where a thread finds its program: in the module beside this one. An executable is one file and has the program in it as text,
 * which takes the place of this (`scripts/bundling.ts`).
 */
export const program: { readonly url: URL } | { readonly text: string } = {
  url: new URL(import.meta.url.replace(/ThreadProgram(\.\w+)$/, "GenomeThread$1"))
}
