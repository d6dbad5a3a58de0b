/**
 * Ten analyses of one account whose password would break any unquoted use; the fifth lies in the archive. The password has
 * no double quote and no backslash: Nextflow's own store of secrets breaks on these.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"

/** Part of the password that occurs nowhere else. */
export const trace = "k3yQz7"
export const account = { user: "ada", password: `${trace}$HOME '&%;ü` }

export const ids = ["B1", "B2", "B3", "B4", "B5", "B6", "B7", "B8", "B9", "B10"]
const archived = "B5"

/** Writes the world of the sandbox into `folder` and gives its path. */
export const writeWorld = (folder: string) => {
  const path = join(folder, "world.json")
  const analyses = ids.map((id) => ({
    id,
    personLimsId: "LIMS-0004",
    sampleId: `S${id}`,
    files: [
      { name: `${id}.bam`, copyOf: "A1/S1.bam", archived: id === archived },
      { name: `${id}.bam.bai`, copyOf: "A1/S1.bam.bai" }
    ]
  }))
  writeFileSync(path, JSON.stringify({ accounts: [account], analyses }))
  return path
}

/** A sample sheet with a row `r<id>` for each of these analyses. */
export const sheet = (some: ReadonlyArray<string> = ids) =>
  ["id,analysis", ...some.map((id) => `r${id},${id}`), ""].join("\n")
