/**
 * What every executable asks of Node before it loads anything else. An old Node would fail somewhere inside, as if the fault were
 * ours: here the process says it in one sentence and ends with 78, as for other settings of a machine that cannot be used. What
 * Node compiles, it keeps in the user's cache folder, where there is one.
 */
// By its default export: an old Node has no `enableCompileCache` to import, and would fail before the sentence.
import { existsSync } from "node:fs"
import nodeModule from "node:module"
import { dirname, isAbsolute, join } from "node:path"
import { olderNode, oldestNode } from "../../platform/SupportedNode.ts"

const checkVersion = () => {
  const older = olderNode()
  if (older === null) return
  console.error(`Error: This needs Node ${oldestNode} or newer, and was started with Node ${older}.`)
  process.exit(78)
}

/** A folder of the user as the XDG base directories have it; null without a home, as for the user of a service. */
export const userFolder = (variable: "XDG_CACHE_HOME" | "XDG_CONFIG_HOME", inHome: string): string | null => {
  const { HOME = "", [variable]: chosen = "" } = process.env
  return isAbsolute(chosen) ? chosen : isAbsolute(HOME) ? join(HOME, inHome) : null
}

const keepCompiledCode = () => {
  const cache = userFolder("XDG_CACHE_HOME", ".cache")
  // Node makes all folders above it too: a home that is not there (a service's user, one not mounted yet) is not ours to make.
  if (cache === null || !existsSync(dirname(cache))) return
  // Its answer says when it cannot write there; all works without.
  nodeModule.enableCompileCache(join(cache, "svc-steps"))
}

/**
 * On SIGUSR1 Node opens a debugger to every user of the machine, unless somebody listens: from here on until `runProcess` does, which
 * takes a third of a second on a slow machine, the process ends as others do.
 */
const refuseDebugger = () => {
  process.on("SIGUSR1", () => process.exit(138))
}

/** Call it before anything else is loaded. */
export const prepareNode = (): void => {
  refuseDebugger()
  checkVersion()
  keepCompiledCode()
}
