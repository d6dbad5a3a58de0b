/**
 * `svc-download` as a process: what is downloaded, listed, planned and linked; settings from all places; exit codes.
 * Faults are in download-faults.test.ts, secrets in secrets.test.ts.
 */
import { spawnSync } from "node:child_process"
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { fault, ground, namesIn, readReport, sha256 } from "../DownloadGround.ts"
import { executable, runCommand } from "../Executables.ts"
import { unless } from "../Lacks.ts"
import { root } from "../Root.ts"
import { fits } from "../Schemas.ts"
import { runWarm } from "../WarmExecutables.ts"
import { words } from "../Words.ts"

interface Listing {
  readonly analyses: ReadonlyArray<{
    readonly analysisId: string
    readonly limsId: string | null
    readonly sampleId: string | null
    readonly files: ReadonlyArray<{
      readonly fileName: string
      readonly size: number | null
      readonly archived: boolean
    }>
  }>
}

describe("lists of identifiers in files", () => {
  it.live("@FILE and @- stand for their lines, each once; what is not there is named", () =>
    Effect.gen(function* () {
      const { download, env, folder } = yield* ground()
      writeFileSync(join(folder, "ids.txt"), "# cohort\nA1\n\nA2 # the second\nA1\n")
      const ids = (stdout: string) => [...stdout.matchAll(/^Analysis ID: (\S+)$/gm)].map(([, id]) => id)
      assert.deepStrictEqual(ids((yield* download(["-a", "@ids.txt", "--list"])).stdout), ["A1", "A2"])
      assert.deepStrictEqual(ids((yield* download(["-a", "@ids.txt,A3", "-a", "A4", "--list"])).stdout), [])
      assert.deepStrictEqual(ids((yield* download(["-a", "@ids.txt", "A4", "--list"])).stdout), ["A1", "A2", "A4"])
      const piped = yield* runWarm("svc-download", ["-s", "@-", "--list"], { cwd: folder, env, input: "S1\r\nS2\r\n" })
      assert.deepStrictEqual(ids(piped.stdout), ["A1", "A2"], piped.stderr)
      const none = yield* download(["-l", "@none.txt", "--list"])
      assert.strictEqual(none.exitCode, 66)
      assert.match(none.stderr, /^Error: input file none\.txt of --limsIds: not found$/m)
      writeFileSync(join(folder, "empty.txt"), "# nobody\n")
      const empty = yield* download(["-a", "@empty.txt", "--list"])
      assert.strictEqual(empty.exitCode, 65)
      assert.match(empty.stderr, /empty\.txt of --analysisIds: it names nothing/)
      writeFileSync(join(folder, "c.json"), '{ "sampleIds": "@none.txt" }')
      const configured = yield* download(["--config", "c.json", "--list"])
      assert.match(
        configured.stderr,
        /^Error: input file none\.txt of sampleIds in the configuration file: not found$/m
      )
    })
  )
})

describe("ids", () => {
  it.live("stand with -a or alone, in every step that takes analyses", () =>
    Effect.gen(function* () {
      const { download, env, folder } = yield* ground()
      for (const argv of [
        ["A1", "A2"],
        ["-a", "A1", "A2"],
        ["-a", "A1,A2"]
      ]) {
        const listed = yield* download([...argv, "--list"])
        assert.strictEqual(listed.exitCode, 0, listed.stderr)
        assert.deepStrictEqual(
          [...listed.stdout.matchAll(/^Analysis ID: (.*)$/gm)].map(([, id]) => id),
          ["A1", "A2"]
        )
        const rows = yield* runWarm("svc-fetch-annotations", argv, { cwd: folder, env })
        assert.strictEqual(rows.exitCode, 0, rows.stderr)
        const found = rows.stdout
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line).analysisId)
        assert.deepStrictEqual([...new Set(found)], ["A1", "A2"])
      }
    })
  )
})

describe("mistakes", () => {
  for (const [args, hint] of [
    [["-a", "A1"], "-t URL, in SVC_TARGET, or as target in the configuration file"],
    [["-a", "A1", "-t", "https://h", "-d", "it's new"], "mkdir -p 'it'\\''s new' creates it"],
    [["-a", "A1", "-t", "https://h", "--loglevel", "inf"], "Did you mean info? Log levels are error, warn, info, debug"]
  ] as const) {
    it.live(`${args.at(-1)}: what to do stands below the sentence`, () =>
      Effect.gen(function* () {
        const { exitCode, stderr } = yield* runWarm("svc-download", args)
        assert.strictEqual(exitCode, 64)
        assert.include(stderr, hint)
      })
    )
  }
})

describe("words of other tools", () => {
  it.live("point to ours", () =>
    Effect.gen(function* () {
      const { download } = yield* ground()
      for (const [args, said] of [
        [["-a", "A1", "--dry-run"], /Unknown option --dry-run; did you mean --plan\?/],
        [
          ["-a", "A1", "--resume"],
          /did you mean --resumeArchivedDownloads\?\nA download that was stopped goes on where it was, when the same/
        ],
        [["-a", "A1", "-o", "x"], /Unknown option -o; did you mean --destination or --overwrite\?/],
        [["-a", "A1", "-x"], /Unknown option -x; did you mean --proxy\?/],
        [["-a", "A1", "-n"], /Unknown option -n; did you mean --plan\?/],
        [["-a", "A1", "--limit-rate", "5M"], /did you mean --limitRate\?/],
        [["-a", "A1", "--MaxRate", "5M"], /did you mean --limitRate\?/],
        [["-a", "A1", "--output-dir", "x"], /did you mean --destination\?/],
        [["-a", "A1", "--threads", "8"], /did you mean --connections\?/],
        [
          ["A1", "--list", "--reportfile", "r.json"],
          /--reportfile reports what was done with files: leave it out with --list/
        ],
        [
          ["A1", "--overwrite", "false"],
          /Unexpected argument: false, after --overwrite; a flag takes its value after =/
        ],
        [["A1", ""], /ID must not be empty/],
        [
          ["-a", "A1", "-f", "vcf"],
          /Unsupported file type: vcf\nDid you mean vcf\.gz\? File types are bam, bam\.bai, vcf\.gz, vcf\.gz\.tbi\n/
        ],
        [["-a", "A1", "-F", "status==DONE"], /equality is written with a single =/],
        [["-a", "A1", "-q", "--verbose"], /--verbose and another log level are given/]
      ] as const) {
        const { exitCode, stderr } = yield* download(args)
        assert.strictEqual(exitCode, 64, stderr)
        assert.match(stderr, said)
      }
    })
  )

  it.live(
    "-q says errors only, --verbose everything; the lines of a run fit a terminal, and the checksum is in the report",
    () =>
      Effect.gen(function* () {
        const { download, folder } = yield* ground()
        const quiet = yield* download(["-a", "A1", "-d", "out", "-q"])
        assert.deepStrictEqual([quiet.exitCode, quiet.stderr], [0, ""])
        const usual = yield* download(["-a", "A2", "-d", "out", "--reportfile", "report.json"])
        for (const line of usual.stderr.split("\n")) assert.isAtMost(line.length, 80, line)
        assert.notInclude(usual.stderr, "sha256")
        assert.match(readReport(folder, "report.json").files[0]?.sha256 ?? "", /^[0-9a-f]{64}$/)
        const verbose = yield* download(["-a", "A3", "-d", "out", "--verbose", "--restoreArchived", "no"])
        assert.match(verbose.stderr, /\[debug\]: S3\.bam\.bai: sha256 [0-9a-f]{64}/)
      })
  )
})

describe("files", () => {
  it.live("are downloaded whole under their names, and nothing else is left", () =>
    Effect.gen(function* () {
      const { download, folder, stats } = yield* ground({ behaviour: { strict: true } })
      const listing: Listing = fits(
        "list",
        JSON.parse((yield* download(["-a", "A1,A2", "--list", "--format", "json"])).stdout)
      )
      const wanted = listing.analyses.flatMap(({ files }) => files)
      assert.strictEqual(wanted.length, 8)

      const outcome = yield* download(words`-a A1,A2 -f bam,bam.bai,vcf.gz,vcf.gz.tbi -d out --reportfile r.json`)
      assert.strictEqual(outcome.exitCode, 0, outcome.stderr)
      assert.strictEqual(outcome.stdout, "")
      assert.match(outcome.stderr, /8 downloaded \(.*\), 0 skipped, 0 failed/)
      assert.deepStrictEqual(namesIn(folder, "out"), wanted.map(({ fileName }) => fileName).sort())

      const report = readReport(folder, "r.json")
      assert.strictEqual(report.schema, "svc.report/1")
      assert.strictEqual(report.exitCode, 0)
      for (const file of report.files) {
        const listed = wanted.find(({ fileName }) => fileName === file.fileName)
        assert.strictEqual(file.action, "downloaded")
        assert.strictEqual(file.bytes, listed?.size ?? -1)
        assert.strictEqual(file.path, `out/${file.fileName}`)
        assert.strictEqual(file.sha256, sha256(folder, "out", file.fileName ?? ""))
        assert.isNull(file.error)
      }
      const page = readFileSync(`${root}docs/report.md`, "utf8")
      const keys = [...Object.keys(report), ...report.files.flatMap((file) => Object.keys(file))]
      const undocumented = new Set(keys.filter((key) => !page.includes(`\`${key}\``) && key !== "schema"))
      assert.deepStrictEqual([...undocumented], [])

      const seen = yield* stats
      assert.strictEqual(seen.overlaps, 0)
      assert.strictEqual(seen.maxApiInFlight, 1)
      assert.deepStrictEqual([seen.logins, seen.logouts], [2, 2])
      assert.strictEqual(seen.cookiesSeenByLinkHost + seen.tokensSeenByLinkHost + seen.referersSeenByLinkHost, 0)
    })
  )

  it.live(
    "Z9 one that another program has not finished is replaced on demand; the note that it leaves hinders no later run",
    () =>
      Effect.gen(function* () {
        const { download, folder } = yield* ground()
        const wanted = ["-a", "A1", "-d", "out"]
        assert.strictEqual((yield* download(wanted)).exitCode, 0)
        const [data, note] = [join(folder, "out", "S1.bam"), join(folder, "out", "S1.bam.aria2")]
        const good = sha256(data)
        for (const path of [data, note]) {
          writeFileSync(path, new Uint8Array(statSync(data).size))
          utimesSync(path, 1e9, 1e9)
        }
        rmSync(`${data}.bai`)
        const refused = yield* download(wanted)
        assert.strictEqual(refused.exitCode, 73, refused.stderr)
        assert.include(refused.stderr, "S1.bam.aria2 says that another program has not finished it")
        assert.include(refused.stderr, "give --overwrite to replace it")
        const over = yield* download([...wanted, "--overwrite"])
        assert.strictEqual(over.exitCode, 0, over.stderr)
        assert.include(
          over.stderr,
          "[warn]: S1.bam.aria2 stays, and by it another program would write into the new S1.bam"
        )
        const kept = yield* download(wanted)
        assert.match(kept.stderr, /0 downloaded, 2 skipped \(2 exists\), 0 failed/)
        assert.include(kept.stderr, "[warn]: S1.bam.aria2 is older than S1.bam, which is taken as whole")
        assert.strictEqual(sha256(data), good)
        assert.include(namesIn(folder, "out"), "S1.bam.aria2")
      })
  )

  it.live("Z9 of another size than listed are left, fail and are reported with both sizes; --overwrite replaces", () =>
    Effect.gen(function* () {
      const { download, folder, stats } = yield* ground()
      const wanted = ["-a", "A1", "-d", "out"]
      const first = yield* download([...wanted, "--reportfile", "first.json"])
      assert.strictEqual(first.exitCode, 0, first.stderr)
      const data = join(folder, "out", "S1.bam")
      const good = sha256(data)
      const listed = statSync(data).size
      truncateSync(data, 5000)
      rmSync(`${data}.bai`)
      const before = (yield* stats).linkRequests
      const sentence = `S1.bam exists with 5000 bytes, but ${listed} are listed`

      const again = yield* download([...wanted, "--reportfile", "r.json", "--checksums", "md5"])
      assert.strictEqual(again.exitCode, 73, again.stderr)
      assert.include(again.stderr, sentence)
      assert.include(again.stderr, "move it away, or download it with --overwrite")
      assert.match(again.stderr, /0 downloaded, 0 skipped, 2 failed \(1 differs\)/)
      assert.notInclude(again.stderr, "same command again")
      assert.strictEqual(statSync(data).size, 5000)
      // No checksum vouches for it, and no index comes to lie beside it.
      assert.deepStrictEqual(namesIn(folder, "out"), ["S1.bam"])
      const [file, index] = readReport(folder, "r.json").files
      assert.deepStrictEqual(
        [file?.action, file?.reason, file?.bytes, file?.listedBytes],
        ["failed", "differs", 5000, listed]
      )
      assert.deepStrictEqual([index?.action, index?.reason], ["failed", null])

      yield* download([...wanted, "--reportfile", "r.html"])
      const page = readFileSync(join(folder, "r.html"), "utf8")
      assert.include(page, ">Differs<")
      assert.include(page, `5,000 bytes, ${listed.toLocaleString("en")} bytes listed`)
      yield* download([...wanted, "--reportfile", "r_mqc.json"])
      const table = JSON.parse(readFileSync(join(folder, "r_mqc.json"), "utf8"))
      assert.strictEqual(table.data.S1.status, "Differs")
      assert.include(table.data.S1.error, sentence)
      const plan = yield* download([...wanted, "--plan", "--format", "json"])
      assert.strictEqual(plan.exitCode, 73, plan.stderr)
      const [planned] = fits("plan", JSON.parse(plan.stdout)).files
      assert.deepInclude(planned, { action: "fail", reason: "differs", size: listed, existingBytes: 5000 })
      assert.strictEqual((yield* stats).linkRequests, before)

      const over = yield* download([...wanted, "--overwrite"])
      assert.strictEqual(over.exitCode, 0, over.stderr)
      assert.strictEqual(sha256(data), good)
      const kept = yield* download([...wanted, "--reportfile", "r.json"])
      assert.match(kept.stderr, /0 downloaded, 2 skipped \(2 exists\), 0 failed/)
      assert.strictEqual(readReport(folder, "r.json").files[0]?.reason, "exists")
    })
  )

  it.live("Z9 that exist are kept where the service lists no size, and get no checksum that nothing backs", () =>
    Effect.gen(function* () {
      const bam = { copyOf: "A1/S1.bam", listedSize: null }
      const { download, folder } = yield* ground({
        world: { analyses: [{ id: "B1", files: [{ name: "s.bam", ...bam }] }] }
      })
      writeFileSync(join(folder, "out", "s.bam"), "cut")
      const wanted = ["-a", "B1", "-d", "out", "-f", "bam", "--checksums", "md5", "--reportfile", "r.json"]
      const outcome = yield* download(wanted)
      assert.strictEqual(outcome.exitCode, 0, outcome.stderr)
      assert.include(outcome.stderr, "s.bam: kept without a checksum, as nothing states what it should be")
      assert.deepInclude(readReport(folder, "r.json").files[0], { reason: "exists", bytes: 3, listedBytes: null })
      assert.deepStrictEqual(namesIn(folder, "out"), ["s.bam"])
      const plan = yield* download([...wanted.slice(0, 6), "--plan"])
      assert.strictEqual(plan.exitCode, 0, plan.stderr)
      assert.include(plan.stdout, "exists; --overwrite replaces it")
    })
  )

  it.live("of archived analyses are skipped in mode no, and no restoration is asked for", () =>
    Effect.gen(function* () {
      const { download, folder, stats } = yield* ground()
      const args = ["-a", "A3", "-f", "bam", "-d", "out", "--restoreArchived", "no", "--reportfile", "r.json"]
      const outcome = yield* download(args)
      assert.strictEqual(outcome.exitCode, 0, outcome.stderr)
      assert.include(outcome.stderr, "S3.bam (analysis A3): archived, skipped: the restore mode is no")
      assert.deepStrictEqual(
        readReport(folder, "r.json").files.map(({ action, reason }) => [action, reason]),
        [["skipped", "archived"]]
      )
      assert.deepStrictEqual(namesIn(folder, "out"), [])
      assert.strictEqual((yield* stats).restores, 0)
    })
  )

  it.live("an index alone can be asked for, and a folder per analysis", () =>
    Effect.gen(function* () {
      const { download, folder } = yield* ground()
      const outcome = yield* download(["-a", "A1,A2", "-f", "vcf.gz.tbi", "-d", "out", "--layout", "analysis"])
      assert.strictEqual(outcome.exitCode, 0, outcome.stderr)
      assert.deepStrictEqual(namesIn(folder, "out"), ["A1", "A2"])
      assert.match(namesIn(folder, "out", "A1").join(), /^[^,]+\.vcf\.gz\.tbi$/)
      const again = yield* download(words`-a A1 -f vcf.gz.tbi -d out --layout analysis --overwrite`)
      assert.strictEqual(again.exitCode, 0, again.stderr)
      // No folder can be made in /proc, and Node's own way of making several never ends there.
      const nowhere = yield* download(["-a", "A1", "-f", "vcf.gz.tbi", "-d", "/proc", "--layout", "analysis"])
      assert.strictEqual(nowhere.exitCode, 74, nowhere.stderr)
    })
  )
})

describe("--list", () => {
  it.live("prints the analysis line, names, sizes and the archive mark; all types unless some are named", () =>
    Effect.gen(function* () {
      const { download, folder, stats } = yield* ground()
      const all = yield* download(["-l", "LIMS-0001,LIMS-0002,LIMS-0003,LIMS-0004", "--list"])
      assert.strictEqual(all.exitCode, 0, all.stderr)
      assert.match(
        all.stdout,
        /^Analysis ID: A1\n {2}\S+\.bam {2}\d+ bytes \(\S+ [KM]iB\)\n {2}\S+\.bam\.bai {2}\d+ bytes/
      )
      assert.match(all.stdout, /\n {2}\S+\.vcf\.gz\.tbi {2}\d+ bytes/)
      assert.match(all.stdout, /\.bam {2}\d+ bytes \(.*\) {2}\[ARCHIVED\]\n/)
      const some = yield* download(["-a", "A1", "--list", "-f", "vcf.gz"])
      assert.match(some.stdout, /^Analysis ID: A1\n {2}\S+\.vcf\.gz {2}\d+ bytes.*\n$/)
      assert.deepStrictEqual(namesIn(folder, "out"), [])
      assert.strictEqual((yield* stats).linkRequests, 0)
    })
  )

  it.live("learns a size that the service does not tell from 16 bytes of the file", () =>
    Effect.gen(function* () {
      const told = yield* Effect.scoped(Effect.flatMap(ground(), ({ download }) => download(["-a", "A1", "--list"])))
      const { download, stats } = yield* ground({ behaviour: { sizes: "absent" } })
      const learned = yield* download(["-a", "A1", "--list"])
      assert.strictEqual(learned.stdout, told.stdout)
      const { files, linkBytes } = yield* stats
      assert.strictEqual(linkBytes, 16 * Object.keys(files).length)
    })
  )

  it.live("of an archived file without a size says so", () =>
    Effect.gen(function* () {
      const { download } = yield* ground({ behaviour: { sizes: "null" } })
      const all = yield* download(["-l", "LIMS-0001,LIMS-0002,LIMS-0003,LIMS-0004", "--list"])
      assert.match(all.stdout, /\.bam {2}size unknown {2}\[ARCHIVED\]\n/)
    })
  )
})

describe("--plan", () => {
  it.live("shows paths, sizes, disk need and what stands in the way, and touches nothing", () =>
    Effect.gen(function* () {
      const { download, folder, stats } = yield* ground({
        world: { analyses: [{ id: "B1", files: [{ name: "S1.bam", copyOf: "A1/S1.bam" }] }] }
      })
      const { stdout } = yield* download(["-a", "A1", "--list", "--format", "json"])
      const listing: Listing = fits("list", JSON.parse(stdout))
      const [data, index] = listing.analyses[0]?.files ?? []
      const name = data?.fileName ?? ""
      writeFileSync(join(folder, "out", `${name}.bai`), new Uint8Array(index?.size ?? 0))
      const plan = yield* download(["-a", "A1", "-d", "out", "--plan"])
      assert.strictEqual(plan.exitCode, 0, plan.stderr)
      assert.include(plan.stdout, `fetch   out/${name}  `)
      assert.include(plan.stdout, `skip    out/${name}.bai  `)
      assert.match(plan.stdout, /1 to fetch, 1 to skip, 0 refused\nDisk: \d+ bytes \(.*\) needed, .* free in out\n$/)
      const refused = yield* download(["-a", "A1,A99", "-d", "out", "--plan", "--format", "json"])
      const json = fits("plan", JSON.parse(refused.stdout))
      assert.strictEqual(json.failures[0].error.tag, "NotFound")
      assert.deepStrictEqual(namesIn(folder, "out"), [`${name}.bai`])
      assert.strictEqual((yield* stats).linkRequests, 0)
    })
  )
})

describe("selection", () => {
  const listed = (stdout: string) => [...stdout.matchAll(/^Analysis ID: (.*)$/gm)].map(([, id]) => id)
  const world = {
    analyses: [
      {
        id: "9",
        personLimsId: "200000000",
        sampleId: "X1",
        item: { sequencingBatchId: 9 },
        files: [{ name: "x9.bam", base64: "" }]
      },
      {
        id: "10",
        personLimsId: "200000000",
        sampleId: "X2",
        item: { sequencingBatchId: 10 },
        files: [{ name: "x10.bam", base64: "" }]
      }
    ]
  }

  it.live("by sample, person, filters and --latest, with ids that look like numbers", () =>
    Effect.gen(function* () {
      const { download, stats } = yield* ground({ world })
      const list = (...args: ReadonlyArray<string>) =>
        Effect.map(download([...args, "--list"]), ({ exitCode, stdout }) => [exitCode, ...listed(stdout)])
      assert.deepStrictEqual(yield* list("-l", "200000000"), [0, "9", "10"])
      assert.deepStrictEqual(yield* list("-s", "X2", "-s", "X1"), [0, "9", "10"])
      assert.deepStrictEqual(yield* list("-l", "200000000", "-s", "X2"), [0, "10"])
      assert.deepStrictEqual(yield* list("-l", "200000000", "--latest"), [0, "10"])
      assert.deepStrictEqual(yield* list("-l", "200000000", "-F", "sequencingBatchId < 10"), [0, "9"])
      assert.deepStrictEqual(yield* list("-l", "200000000", "-F", "id > 9", "-F", "status = DONE"), [0, "10"])
      assert.deepStrictEqual(yield* list("-l", "200000000", "-F", "firstAnnotated > 2030-12-31"), [66])
      assert.deepStrictEqual(yield* list("-a", "10,9,10"), [0, "10", "9"])
      assert.deepStrictEqual(yield* list("-a", "10", "-s", "X1"), [66])
      assert.strictEqual((yield* stats).requests["getAnalyses"], 8)
    })
  )

  it.live("numeric ids on the wire work like any other", () =>
    Effect.gen(function* () {
      const { download, folder } = yield* ground({ behaviour: { ids: "numeric" } })
      const all: Listing = fits(
        "list",
        JSON.parse((yield* download(["-l", "LIMS-0001", "--list", "--format", "json"])).stdout)
      )
      const id = all.analyses[0]?.analysisId ?? ""
      assert.match(id, /^\d+$/)
      writeFileSync(join(folder, "c.json"), `{"analysisIds": [${id}], "filetypes": ["vcf.gz"], "destination": "out"}`)
      const outcome = yield* download(["--config", "c.json"])
      assert.strictEqual(outcome.exitCode, 0, outcome.stderr)
      assert.strictEqual(namesIn(folder, "out").length, 1)
    })
  )

  it.live("an unreadable filter and waiting for nothing end before any request", () =>
    Effect.gen(function* () {
      const { download, stats } = yield* ground()
      const refused = [
        [["-F", "sampleid = S1"], /unknown field sampleid; did you mean sampleId\?/],
        [
          ["-F", "firstAnnotated > 31.12.2030"],
          /firstAnnotated is a time, which 31\.12\.2030 is not: write it as 2030-12-31 /
        ],
        [["-F", "sequencingBatchId = ten"], /sequencingBatchId is a number/],
        [["-F", "status = Done"], /status has no Done; did you mean DONE\?/],
        [["-F", "status"], /expected "NAME op VALUE"/],
        [["--wait", "1h", "--plan"], /--wait waits for files to download/]
      ] as const
      for (const [args, message] of refused) {
        const outcome = yield* download(["-a", "A1", ...args])
        assert.strictEqual(outcome.exitCode, 64, outcome.stderr)
        assert.match(outcome.stderr, message)
      }
      assert.deepStrictEqual((yield* stats).requests, {})
    })
  )
})

describe("a report that is no JSON", () => {
  it.live("a page for people, written as a whole, that svc-verify refuses with a reason", () =>
    Effect.gen(function* () {
      const { download, env, folder } = yield* ground()
      const args = ["-a", "A1,A3,A99", "-d", "out", "--restoreArchived", "force", "--reportfile", "out/r.html"]
      const outcome = yield* download(args)
      assert.strictEqual(outcome.exitCode, 66, outcome.stderr)
      const page = readFileSync(join(folder, "out", "r.html"), "utf8")
      for (const name of namesIn(folder, "out").filter((name) => /\.(bam|bai)$/.test(name))) {
        assert.include(page, name)
        assert.include(page, sha256(folder, "out", name))
      }
      for (const words of ["A99", "not found", "Being restored", "svc-resume-restore -t", "Throughput"])
        assert.include(page, words)
      assert.notInclude(page, env["SVC_PASSWORD"] ?? "?")
      assert.notMatch(page, /signature|token=|\/objects\//i)
      assert.deepStrictEqual(
        namesIn(folder, "out").filter((name) => name.includes("r.html")),
        ["r.html"]
      )
      const verified = yield* runWarm("svc-verify", ["--against", "out/r.html"], { cwd: folder })
      assert.strictEqual(verified.exitCode, 65)
      assert.match(verified.stderr, /a page for people: give the report that was written as \.json/)
    })
  )

  it.live("a section for MultiQC", () =>
    Effect.gen(function* () {
      const { download, folder } = yield* ground()
      const outcome = yield* download(["-a", "A1", "-d", "out", "--reportfile", "svc_mqc.json"])
      assert.strictEqual(outcome.exitCode, 0, outcome.stderr)
      const section = JSON.parse(readFileSync(join(folder, "svc_mqc.json"), "utf8"))
      assert.strictEqual(section.plot_type, "table")
      const [[sample, row] = []] = Object.entries(section.data)
      assert.include(namesIn(folder, "out"), `${sample}.bam`)
      assert.deepInclude(row, { status: "Downloaded", files: 2, failed: 0 })
    })
  )
})

describe("a folder that may not be entered", () => {
  // Root enters every folder, unless it gives up the rights to do so.
  const rights = "-dac_override,-dac_read_search"
  const isRoot = process.getuid?.() === 0
  const [command, ...bound] = isRoot ? ["setpriv", `--bounding-set=${rights}`, `--inh-caps=${rights}`] : ["env"]
  const inCi = process.env["CI"] === "true"
  const isBound = inCi || spawnSync(command, [...bound, "true"]).status === 0

  it.live(
    "is not called missing: for a destination, a BED file, or the folder of a stored request",
    () =>
      Effect.gen(function* () {
        const { download, env, folder } = yield* ground()
        const closed = join(folder, "closed")
        mkdirSync(join(closed, "data"), { recursive: true })
        writeFileSync(join(closed, "x.bed"), "chr1\t0\t100\n")
        const stored = { analysisId: "A1", fileName: "S1.bam", options: { destination: "closed/data" } }
        writeFileSync(join(folder, "r.json"), JSON.stringify([stored]), { mode: 0o600 })
        chmodSync(closed, 0)
        for (const [what, ...args] of [
          ["closed/data", "-a", "A1", "-d", "closed/data"],
          ["closed/x.bed", "-a", "A1", "-b", "closed/x.bed"],
          [join(closed, "data"), "--resumeArchivedDownloads", "--restorationFile", "r.json"]
        ] as const) {
          const step = [process.execPath, executable("svc-download"), ...args]
          const outcome = yield* runCommand(command, [...bound, ...step], { cwd: folder, env })
          assert.strictEqual(outcome.exitCode, 74, outcome.stderr)
          assert.include(outcome.stderr, `: Cannot look at ${what}: permission denied\n`)
        }
        chmodSync(closed, 0o700)
        const missing = yield* download(["-a", "A1", "-d", "closed/none"])
        assert.strictEqual(missing.exitCode, 64)
        assert.include(missing.stderr.split("\n"), "Error: Destination directory does not exist: closed/none")
      }),
    unless(isBound ? null : "setpriv, or the right to give up rights")
  )
})

describe("exit codes", () => {
  it.live("66 for an analysis that is not there, while the others are fetched", () =>
    Effect.gen(function* () {
      const { download, folder } = yield* ground()
      const outcome = yield* download(["-a", "A99,A1", "-f", "vcf.gz", "-d", "out", "--reportfile", "r.json"])
      assert.strictEqual(outcome.exitCode, 66, outcome.stderr)
      assert.match(outcome.stderr, /A99.*not found/)
      assert.strictEqual(namesIn(folder, "out").length, 1)
      const report = readReport(folder, "r.json")
      assert.deepStrictEqual(
        report.files.map(({ action, analysisId, error }) => [analysisId, action, error?.tag ?? null]),
        [
          ["A99", "failed", "NotFound"],
          ["A1", "downloaded", null]
        ]
      )
    })
  )

  it.live("66 when a named analysis has none of the types, or nothing fits", () =>
    Effect.gen(function* () {
      const { download } = yield* ground({
        world: { analyses: [{ id: "B1", files: [{ name: "b.vcf.gz", base64: "" }] }] }
      })
      const types = yield* download(["-a", "B1", "-d", "out"])
      assert.strictEqual(types.exitCode, 66, types.stderr)
      assert.match(
        types.stderr,
        /bam, bam\.bai files of analysis B1: not found \(there are vcf\.gz\); --filetypes chooses them/
      )
      assert.strictEqual((yield* download(["-s", "none", "-d", "out"])).exitCode, 66)
    })
  )

  it.live("the most severe of several: 77 before 73 before 66", () =>
    Effect.gen(function* () {
      const { download, folder, setFaults } = yield* ground({
        world: {
          analyses: [
            {
              id: "B1",
              files: [
                { name: "s.vcf.gz", copyOf: "A1/S1.vcf.gz" },
                { name: "t.vcf.gz", copyOf: "A1/S1.vcf.gz" }
              ]
            },
            {
              id: "B2",
              files: [
                { name: "S.vcf.gz", copyOf: "A1/S1.vcf.gz" },
                { name: "u.vcf.gz", copyOf: "A1/S1.vcf.gz" }
              ]
            }
          ]
        }
      })
      const args = ["-a", "B1,B2,A99", "-f", "vcf.gz", "-d", "out", "--reportfile", "r.json"]
      yield* setFaults([fault({ plane: "link", file: "*u.vcf.gz" }, { status: 403 })])
      const both = yield* download(args)
      assert.strictEqual(both.exitCode, 77, both.stderr)
      assert.deepStrictEqual(namesIn(folder, "out"), ["t.vcf.gz"])
      yield* setFaults([])
      assert.strictEqual((yield* download(args)).exitCode, 73)
      assert.deepStrictEqual(namesIn(folder, "out"), ["t.vcf.gz", "u.vcf.gz"])
      assert.deepStrictEqual(
        readReport(folder, "r.json").files.map(({ error, fileName }) => [fileName, error?.tag ?? null]),
        [
          [null, "NotFound"],
          ["s.vcf.gz", "NameCollision"],
          ["t.vcf.gz", null],
          ["S.vcf.gz", "NameCollision"],
          ["u.vcf.gz", null]
        ]
      )
      const separate = yield* download([...args, "--layout", "analysis"])
      assert.strictEqual(separate.exitCode, 66, separate.stderr)
      assert.deepStrictEqual(namesIn(folder, "out", "B1"), ["s.vcf.gz", "t.vcf.gz"])
    })
  )
})
