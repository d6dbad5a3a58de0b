import fs from "node:fs/promises"
import { syncBuiltinESMExports } from "node:module"
import { Effect } from "effect"

/** No file below `folder` can be opened, `times` times: this process or the system has too many open. */
export const lacksDescriptors = (folder: string, code: string, times: number) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const { open } = fs
      let left = times
      fs.open = (path, ...rest) => {
        if (!String(path).startsWith(folder) || left-- <= 0) return open(path, ...rest)
        return Promise.reject(Object.assign(new Error(`${code}: open`), { code }))
      }
      syncBuiltinESMExports()
      return open
    }),
    (open) =>
      Effect.sync(() => {
        fs.open = open
        syncBuiltinESMExports()
      })
  )
