/** Links first, beyond one machine's processes: every task is a job of a real Slurm. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { delivered, documentedOnSlurm, scattered, secret } from "../nextflow/Scattered.ts"
import { cluster } from "./Cluster.ts"

// In the profile, as Nextflow wants every configuration file to know it. A cluster for itself may be asked more often.
const impatient = `profiles {
    slurm {
        executor {
            pollInterval      = '1s'
            queueStatInterval = '2s'
        }
    }
}
`

describe("on Slurm", () => {
  it.live(
    "S7 50 analyses come with exactly one login, one API request at a time, all of them whole",
    () =>
      Effect.gen(function* () {
        const slurm = yield* cluster(8)
        const pad = yield* scattered(50)
        const config = pad.write("slurm.config", impatient)
        const run = yield* pad.run("main.nf", ["-c", config, ...documentedOnSlurm], slurm)
        assert.strictEqual(run.exitCode, 0, run.stdout + run.stderr)
        assert.strictEqual(run.tasks.length, 51, run.stdout + run.stderr)
        // Numbers of processes on this machine would not tell a job of Slurm from a child of Nextflow.
        assert.match(run.log, /\[SLURM\] submitted process SVC_TRANSFER \(row-B50\) > jobId: \d+/)
        const { cookiesSeenByLinkHost, logins, maxApiInFlight, overlaps } = yield* pad.stats
        assert.deepStrictEqual([logins, maxApiInFlight, overlaps, cookiesSeenByLinkHost], [1, 1, 0, 0])
        delivered(pad, "results")
        secret(pad, run)
      }),
    600_000
  )
})
