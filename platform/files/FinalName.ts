/** Whether a file may have its final name, and how it gets one that is free. */
import fs from "node:fs"
import { dirname } from "node:path"
import * as Effect from "effect/Effect"
import { CannotCreate, type LocalIo } from "../../core/src/Errors.ts"
import { type Errno, linkless } from "../Errno.ts"
import { call, named, statPlainFile } from "./FileCalls.ts"

/** Fails where the name is taken, or is that of what this user may not replace. */
export const checkName = Effect.fnUntraced(function* (final: string, overwrite: boolean) {
  const there = yield* statPlainFile(final)
  if (there === null) return
  if (!overwrite) return yield* appearedError(final)
  const folder = yield* call<fs.Stats>((done) => fs.stat(dirname(final), done)).pipe(named(final, "look at"))
  const me = process.geteuid?.() ?? 0
  if ((folder.mode & sticky) === 0 || me === 0 || me === there.uid || me === folder.uid) return
  const reason = "it is another user's, and its folder (with the sticky bit) lets only its owner replace it"
  return yield* new CannotCreate({ path: final, reason })
})

const sticky = 0o1000

/** Hard links never replace a file. A file system without them gets a check and a rename, which leaves a small race. */
export const linkOrRename = (path: string, final: string): Effect.Effect<void, CannotCreate | LocalIo> =>
  call((done) => fs.link(path, final, done)).pipe(
    Effect.catch((error): Effect.Effect<void, CannotCreate | LocalIo | Errno> => {
      if (error.code === "EEXIST") return appearedError(final)
      if (!linkless.includes(error.code)) return error
      return Effect.flatMap(
        statPlainFile(final),
        (stats): Effect.Effect<void, CannotCreate | Errno> =>
          stats === null ? call((done) => fs.rename(path, final, done)) : appearedError(final)
      )
    }),
    named(final, "create")
  )

const appearedError = (final: string) =>
  new CannotCreate({ path: final, reason: "a file of that name appeared during the download" })
