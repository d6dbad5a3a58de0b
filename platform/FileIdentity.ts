/** Which file it is that a name stands for: also one that this process has open already, such as `/dev/stdout`. */
import type { Stats } from "node:fs"
import { readlink, realpath } from "node:fs/promises"
import { basename, dirname, join, resolve } from "node:path"

/** True of two files that are there at once: the number of a removed one is soon that of a new file. */
export const sameFile = (a: Stats, b: Stats): boolean => a.ino === b.ino && a.dev === b.dev

/** Links to links beyond this lead nowhere. */
const mostLinks = 40

/**
 * The number of the open file that `path` names: `/dev/stderr`, `/dev/fd/3`, `/proc/self/fd/3`, or a link to one of them; null for
 * any other path. By its name a socket cannot be opened, and that of a file behind `>` is not its own: once the file is removed or
 * replaced, the name stands for the link in `/dev` itself.
 */
export const descriptorAt = async (path: string): Promise<number | null> => {
  try {
    const folders = await Promise.all(["/proc/self/fd", "/dev/fd"].map((folder) => realpath(folder).catch(() => null)))
    let at = resolve(path)
    for (let links = 0; links < mostLinks; links++) {
      const folder = await realpath(dirname(at))
      if (folders.includes(folder) && /^\d+$/.test(basename(at))) return Number(basename(at))
      at = resolve(folder, await readlink(join(folder, basename(at))))
    }
  } catch {
    // Nothing is there, or something that is no link.
  }
  return null
}
