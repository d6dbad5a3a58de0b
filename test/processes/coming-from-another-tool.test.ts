/** docs/coming-from-another-tool.md: each row of its table is tried. */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Ground, ground, namesIn } from "../DownloadGround.ts"
import { root } from "../Root.ts"

const page = readFileSync(`${root}docs/coming-from-another-tool.md`, "utf8")
const [, differences = ""] = /\| what \| here \| why \|\n\|---\|---\|---\|\n([\s\S]*?)\n\n/.exec(page) ?? []

const ends = Effect.fnUntraced(function* ({ download }: Ground, exit: number, args: ReadonlyArray<string>, env = {}) {
  const { exitCode, stderr, stdout } = yield* download(args, env)
  assert.strictEqual(exitCode, exit, `${args.join(" ")}: ${stderr}`)
  return { stderr, stdout }
})

const idsIn = (listing: { readonly stdout: string }) =>
  [...listing.stdout.matchAll(/^Analysis ID: (.+)$/gm)].map(([, id]) => id)

/** A check for each row of the table, by its first cell. */
const checks: Readonly<Record<string, (on: Ground) => Effect.Effect<unknown>>> = {
  "`-a` with `-s`, `-l`, `-F`, `--latest`": Effect.fnUntraced(function* (on) {
    yield* ends(on, 66, ["-a", "A1", "-s", "S2", "--list"])
    assert.deepStrictEqual(idsIn(yield* ends(on, 0, ["-a", "A1", "-s", "S1", "--list"])), ["A1"])
  }),
  "`-s`, `-l`": Effect.fnUntraced(function* (on) {
    const all = idsIn(yield* ends(on, 0, ["-l", "LIMS-0001", "--list"]))
    const some = idsIn(yield* ends(on, 0, ["-l", "LIMS-0001", "-F", "analysisType = SNV", "--list"]))
    assert.deepStrictEqual([all, some], [["A1", "A5"], ["A1"]])
  }),
  "`-s S1 S2`, `-F A B`": Effect.fnUntraced(function* (on) {
    assert.include((yield* ends(on, 64, ["-s", "S1", "S2", "--list"])).stderr, "write -s S1,S2")
    const filters = yield* ends(on, 64, ["-l", "LIMS-0001", "-F", "status = DONE", "id > 100", "--list"])
    assert.include(filters.stderr, "-F 'status = DONE' -F 'id > 100'")
  }),
  "`-F`": Effect.fnUntraced(function* (on) {
    assert.lengthOf(idsIn(yield* ends(on, 0, ["-l", "LIMS-0001", "-F", "sequencingBatchId > 9", "--list"])), 2)
    yield* ends(on, 64, ["-l", "LIMS-0001", "-F", "analysisTyp = SNV", "--list"])
  }),
  "`--latest`": Effect.fnUntraced(function* (on) {
    assert.lengthOf(idsIn(yield* ends(on, 0, ["-l", "LIMS-0001", "--latest", "--list"])), 1)
  }),
  "`-g`, `--bed`": Effect.fnUntraced(function* (on) {
    yield* ends(on, 0, ["A1", "-f", "bam,vcf.gz", "-g", "chr7:1-10000 chr17", "-d", "out"])
    const slices = ["S1.ranged.bam", "S1.ranged.bam.bai", "S1.ranged.vcf.gz", "S1.ranged.vcf.gz.tbi"]
    assert.deepStrictEqual(namesIn(on.folder, "out"), slices)
  }),
  "a region that the file does not have": (on) => ends(on, 66, ["A1", "-g", "chr99", "-d", "out"]),
  "a missing index": (on) => ends(on, 0, ["A1", "-f", "bam", "-d", "out", "--makeIndex"]),
  "an existing file of another size": Effect.fnUntraced(function* (on) {
    writeFileSync(join(on.folder, "out", "S1.bam"), "half")
    yield* ends(on, 73, ["A1", "-d", "out"])
    yield* ends(on, 0, ["A1", "-d", "out", "--overwrite"])
  }),
  "`--restorationFile`": Effect.fnUntraced(function* (on) {
    const path = join(on.folder, "pending.json")
    writeFileSync(path, '{"restorations": [], "lastUpdated": "2026-01-01T00:00:00Z"}')
    yield* ends(on, 75, ["A3", "-d", "out", "--restoreArchived", "force", "--restorationFile", path])
    assert.isTrue(Array.isArray(JSON.parse(readFileSync(path, "utf8"))))
    assert.isTrue(existsSync(`${path}.bak`))
  }),
  "`--logfile`, `--loglevel`": Effect.fnUntraced(function* (on) {
    const { stderr, stdout } = yield* ends(on, 0, ["A1", "-d", "out", "--overwrite", "--loglevel", "debug"])
    assert.strictEqual(stdout, "")
    assert.include(stderr, "[debug]")
  }),
  "`--proxy`": (on) => ends(on, 0, ["A1", "--list"], { HTTPS_PROXY: "http://127.0.0.1:9" })
}

describe("coming from another tool", () => {
  it.live("each row of what is another here is so", () =>
    Effect.gen(function* () {
      const named = differences.split("\n").map((row) => row.split("|")[1]?.trim() ?? "")
      assert.deepStrictEqual(named, Object.keys(checks))
      const on = yield* ground()
      for (const check of Object.values(checks)) yield* check(on)
    })
  )
})
