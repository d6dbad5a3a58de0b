/** Which file it is that a name stands for. */
import type { Stats } from "node:fs"

/** True of two files that are there at once: the number of a removed one is soon that of a new file. */
export const sameFile = (a: Stats, b: Stats): boolean => a.ino === b.ino && a.dev === b.dev
