/** Beyond one machine's processes: every task is a job of a real Slurm, on nodes that share neither network address nor disk. */
import { mkdirSync, readFileSync, symlinkSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { commandOf } from "../../Executables.ts"
import { lacks, unless } from "../../Lacks.ts"
import { root } from "../../Root.ts"
import { allTypes, download } from "../Download.ts"
import { folder, sha256 } from "../Ground.ts"
import { filesBelow } from "../nextflow/Nextflow.ts"
import { clusterGround, ways } from "./Ways.ts"

describe("on Slurm", () => {
  it.live(
    "S7 mixed steps of two nodes: with a lock folder, below svc-gateway -- sbatch, and with a gateway that stands, which log in once; no overlap, each file whole",
    () =>
      Effect.gen(function* () {
        const steps = 12
        const { account, pad, run } = yield* clusterGround(steps, 4)
        const original = yield* folder
        assert.strictEqual(
          (yield* download(pad.sandbox, pad.sandbox.url, ["-a", "A1", ...allTypes, "-d", original])).exitCode,
          0
        )
        const seen: Array<ReadonlySet<string>> = []
        for (const way of ways) {
          const { digests, done, exitCode, logs, said, stats, variables } = yield* run(way)
          assert.strictEqual(exitCode, 0, `${way}: ${said}${logs}`)
          assert.deepStrictEqual([...done.keys()].toSorted(), ["node1", "node2"], way)
          assert.strictEqual(
            [...done.values()].reduce((sum, each) => sum + each, 0),
            steps,
            way
          )
          const { logins, maxApiInFlight, overlaps } = stats
          assert.deepStrictEqual([logins, maxApiInFlight, overlaps], [way === "lock" ? steps : 1, 1, 0], way)
          for (const name of ["S1.bam", "S1.bam.bai"]) assert.include([...digests], sha256(join(original, name)), way)
          seen.push(digests)
          // With a gateway no node has an account.
          const names = ["SVC_USER", "SVC_PASSWORD"]
          assert.sameMembers(
            [...variables].filter((name) => names.includes(name)),
            way === "lock" ? names : [],
            way
          )
          assert.notInclude(logs + said, account.SVC_PASSWORD)
        }
        // Regions name the command that made them: the file differs, and is as long.
        assert.deepStrictEqual(new Set(seen.map(({ size }) => size)).size, 1)
      }),
    { timeout: 600_000, ...unless(lacks.networks) }
  )

  it.live(
    "the lines of docs/nextflow.md run its pipeline on the nodes, with one login",
    () =>
      Effect.gen(function* () {
        const { account, base, login, pad } = yield* clusterGround(1, 4)
        const page = readFileSync(join(root, "docs/nextflow.md"), "utf8")
        const line = (beginning: string) =>
          page.split("\n").find((each) => each.startsWith(beginning)) ?? assert.fail(`no line ${beginning}`)
        const script = [
          line("cp -r ~/svc-steps/workflows/nextflow svc"),
          line("printf 'id,analysis,sample"),
          line("$ svc-gateway --host 0.0.0.0 -- nextflow run svc").slice(2)
        ].join("\n")
        const clone = join(yield* folder, "home")
        mkdirSync(clone)
        symlinkSync(root, join(clone, "svc-steps"))
        const { NXF_HOME = "" } = pad.env
        const path = `${dirname(pad.command)}:${base.PATH}`
        const env = { ...base, ...account, HOME: clone, NXF_HOME, PATH: path, LC_ALL: "C.UTF-8" }
        const ran = yield* login.run(["bash", "-euc", script], { cwd: pad.folder, env })
        assert.strictEqual(ran.exitCode, 0, ran.stdout + ran.stderr)
        const results = filesBelow(join(pad.folder, "results"))
        assert.includeMembers(
          [...results],
          ["one/S1.bam", "one/S1.bam.bai", "two/S2.vcf.gz", "slice/S1.ranged.bam", "one.report.json", "files.csv"]
        )
        // What Slurm wrote beside each task of its own.
        const jobs = filesBelow(join(pad.folder, "work")).filter((name) => name.endsWith(".command.run"))
        for (const job of jobs)
          assert.include(readFileSync(join(pad.folder, "work", job), "utf8"), "#SBATCH -J nf-SVC_DOWNLOAD")
        assert.lengthOf(jobs, 3)
        const { logins, overlaps } = yield* pad.stats
        assert.deepStrictEqual([logins, overlaps], [1, 0])
      }),
    { timeout: 600_000, ...unless(lacks.networks) }
  )

  it.live(
    "svc-gateway --host 0.0.0.0 -- COMMAND: a name of this host that leads nowhere ends it before the command; a step on a node that cannot reach it says so, and not its token",
    () =>
      Effect.gen(function* () {
        const { account, base, disk, login, pad } = yield* clusterGround(1, 1)
        const gateway = (...args: ReadonlyArray<string>) => [...commandOf("svc-gateway"), ...args] as const
        const options = { cwd: pad.folder, env: { ...base, ...account } }
        // As on a host whose name is not in the DNS.
        const nameless = ["unshare", "-u", "sh", "-c", 'hostname nameless && exec "$@"', "sh"] as const
        const lost = yield* login.run([...nameless, ...gateway("--host", "0.0.0.0", "--", "touch", "ran")], options)
        assert.strictEqual(lost.exitCode, 64, lost.stderr)
        assert.match(lost.stderr, /http:\/\/nameless:\d+ does not lead from this host to the gateway: give --host/)

        // A name that only the first node knows.
        const knowing = `echo "127.0.0.1 here" > "$0" && mount --bind "$0" /etc/hosts && exec "$@"`
        const here = ["unshare", "-m", "sh", "-c", knowing, join(disk, "hosts")] as const
        const address = ["--host", "0.0.0.0", "--port", "8080", "--publicUrl", "http://here:8080"]
        const job = `echo "token=$SVC_TOKEN"; exec sbatch --wait --nodelist node2 --output out --wrap "svc-download -a B1 -d ."`
        const away = yield* login.run([...here, ...gateway(...address, "--", "sh", "-c", job)], options)
        assert.strictEqual(away.exitCode, 69, away.stderr)
        const said = readFileSync(join(pad.folder, "out"), "utf8")
        assert.match(said, /here/)
        assert.match(said, /its address is from SVC_TARGET, the token from SVC_TOKEN/)
        const token = /^token=(.+)$/m.exec(away.stdout)?.[1] ?? assert.fail(away.stdout)
        assert.notInclude(said, token)
        const { logins, logouts } = yield* pad.stats
        assert.deepStrictEqual([logins, logouts], [2, 2])
      }),
    { timeout: 600_000, ...unless(lacks.networks) }
  )
})
