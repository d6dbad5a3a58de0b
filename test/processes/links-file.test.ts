/** `--fromLinks` as processes against the sandbox: written once with a session, downloaded from without one. */
import { chmodSync, copyFileSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { fault, type Ground, ground, namesIn, readReport, sha256 } from "../DownloadGround.ts"
import { fits } from "../Schemas.ts"
import { runWarm } from "../WarmExecutables.ts"

/** Many processes in one test, on machines of any speed; in milliseconds. */
const patience = 300_000

/** `svc-download` of somebody who knows neither service nor account. */
const stranger = ({ folder }: Ground, args: ReadonlyArray<string>) =>
  runWarm("svc-download", args, { cwd: folder, env: { SVC_LOCK_DIR: join(folder, "locks") } })

const linksIn = (folder: string) => fits("links", JSON.parse(readFileSync(join(folder, "links.json"), "utf8")))

const written = Effect.fnUntraced(function* (it: Ground, args: ReadonlyArray<string> = ["-a", "A1,A2"]) {
  const outcome = yield* it.download([...args, "--writeLinks", "links.json"])
  assert.strictEqual(outcome.exitCode, 0, outcome.stderr)
  assert.strictEqual(outcome.stdout, "")
  return linksIn(it.folder)
})

const changed = (folder: string, change: (file: Record<string, unknown>) => void) => {
  const document = linksIn(folder)
  change(document.files[0])
  writeFileSync(join(folder, "links.json"), JSON.stringify(document))
}

describe("a links file", () => {
  it.live(
    "S7 is written with one login, private, and downloaded from in parallel with none and no API request",
    () =>
      Effect.gen(function* () {
        const it = yield* ground({ behaviour: { strict: true } })
        const { download, folder, stats, url } = it
        const manifest = yield* written(it)
        assert.strictEqual(statSync(join(folder, "links.json")).mode & 0o777, 0o600)
        assert.strictEqual(manifest.schema, "svc.links/1")
        assert.strictEqual(manifest.target, `${url}/`)
        assert.deepStrictEqual(Object.keys(manifest.files[0]), [
          "analysisId",
          "fileName",
          "size",
          "archived",
          "estimatedRestoreTime",
          "link",
          "expiresAt"
        ])
        const before = yield* stats
        assert.deepStrictEqual([before.logins, before.maxApiInFlight], [1, 1])

        const outcomes = yield* Effect.all(
          ["A1", "A2"].map((id) =>
            stranger(it, ["--fromLinks", "links.json", "-a", id, "-d", "out", "--reportfile", `${id}.json`])
          ),
          { concurrency: 2 }
        )
        for (const { exitCode, stderr } of outcomes) assert.strictEqual(exitCode, 0, stderr)
        const after = yield* stats
        assert.strictEqual(after.logins, 1)
        assert.deepStrictEqual(after.requests, before.requests)
        for (const id of ["A1", "A2"]) {
          const { files } = readReport(folder, `${id}.json`)
          assert.deepStrictEqual(
            files.map(({ action, analysisId }) => [action, analysisId]),
            [
              ["downloaded", id],
              ["downloaded", id]
            ]
          )
          for (const { fileName, sha256: told } of files)
            assert.strictEqual(sha256(folder, "out", fileName ?? ""), told)
        }

        // The same places and identities as with a session.
        const again = yield* download(["-a", "A1,A2", "-d", "out"])
        assert.match(again.stderr, /0 downloaded, 4 skipped \(4 exists\)/)
      }),
    patience
  )

  it.live(
    "gives slices, lists, plans and folders as the service does, also when only data files were asked for",
    () =>
      Effect.gen(function* () {
        const it = yield* ground()
        const { download, folder, stats } = it
        yield* written(it, ["-a", "A1,A2", "-f", "bam"])
        const range = ["-g", "chr1:1000-40000"]
        assert.strictEqual((yield* download(["-a", "A1", "-d", "out", ...range])).exitCode, 0)
        const before = (yield* stats).requests
        const from = ["--fromLinks", "links.json"]

        const slice = yield* stranger(it, [...from, ...range, "-d", "out", "--layout", "analysis"])
        assert.strictEqual(slice.exitCode, 0, slice.stderr)
        for (const name of ["S1.ranged.bam", "S1.ranged.bam.bai"]) {
          assert.strictEqual(sha256(folder, "out", "A1", name), sha256(folder, "out", name))
        }
        assert.deepStrictEqual(namesIn(folder, "out", "A2"), ["S2.ranged.bam", "S2.ranged.bam.bai"])

        const list = yield* stranger(it, [...from, "--list", ...range])
        assert.match(list.stdout, /^Analysis ID: A1\n {2}S1\.bam .*regions: \d+ bytes/)
        const plan = yield* stranger(it, [...from, "-a", "A2", "--plan"])
        assert.match(plan.stdout, /^fetch {3}S2\.bam .*\n\n1 to fetch, 0 to skip, 0 refused\n/)
        assert.deepStrictEqual((yield* stats).requests, before)
      }),
    patience
  )

  it.live(
    "names archived files, which are skipped; an analysis that it was not written for is not found",
    () =>
      Effect.gen(function* () {
        const it = yield* ground()
        const { folder } = it
        const manifest = yield* written(it, ["-a", "A1,A3", "-f", "bam"])
        const frozen = manifest.files.find(({ fileName }: { readonly fileName: string }) => fileName === "S3.bam")
        assert.deepInclude(frozen, { analysisId: "A3", archived: true, link: null })
        const from = ["--fromLinks", "links.json", "-d", "out", "--reportfile", "r.json"]
        const cold = yield* stranger(it, [...from, "-a", "A3"])
        assert.strictEqual(cold.exitCode, 0, cold.stderr)
        assert.include(cold.stderr, "S3.bam (analysis A3): archived, skipped: a links file restores nothing")
        assert.deepStrictEqual(
          readReport(folder, "r.json").files.map(({ action, reason }) => [action, reason]),
          [["skipped", "archived"]]
        )
        const unknown = yield* stranger(it, [...from, "-a", "A1,A2", "-f", "bam,vcf.gz"])
        assert.strictEqual(unknown.exitCode, 66, unknown.stderr)
        assert.include(unknown.stderr, "analysis A2: not found (the links file does not have it)")
        assert.include(unknown.stderr, "Analysis A1: no vcf.gz file is listed")
        assert.deepStrictEqual(namesIn(folder, "out"), ["S1.bam"])
      }),
    patience
  )

  it.live(
    "is a selection: a type that it has no link of is missing as one that the service does not list",
    () =>
      Effect.gen(function* () {
        const it = yield* ground()
        const { folder } = it
        const from = ["--fromLinks", "links.json", "-d", "out", "-a", "A1", "-f"]
        // Links of data come with those of its index.
        yield* written(it, ["-a", "A1", "-f", "bam,vcf.gz"])
        const all = yield* stranger(it, [...from, "bam,bam.bai"])
        assert.strictEqual(all.exitCode, 0, all.stderr)
        assert.notInclude(all.stderr, "[warn]")
        assert.deepStrictEqual(namesIn(folder, "out"), ["S1.bam", "S1.bam.bai"])
        yield* written(it, ["-a", "A1", "-f", "bam"])
        const some = yield* stranger(it, [...from, "bam,vcf.gz"])
        assert.strictEqual(some.exitCode, 0, some.stderr)
        assert.include(some.stderr, "[warn]: Analysis A1: no vcf.gz file is listed")
        const none = yield* stranger(it, [...from, "vcf.gz"])
        assert.strictEqual(none.exitCode, 66, none.stderr)
        assert.include(
          none.stderr,
          "vcf.gz files of analysis A1: not found (there are bam, bam.bai); --filetypes chooses them"
        )
        yield* written(it, ["-a", "A1", "-f", "bam.bai"])
        const uncut = yield* stranger(it, ["--fromLinks", "links.json", "-d", "out", "-g", "chr1:1-100"])
        assert.strictEqual(uncut.exitCode, 64, uncut.stderr)
        assert.include(uncut.stderr, "Error: Regions are cut out of bam and vcf.gz files")
      }),
    patience
  )

  it.live(
    "L1 that has ended in mid-file is 75, and a new one goes on where the old one stopped",
    () =>
      Effect.gen(function* () {
        const it = yield* ground({
          faults: [
            fault({ plane: "link", file: "S1.bam", nth: 1 }, { close: 100_000 }),
            fault({ plane: "link", file: "S1.bam", nth: 2 }, { expireLink: "now" })
          ]
        })
        const { folder, stats } = it
        yield* written(it, ["-a", "A1", "-f", "bam"])
        const from = ["--fromLinks", "links.json", "-d", "out", "--reportfile", "r.json"]
        const ended = yield* stranger(it, from)
        assert.strictEqual(ended.exitCode, 75, ended.stderr)
        assert.match(
          ended.stderr,
          /S1\.bam: its link has expired \(.* answered 403, AccessDenied\); write the links file again/
        )
        assert.notMatch(ended.stderr, /asking for a new link|X-Amz/)
        assert.deepStrictEqual(readReport(folder, "r.json").files[0]?.error?.tag, "LinkExpired")
        assert.strictEqual(namesIn(folder, "out").filter((name) => name.endsWith(".part")).length, 1)
        const logins = (yield* stats).logins
        yield* written(it, ["-a", "A1", "-f", "bam"])
        const rest = yield* stranger(it, from)
        assert.strictEqual(rest.exitCode, 0, rest.stderr)
        assert.deepStrictEqual(namesIn(folder, "out"), ["S1.bam"])
        assert.isAbove(readReport(folder, "r.json").files[0]?.resumedFrom ?? 0, 0)
        assert.strictEqual((yield* stats).logins, logins + 1)
      }),
    patience
  )

  it.live(
    "is only for the service that it was written for, and for what needs no service",
    () =>
      Effect.gen(function* () {
        const it = yield* ground()
        const { stats } = it
        yield* written(it)
        const before = (yield* stats).requests
        const from = ["--fromLinks", "links.json"]
        const other = yield* stranger(it, [...from, "-t", "https://lab.example.org"])
        assert.strictEqual(other.exitCode, 65)
        assert.include(other.stderr, "it was written for http://127.0.0.1:")
        const refused = yield* stranger(it, [...from, "-s", "S1", "-d", "nowhere"])
        assert.strictEqual(refused.exitCode, 64)
        assert.include(refused.stderr, "--sampleIds needs the service")
        assert.include(refused.stderr, "Destination directory does not exist: nowhere")
        const absent = yield* stranger(it, ["--fromLinks", "none.json"])
        assert.strictEqual(absent.exitCode, 66, absent.stderr)
        assert.deepStrictEqual((yield* stats).requests, before)
      }),
    patience
  )

  it.live(
    "that cannot be written is known before the login, and a failed run leaves the old one",
    () =>
      Effect.gen(function* () {
        const { download, folder, stats } = yield* ground()
        const nowhere = yield* download(["-a", "A1", "--writeLinks", "none/links.json"])
        assert.strictEqual(nowhere.exitCode, 73, nowhere.stderr)
        assert.strictEqual((yield* stats).logins, 0)
        const old = '{"schema":"svc.links/1"}'
        writeFileSync(join(folder, "links.json"), old)
        const missing = yield* download(["-a", "A99", "--writeLinks", "links.json"])
        assert.strictEqual(missing.exitCode, 66, missing.stderr)
        assert.strictEqual(readFileSync(join(folder, "links.json"), "utf8"), old)
        assert.deepStrictEqual(
          namesIn(folder).filter((name) => name.includes("links")),
          ["links.json"]
        )
      }),
    patience
  )
})

describe("a hostile links file", () => {
  it.live(
    "Z1 L7 ends typed, with nothing in the destination and no link in a message",
    () =>
      Effect.gen(function* () {
        const it = yield* ground()
        const { folder } = it
        yield* written(it)
        copyFileSync(join(folder, "links.json"), join(folder, "good.json"))
        const attempt = Effect.fnUntraced(function* (code: number, change: (file: Record<string, unknown>) => void) {
          copyFileSync(join(folder, "good.json"), join(folder, "links.json"))
          changed(folder, change)
          const outcome = yield* stranger(it, ["--fromLinks", "links.json", "-a", "A1", "-f", "bam", "-d", "out"])
          assert.strictEqual(outcome.exitCode, code, outcome.stderr)
          assert.notInclude(outcome.stderr, "s3cret")
          assert.notInclude(outcome.stderr, "X-Amz")
          assert.deepStrictEqual(namesIn(folder, "out"), [])
        })
        yield* attempt(73, (file) => (file["fileName"] = "../S1.bam"))
        yield* attempt(65, (file) => (file["link"] = "file:///etc/passwd?s3cret"))
        yield* attempt(65, (file) => (file["link"] = "http://127.0.0.1/\r\ns3cret"))
        yield* attempt(77, (file) => (file["link"] = "http://169.254.169.254/s3cret"))

        assert.deepStrictEqual(namesIn(folder, "out"), [])
      }),
    patience
  )

  it.live(
    "Z1 that is another document, huge, or has too many entries is 65",
    () =>
      Effect.gen(function* () {
        const it = yield* ground()
        const { folder } = it
        yield* written(it)
        const write = (text: string) => {
          writeFileSync(join(folder, "links.json"), text)
          chmodSync(join(folder, "links.json"), 0o600)
        }
        const many = linksIn(folder)
        many.files = Array(1_000_000).fill(0)
        for (const text of [
          '{"schema": "svc.report/1"}',
          "\u0000".repeat(65 * 1024 * 1024),
          JSON.stringify(many),
          "[".repeat(1_000_000)
        ]) {
          write(text)
          const outcome = yield* stranger(it, ["--fromLinks", "links.json", "-d", "out"])
          assert.strictEqual(outcome.exitCode, 65, outcome.stderr)
          assert.match(outcome.stderr, /^\S* ?(?:error|Error).*links\.json: /m)
        }
        assert.deepStrictEqual(namesIn(folder, "out"), [])
      }),
    patience
  )

  it.live(
    "Z5 that others can read earns a warning",
    () =>
      Effect.gen(function* () {
        const it = yield* ground()
        yield* written(it)
        chmodSync(join(it.folder, "links.json"), 0o644)
        const { stderr } = yield* stranger(it, ["--fromLinks", "links.json", "--list"])
        assert.include(stderr, "links.json holds links and other users can read it: make it private with chmod 600")
      }),
    patience
  )
})
