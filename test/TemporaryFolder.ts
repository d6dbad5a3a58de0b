import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, type Scope } from "effect"
import { removeFolder } from "./RemoveFolder.ts"

/** A new folder that is removed with all that is in it when the scope closes; `prefix` begins its name. */
export const temporaryFolder = (prefix: string): Effect.Effect<string, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), prefix))),
    (path) => Effect.sync(() => removeFolder(path))
  )
