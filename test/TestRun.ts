/** One folder for all temporary files of a test run and its processes: whatever a test leaves goes with it, failed or not. */
import { chmodSync, mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { removeFolder } from "./RemoveFolder.ts"

export default () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-test-"))
  // Some servers of the end-to-end tests change their user.
  chmodSync(folder, 0o755)
  process.env["TMPDIR"] = folder
  const remove = () => removeFolder(folder)
  // Ctrl-C ends the run without its teardown.
  process.once("exit", remove)
  return remove
}
