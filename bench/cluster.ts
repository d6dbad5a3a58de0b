/**
 * `npm run bench:cluster`: the steps of two nodes of a real Slurm in each of the ways in which they can share an account, one after the other.
 *
 * Prints the table that stands in bench/README.md. Arguments: steps (default 64), at once on a node (default 8), what
 * the service needs for an answer, in ms (default 200). Needs root, Slurm and munge.
 */
import { loadavg } from "node:os"
import { Effect } from "effect"
import { clusterGround, ways } from "../test/e2e/slurm/Ways.ts"

const [steps = 64, cpus = 8, latency = 200] = process.argv.slice(2).map(Number)

const program = Effect.gen(function* () {
  const { run } = yield* clusterGround(steps, cpus, latency)
  console.log(
    `${steps} steps on two nodes, ${cpus} at once on each, ${latency} ms for an answer; load ${loadavg()[0]?.toFixed(1)}\n`
  )
  console.log("| way | wall s | of the lock | logins | overlaps | steps done |\n|---|---|---|---|---|---|")
  let first: number | undefined
  for (const way of ways) {
    const { done, seconds, stats, exitCode, logs, said } = yield* run(way)
    first ??= seconds
    const count = [...done.values()].reduce((sum, each) => sum + each, 0)
    const cells = [way, seconds.toFixed(1), (seconds / first).toFixed(2), stats.logins, stats.overlaps, count]
    console.log(`| ${cells.join(" | ")} |`)
    if (exitCode !== 0) console.error(said, logs)
  }
  console.log(`\nload at the end ${loadavg()[0]?.toFixed(1)}`)
})

await Effect.runPromise(Effect.scoped(program))
