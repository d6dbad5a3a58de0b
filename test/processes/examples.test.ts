/** The programs of docs/examples as processes, against the sandbox. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Schema } from "effect"
import { RunEvent } from "../../core/src/download/RunEvent.ts"
import { fault, ground, namesIn } from "../DownloadGround.ts"
import { runCommand, startServer } from "../Executables.ts"
import { root } from "../Root.ts"
import { collector } from "../servers/Collector.ts"

const example = (name: string, args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}, cwd = root) =>
  runCommand(process.execPath, [`${root}docs/examples/${name}`, ...args], { env, cwd })

describe("examples", () => {
  it.live("the shortest program", () =>
    Effect.gen(function* () {
      const { env, folder } = yield* ground()
      const { exitCode, stderr } = yield* example("shortest.ts", [], env, folder)
      assert.strictEqual(exitCode, 0, stderr)
      assert.includeMembers([...namesIn(folder)], ["S1.bam", "S1.bam.bai"])
      const refused = yield* example("shortest.ts", [], { ...env, SVC_PASSWORD: "wrong" }, folder)
      assert.strictEqual(refused.exitCode, 77)
    })
  )

  it.live("the events of a run, which are read again from what is printed", () =>
    Effect.gen(function* () {
      const { env, folder, setFaults } = yield* ground()
      const run = Effect.fnUntraced(function* () {
        const { exitCode, stderr, stdout } = yield* example("run-events.ts", [], env, folder)
        const events = stdout
          .split("\n")
          .slice(0, -1)
          .map((line) => Schema.decodeSync(Schema.fromJsonString(RunEvent))(line))
        const ends = events.flatMap((event) =>
          event._tag === "Finished" ? [`${event.result.fileName} ${event.result._tag}`] : []
        )
        return { ends: ends.sort(), exitCode, stderr }
      })
      yield* setFaults([fault({ plane: "link", file: "S1.bam.bai" }, { status: 403 })])
      const failed = yield* run()
      assert.deepStrictEqual([failed.exitCode, failed.ends], [77, ["S1.bam Downloaded", "S1.bam.bai Failed"]])
      assert.match(failed.stderr, /1 of 2 results is a failure: S1\.bam\.bai/)
      yield* setFaults([])
      const whole = yield* run()
      assert.deepStrictEqual([whole.exitCode, whole.ends], [0, ["S1.bam Kept", "S1.bam.bai Downloaded"]], whole.stderr)
      const refused = yield* example("run-events.ts", [], { ...env, SVC_PASSWORD: "wrong" }, folder)
      assert.deepStrictEqual([refused.exitCode, refused.stdout], [77, ""])
      assert.match(refused.stderr, /refused the login/)
    })
  )

  it.live("the annotations of a gene in some analyses, counted by a column", () =>
    Effect.gen(function* () {
      const { env } = yield* ground({ behaviour: { annotationRows: 400 } })
      const run = (column: string) => example("annotations.ts", ["FBN1", column, "A1", "nope", "A2"], env)
      const { exitCode, stderr, stdout } = yield* run("Zygosity")
      assert.strictEqual(exitCode, 0, stderr)
      for (const id of ["A1", "A2"]) {
        assert.match(stdout, new RegExp(`^${id}\thet\t[1-9]\\d*$`, "m"))
        assert.match(stdout, new RegExp(`^${id}\thom\t[1-9]\\d*$`, "m"))
      }
      assert.match(stdout + stderr, /analysis nope: not found/)
      const wrong = yield* run("Consequence")
      assert.strictEqual(wrong.exitCode, 64)
      assert.match(wrong.stdout + wrong.stderr, /Unknown column Consequence; there are ID, Chr, .*Zygosity/)
    })
  )

  it.live("the depth of a panel over five analyses, and genotypes of two compared", () =>
    Effect.gen(function* () {
      const { env, folder } = yield* ground()
      const depth = yield* example("panel-coverage.ts", ["A1", "A2", "A1", "A2", "A1"], env, folder)
      assert.strictEqual(depth.exitCode, 0, depth.stderr)
      const [title, ...rows] = depth.stdout.trimEnd().split("\n")
      assert.deepStrictEqual([title, rows.length, rows[0]], ["analysis\tBRCA1\tCFTR", 5, rows[2]])
      assert.match(rows[1] ?? "", /^A2\t[1-9]\d*\.\d\t[1-9]\d*\.\d$/)
      const genes = ["chr17:43044295-43125364", "chr7:117559500-117561000"]
      const same = yield* example("same-person.ts", ["A1", "A1", ...genes], env, folder)
      assert.match(same.stdout, /^([1-9]\d*) of \1 genotypes are the same\n$/, same.stderr)
      const without = yield* example("same-person.ts", ["A1", "A3", ...genes], env, folder)
      assert.strictEqual(without.exitCode, 66, without.stderr)
      assert.deepStrictEqual(namesIn(folder), ["locks", "out"])
    })
  )

  it.live("restore and wait, by a schedule of its own", () =>
    Effect.gen(function* () {
      const { env, folder, stats } = yield* ground({ behaviour: { restoreDelay: Duration.millis(1) } })
      const { exitCode, stderr, stdout } = yield* example("restore-and-wait.ts", ["A3", "nope"], env, folder)
      assert.strictEqual(exitCode, 66, stderr)
      assert.match(stdout, /^S3\.bam\tDone$/m)
      assert.match(stderr, /^analysis nope: not found/m)
      assert.isTrue(namesIn(folder).includes("S3.bam"))
      assert.strictEqual((yield* stats).restores, 1)
    })
  )

  it.live("an endpoint of its own, and spans and counters for a collector", () =>
    Effect.gen(function* () {
      const { env } = yield* ground()
      const seen = yield* collector()
      const { exitCode, stderr, stdout } = yield* example("own-endpoint.ts", ["FBN1"], {
        ...env,
        OTEL_EXPORTER_OTLP_ENDPOINT: seen.url
      })
      assert.deepStrictEqual([exitCode, stdout], [0, "Json\n1 variants in FBN1\n"], stderr)
      const names = seen.spans().map(({ name }) => name)
      assert.includeMembers(names, ["program", "svc.session.login", "svc.session.send", "svc.session.logout"])
      assert.strictEqual(seen.counters()["svc.logins"], 1)
    })
  )

  it.live("all files of analyses, with their progress, and what lies in the archive is asked for", () =>
    Effect.gen(function* () {
      const { env, folder, stats } = yield* ground()
      const files = (...ids: ReadonlyArray<string>) => example("files-of-analyses.ts", ["out", ...ids], env, folder)
      const first = yield* files("A1", "A3", "nope")
      assert.strictEqual(first.exitCode, 66, first.stderr)
      assert.match(first.stdout, /^out\/S1\.bam\tDownloaded\t\d+$/m)
      assert.match(first.stdout, /^out\/S3\.bam\tPending\t/m)
      assert.match(first.stdout + first.stderr, /S1\.bam: 100 %/)
      assert.match(first.stderr, /analysis nope: not found/)
      assert.includeMembers([...namesIn(folder, "out")], ["S1.bam", "S1.bam.bai", "S1.vcf.gz", "S1.vcf.gz.tbi"])
      assert.isTrue(namesIn(folder).includes("awaiting-restoration.json"))
      assert.strictEqual((yield* stats).restores, 1)
      const again = yield* files("A1")
      assert.strictEqual(again.exitCode, 0, again.stderr)
      assert.match(again.stdout, /^out\/S1\.bam\tKept\t/m)
    })
  )

  it.live("a region of a file", () =>
    Effect.gen(function* () {
      const { env, folder } = yield* ground()
      const cut = (range: string) => example("slice-region.ts", ["A1", range], env, folder)
      const [, region = ""] = readFileSync(`${root}docs/examples/slice-region.ts`, "utf8").match(/ts A1 (\S+)/) ?? []
      const first = yield* cut(region)
      assert.strictEqual(first.exitCode, 0, first.stderr)
      assert.match(first.stdout, /^S1\.ranged\.bam: [1-9]\d* reads, [1-9]\d{3,} bytes\n$/)
      assert.includeMembers([...namesIn(folder)], ["S1.ranged.bam", "S1.ranged.bam.bai"])
      assert.match((yield* cut(region)).stdout, /: Kept$/m)
      assert.match((yield* cut("chr2")).stderr, /S1\.ranged\.bam/)
    })
  )

  it.live("two accounts at once, each with its own session", () =>
    Effect.gen(function* () {
      const accounts = [
        { user: "ada", password: "one" },
        { user: "ben", password: "two" }
      ] as const
      const { env, stats } = yield* ground({ world: { accounts }, behaviour: { strict: true } })
      const both = { ...env, SECOND_USER: "ben", SECOND_PASSWORD: "two" }
      const { exitCode, stderr, stdout } = yield* example("two-accounts.ts", [], both)
      assert.strictEqual(exitCode, 0, stderr)
      const seen = (user: string) => stdout.split("\n").filter((line) => line.startsWith(`${user}\t`)).length
      assert.isAbove(seen("ada"), 3)
      assert.strictEqual(seen("ben"), seen("ada"))
      const { logins, logouts, overlaps } = yield* stats
      assert.deepInclude({ logins, logouts, overlaps }, { logins: 2, logouts: 2, overlaps: 0 })
    })
  )

  it.live("regions for readers over HTTP: what fails before the first byte is told by a status", () =>
    Effect.gen(function* () {
      const { env, stats } = yield* ground({ behaviour: { strict: true } })
      const { server, value: url } = yield* startServer(
        process.execPath,
        [`${root}docs/examples/slice-server.ts`, "0"],
        (line) => /Listening on (http:\S+)/.exec(line)?.[1],
        { env }
      )
      const ask = (path: string) =>
        Effect.promise(async () => {
          const reply = await fetch(`${url}/${path}`)
          return { status: reply.status, bytes: Buffer.from(await reply.arrayBuffer()) }
        })
      const slice = yield* ask("A1/chr17:43044295-43125364")
      assert.deepStrictEqual([slice.status, slice.bytes.subarray(0, 2).toString("hex")], [200, "1f8b"])
      // The empty block at the end: it came whole.
      assert.strictEqual(slice.bytes.subarray(-28, -24).toString("hex"), "1f8b0804")
      for (const [path, status, message] of [
        ["A1/chr99", 404, /chr99 in S1\.bam: not found/],
        ["nope/chr1", 404, /analysis nope: not found/],
        ["A3/chr1", 409, /archive/],
        ["A1/chr1:9-1", 400, /Invalid range/]
      ] as const) {
        const { bytes, status: told } = yield* ask(path)
        assert.strictEqual(told, status, path)
        assert.match(bytes.toString(), message)
      }
      process.kill(server.pid, "SIGTERM")
      yield* server.exitCode
      const { logins, logouts, overlaps } = yield* stats
      assert.deepStrictEqual({ logins, logouts, overlaps }, { logins: 1, logouts: 1, overlaps: 0 })
    })
  )

  it.live("over fetch alone", () =>
    Effect.gen(function* () {
      const { env, stats } = yield* ground({ behaviour: { strict: true } })
      const { stderr, stdout } = yield* example("without-node.ts", [], env)
      assert.match(stdout, /^A1\nA2\n/, stderr)
      const { logins, logouts, overlaps } = yield* stats
      assert.deepStrictEqual({ logins, logouts, overlaps }, { logins: 1, logouts: 1, overlaps: 0 })
    })
  )

  it.live("settings that are missing are named", () =>
    Effect.gen(function* () {
      const { exitCode, stderr, stdout } = yield* example("annotations.ts", ["FBN1", "Gene", "A1"])
      assert.strictEqual(exitCode, 78)
      assert.match(stdout + stderr, /SVC_TARGET/)
    })
  )
})
