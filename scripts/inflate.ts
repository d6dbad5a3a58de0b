/**
 * Compiles `platform/inflate/inflate.c` to WebAssembly and writes it, with the hash of its source, to `platform/inflate/InflateModule.ts`.
 * Needs clang and wasm-ld (Debian packages clang and lld); who does not change the source never needs it.
 *
 *     node scripts/inflate.ts
 */
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const folder = fileURLToPath(new URL("../platform/inflate/", import.meta.url))
const source = readFileSync(join(folder, "inflate.c"))
const work = mkdtempSync(join(tmpdir(), "inflate-"))
try {
  const file = join(work, "inflate.wasm")
  const exports = ["inflate", "input", "output"].map((name) => `-Wl,--export=${name}`)
  execFileSync(
    "clang",
    [
      ...["--target=wasm32", "-O3", "-mbulk-memory", "-nostdlib", "-ffreestanding", "-Wall", "-Wextra", "-Werror"],
      ...["-Wl,--no-entry", "-Wl,--strip-all", "-Wl,-z,stack-size=8192", ...exports, "-o", file, "inflate.c"]
    ],
    { cwd: folder, stdio: "inherit" }
  )
  const lines =
    readFileSync(file)
      .toString("base64")
      .match(/.{1,110}/g) ?? []
  writeFileSync(
    join(folder, "InflateModule.ts"),
    [
      "/** `inflate.c` as WebAssembly in base64, written by `node scripts/inflate.ts`. */\n",
      "/** SHA-256 of the source it was compiled from. */",
      `export const sourceHash = "${createHash("sha256").update(source).digest("hex")}"\n`,
      "export const inflateModule =",
      lines.map((line) => `  "${line}"`).join(" +\n"),
      ""
    ].join("\n")
  )
} finally {
  rmSync(work, { recursive: true, force: true })
}
