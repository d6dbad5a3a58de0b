/** The services of this step: one session, and a place where rows wait for their header. */
import { statSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, resolve } from "node:path"
import * as Layer from "effect/Layer"
import { makeSessionProfile } from "../../core/src/session/SessionProfile.ts"
import type { Settings } from "../../core/src/settings/Settings.ts"
import * as Clients from "../../platform/Clients.ts"
import * as SpoolFiles from "../../platform/files/SpoolFiles.ts"
import { version } from "../main/Version.ts"

/** Whether a device or a pipe is at `path`, such as `/dev/stdout`: its folder is no place for files, least of all for a user who is not root. */
const isDevice = (path: string): boolean => {
  try {
    const found = statSync(path)
    return !found.isFile() && !found.isDirectory()
  } catch {
    return false
  }
}

/** The folder in which rows are spooled: that of the output file, which needs the space anyway, else the folder of TMPDIR. */
const spoolFolder = (output: string) => (output === "-" || isDevice(output) ? tmpdir() : dirname(resolve(output)))

export const wiring = (settings: Settings, output: string) => {
  const session = Clients.sessionLayer(settings, makeSessionProfile(version))
  return Layer.mergeAll(session, SpoolFiles.layer(spoolFolder(output)))
}
