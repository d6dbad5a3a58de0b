/** The ways in which the jobs of a cluster share an account, each with the same steps on the same nodes. */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import type { Stats } from "../../../sandbox/Stats.ts"
import { commandOf, startServer } from "../../Executables.ts"
import { fault } from "../../SandboxFaults.ts"
import { folder } from "../Ground.ts"
import { filesBelow } from "../nextflow/Nextflow.ts"
import { scattered } from "../nextflow/Scattered.ts"
import { startCluster } from "./Cluster.ts"

export const ways = ["lock", "command", "standing"] as const
export type Way = (typeof ways)[number]

/** Of the standing gateway. */
const token = "of-the-cluster-0123456789"

/** Four kinds of steps: whole files, regions, annotations, a question. A node keeps nothing of the account, nor of another node. */
const task = (disk: string, results: string) => `#!/bin/bash
export HOME="${disk}/$SLURM_ARRAY_JOB_ID/$SLURM_ARRAY_TASK_ID"
export TMPDIR="$HOME/tmp"
mkdir -p "$TMPDIR" && cd "$HOME" || exit
id="B$SLURM_ARRAY_TASK_ID"
case $((SLURM_ARRAY_TASK_ID % 4)) in
  0) svc-fetch-annotations "$id" --format tsv --output rows.tsv ;;
  1) svc-download -a "$id" -f bam,bam.bai -d . ;;
  2) svc-download -a "$id" -f bam -g chr1:1-20000 -d . ;;
  3) svc-api get-file-download-links "$id" > links.json ;;
esac
code=$?
# What a step has on its node: files, and what it knows of the account.
{ echo "$SLURMD_NODENAME $code $(env | grep -o '^SVC_[A-Z_]*' | sort | tr '\\n' ' ')"
  sha256sum -- *.bam *.bai *.tsv 2> /dev/null; } > "${results}/$SLURM_ARRAY_TASK_ID"
exit $code
`

export interface Outcome {
  readonly way: Way
  readonly exitCode: number
  /** Until the last step was done. */
  readonly seconds: number
  readonly stats: Stats
  /** By node: the steps that ended well on it. */
  readonly done: ReadonlyMap<string, number>
  /** The digests of the whole files and of the regions that came. */
  readonly digests: ReadonlySet<string>
  /** What steps found in their environment. */
  readonly variables: ReadonlySet<string>
  /** What they said. */
  readonly logs: string
  /** What the gateway or sbatch said. */
  readonly said: string
}

/**
 * A cluster of two nodes before a strict sandbox.
 *
 * @param cpus - steps at once on each node
 * @param latency - what the service needs for each answer, in ms
 */
export const clusterGround = Effect.fnUntraced(function* (steps: number, cpus: number, latency = 0) {
  const cluster = yield* startCluster(cpus, ["node1", "node2"])
  const { disk, login, outside } = cluster
  const pad = yield* scattered(steps, ["--host", outside])
  const { SVC_LOCK_DIR = "", PATH = "", SVC_PASSWORD = "", SVC_TARGET = "", SVC_USER = "" } = pad.env
  const account = { SVC_TARGET, SVC_USER, SVC_PASSWORD }
  const base = { ...cluster.env, PATH, TMPDIR: disk }

  const standing = Effect.gen(function* () {
    const tokens = join(yield* folder, "tokens")
    writeFileSync(tokens, `cluster ${token}\n`, { mode: 0o600 })
    const words = [...commandOf("svc-gateway"), "--host", "0.0.0.0", "--tokenFile", tokens, "--api"] as const
    const { value } = yield* startServer(
      ...login.on(words),
      (line) => (line.startsWith('{"url"') ? new URL(JSON.parse(line).url).port : undefined),
      { env: { ...base, ...account } }
    )
    return { SVC_TARGET: `http://${login.name}:${value}/service`, SVC_TOKEN: token }
  })

  /** All steps in one of the ways, on an idle cluster. */
  const run = (way: Way) =>
    Effect.gen(function* () {
      yield* Effect.promise(() => fetch(`${pad.sandbox.url}/__sandbox/reset`, { method: "POST" }))
      yield* pad.faults(latency === 0 ? [] : [fault({ plane: "api" }, { delay: latency })])
      const results = yield* folder
      const logs = join(results, "logs")
      mkdirSync(logs)
      const script = pad.write(`${way}.sh`, task(disk, results))
      const env = { ...base, ...(way === "standing" ? yield* standing : account) }
      const own = way === "lock" ? { SVC_LOCK_DIR } : {}
      const before = Date.now()
      const array = ["--wait", "--array", `1-${steps}`, "--mem", "100", "--output", join(logs, "%a"), script] as const
      const gateway = [...commandOf("svc-gateway"), "--host", "0.0.0.0", "--"] as const
      const words = way === "command" ? ([...gateway, "sbatch", ...array] as const) : (["sbatch", ...array] as const)
      const { exitCode, stderr } = yield* login.run(words, {
        cwd: pad.folder,
        env: { ...env, ...own }
      })
      // sbatch looks every ten seconds whether they have ended.
      let ended = before
      const done = new Map<string, number>()
      const [digests, variables] = [new Set<string>(), new Set<string>()]
      for (const id of pad.ids.map((each) => each.slice(1)).filter((each) => existsSync(join(results, each)))) {
        ended = Math.max(ended, statSync(join(results, id)).mtimeMs)
        const [first = "", ...sums] = readFileSync(join(results, id), "utf8").trim().split("\n")
        const [node = "", code, ...names] = first.split(" ")
        if (code === "0") done.set(node, (done.get(node) ?? 0) + 1)
        for (const sum of sums) digests.add(sum.split(" ")[0] ?? "")
        for (const name of names) if (name !== "") variables.add(name)
      }
      const said = filesBelow(logs).map((name) => readFileSync(join(logs, name), "utf8"))
      const stats = yield* pad.stats
      const seconds = (ended - before) / 1000
      return {
        way,
        exitCode,
        seconds,
        stats,
        done,
        digests,
        variables,
        logs: said.join("\n"),
        said: stderr
      } satisfies Outcome
    }).pipe(Effect.scoped)

  return { ...cluster, account, base, pad, run }
})
