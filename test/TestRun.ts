/** One folder for all temporary files of a test run and its processes: whatever a test leaves goes with it, failed or not. */
import { chmodSync, mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
import { removeFolder } from "./RemoveFolder.ts"

export default ({ config }: TestProject) => {
  if (config.snapshotOptions.updateSnapshot === "all") {
    if (process.env["CI"]) throw new Error("what tests expect is not written anew in CI")
    process.env["UPDATE_TRANSCRIPTS"] = "1"
  }
  const folder = mkdtempSync(join(tmpdir(), "svc-test-"))
  // Some servers of the end-to-end tests change their user.
  chmodSync(folder, 0o755)
  process.env["TMPDIR"] = folder
  const remove = () => removeFolder(folder)
  // Ctrl-C ends the run without its teardown.
  process.once("exit", remove)
  return remove
}
