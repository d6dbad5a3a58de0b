/** Before each test file: a place of its own for locks and refused passwords. Another file may get the same port, and so the same address. */
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

process.env["XDG_RUNTIME_DIR"] = mkdtempSync(join(tmpdir(), "runtime-"))
