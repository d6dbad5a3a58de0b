/**
 * Before each test file: a place of its own for locks and refused passwords, which would lie in the home of the user. Another file may get
 * the same port, and so the same address. The settings that stand in that home are not those of the tests.
 */
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

process.env["SVC_LOCK_DIR"] = mkdtempSync(join(tmpdir(), "locks-"))
process.env["XDG_CONFIG_HOME"] = join(tmpdir(), "no-settings")
