import { rmSync } from "node:fs"

/**
 * Removes a folder of temporary files. A program that has ended may have left children which still write there (Chromium, Slurm):
 * then it is tried again for five seconds, and what is left goes with the folder of the run (TestRun.ts).
 */
export const removeFolder = (path: string): void => {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  } catch (error) {
    console.warn(`${path} is left behind: ${error}`)
  }
}
