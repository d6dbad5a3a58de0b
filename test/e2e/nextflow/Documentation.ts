/** The files that a page of the documentation shows, each in a block that begins with its language and its path. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "../../Root.ts"

/** The blocks of a page that begin with these words. */
export const blocks = (page: string, words: string) =>
  [...readFileSync(join(root, page), "utf8").matchAll(new RegExp(`^\`\`\`${words}\\n([\\s\\S]*?)^\`\`\`$`, "gm"))].map(
    ([, text = ""]) => text
  )

/** Every file that a page shows, by its path. */
export const pageFiles = (page: string): ReadonlyArray<readonly [path: string, text: string]> =>
  [...readFileSync(join(root, page), "utf8").matchAll(/^```\w+ (\S+[./]\S+)\n([\s\S]*?)^```$/gm)].map(
    ([, path = "", text = ""]) => [path, text] as const
  )

/** One of them. */
export const pageFile = (page: string, path: string): string => {
  const found = pageFiles(page).find(([name]) => name === path)
  if (found === undefined) throw new Error(`${page} shows no ${path}`)
  return found[1]
}
