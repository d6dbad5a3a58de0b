/** The services of this step: one session, and a place where rows wait for their header. */
import { tmpdir } from "node:os"
import { dirname, resolve } from "node:path"
import { Layer } from "effect"
import { Session } from "../../core/src/session/Session.ts"
import { makeSessionProfile } from "../../core/src/session/SessionProfile.ts"
import type { Settings } from "../../core/src/settings/Settings.ts"
import * as AccountLockFiles from "../../platform/AccountLockFiles.ts"
import * as ApiHttp from "../../platform/ApiHttp.ts"
import * as SpoolFiles from "../../platform/SpoolFiles.ts"
import { version } from "../main/Version.ts"

/** Where a file of the size of the output is expected anyway, there is room for rows; else the folder of TMPDIR. */
const spoolFolder = (output: string) => (output === "-" ? tmpdir() : dirname(resolve(output)))

export const wiring = (settings: Settings, output: string) => {
  const { baseUrl, caFile, lockDir, password, proxy, username } = settings
  const session = Session.layer({ baseUrl, username, password, profile: makeSessionProfile(version) }).pipe(
    Layer.provide([ApiHttp.layer({ proxy, caFile }), AccountLockFiles.layer({ lockDir })])
  )
  return Layer.mergeAll(session, SpoolFiles.layer(spoolFolder(output)))
}
