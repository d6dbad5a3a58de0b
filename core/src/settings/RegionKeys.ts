/** Which parts of files. */
import { type Key, selectionSteps } from "./Key.ts"

export const regionKeys = {
  range: {
    type: "text",
    group: "Regions",
    steps: selectionSteps,
    common: true,
    short: "g",
    metavar: "'CHR:START-END ...'",
    otherSpellings: ["r", "region", "regions"],
    help: "Only these regions, 1-based and inclusive; separated by spaces, writes <file>.ranged.bam or <file>.ranged.vcf.gz"
  },
  bed: {
    type: "path",
    file: { what: "the BED file", use: "read" },
    group: "Regions",
    steps: selectionSteps,
    common: true,
    short: "b",
    metavar: "FILE",
    help: "Only the regions of this BED file"
  },
  unmapped: {
    type: "flag",
    group: "Regions",
    steps: selectionSteps,
    common: true,
    beyond: true,
    otherSpellings: ["um"],
    help: "Only the unplaced reads: they have no position and end a BAM; with --range, these and its regions"
  }
} as const satisfies Record<string, Key>
