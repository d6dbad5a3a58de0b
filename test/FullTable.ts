import fs from "node:fs/promises"
import { syncBuiltinESMExports } from "node:module"
import { Effect } from "effect"

/** No file below `folder` can be opened, or with `call` no folder read, `times` times: this process or the system has too many open. */
export const lacksDescriptors = (folder: string, code: string, times: number, call: "open" | "readdir" = "open") =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const before = fs[call]
      let left = times
      const lacking = (path: unknown, ...rest: ReadonlyArray<unknown>) => {
        if (!String(path).startsWith(folder) || left-- <= 0) return Reflect.apply(before, fs, [path, ...rest])
        return Promise.reject(Object.assign(new Error(`${code}: ${call}`), { code }))
      }
      Object.assign(fs, { [call]: lacking })
      syncBuiltinESMExports()
      return before
    }),
    (before) =>
      Effect.sync(() => {
        Object.assign(fs, { [call]: before })
        syncBuiltinESMExports()
      })
  )
