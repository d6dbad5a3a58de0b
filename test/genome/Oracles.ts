/** What our results are compared with: real files of other projects, samtools, bcftools and tabix. */
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { type ByteReader, fromBytes } from "../../core/src/genome/ByteReader.ts"
import { realFolder } from "../Lacks.ts"
import { temporaryFolder } from "../TemporaryFolder.ts"

export const realPath = (name: string): string => join(realFolder, name)
export const realBytes = (name: string): Uint8Array => new Uint8Array(readFileSync(realPath(name)))
export const realFile = (name: string): ByteReader => fromBytes(realBytes(name))

export const realBams = [
  "CHM1_pacbio_clip2.bam",
  "colons.bam",
  "ecoli_nanopore.bam",
  "empty.bam",
  "paired.bam",
  "range.bam",
  "secondary.bam",
  "test_deletion_2_0.snps.bwa_align.sorted.grouped.bam",
  "volvox-sorted.bam"
]
export const realVcfs = ["CNVtest.vcf.gz", "raw.g.vcf.gz", "volvox.test.vcf.gz"]

/** Standard output of a tool; it throws with the tool's words when it fails. */
export const tool = (name: string, ...args: ReadonlyArray<string>): string =>
  execFileSync(name, args, { encoding: "utf8", maxBuffer: 2 ** 30, stdio: ["ignore", "pipe", "pipe"] })

/** A folder that goes with the scope. */
export const folder = temporaryFolder("svc-genome-")
