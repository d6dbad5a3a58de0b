/** Fails the whole end-to-end run, with one sentence, when a tool is missing: a skipped test would look like a green one. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "../Root.ts"

const tools = [
  "chromium",
  "nginx",
  "tinyproxy",
  "samtools",
  "aria2c",
  "wget",
  "bcftools",
  "tabix",
  "openssl",
  "systemd-analyze",
  "java",
  "slurmctld",
  "munged"
]
const s3Lock = "test/e2e/s3-server/package-lock.json"
const runtimesLock = "test/e2e/runtimes/package-lock.json"
const pythonLock = "test/e2e/engines/requirements.txt"
const same = (a: string, b: string) => existsSync(a) && readFileSync(a, "utf8") === readFileSync(b, "utf8")

export default () => {
  const folders = `${process.env["PATH"]}:/usr/sbin:/sbin`.split(":")
  const missing = tools.filter((tool) => !folders.some((folder) => existsSync(join(folder, tool))))
  if (!same(`${root}.e2e/s3/.installed`, `${root}${s3Lock}`)) missing.push("the S3 server")
  if (!same(`${root}.e2e/runtimes/.installed`, `${root}${runtimesLock}`)) missing.push("Bun and Deno")
  if (!same(`${root}.e2e/python/.installed`, `${root}${pythonLock}`))
    missing.push("snakemake, cwltool, miniwdl, nf-core, pysam")
  if (!same(`${root}.e2e/go/.installed`, `${root}test/e2e/actionlint/go.sum`)) missing.push("actionlint")
  if (!same(`${root}.e2e/nextflow/.installed`, `${root}test/e2e/nextflow/jars.sha256`)) missing.push("Nextflow")
  if (missing.length > 0) throw new Error(`Missing: ${missing.join(", ")}. Run: npm run setup:e2e`)
}
