/** Beyond one machine's processes: every task is a job of a real Slurm, through one gateway. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { runCommand } from "../../Executables.ts"
import { startGateway } from "../../GatewayGround.ts"
import { allTypes, download } from "../Download.ts"
import { folder, sha256 } from "../Ground.ts"
import { filesBelow } from "../nextflow/Nextflow.ts"
import { scattered } from "../nextflow/Scattered.ts"
import { cluster } from "./Cluster.ts"

describe("on Slurm", () => {
  it.live(
    "S7 24 tasks on two nodes that share no folder, through one gateway: a token is all they have, one login, no overlap, each file whole",
    () =>
      Effect.gen(function* () {
        const nodes = ["node1", "node2"]
        const slurm = yield* cluster(8, nodes)
        const pad = yield* scattered(24)
        const [original, disks] = [yield* folder, yield* folder]
        const token = "of-the-cluster-0123456789"
        const tokenFile = join(yield* folder, "tokens")
        writeFileSync(tokenFile, `cluster ${token}\n`, { mode: 0o600 })
        const gateway = yield* startGateway(pad.sandbox, ["--tokenFile", tokenFile, "--api"])
        // Of its own node alone: home, temporary files, results; and nothing of the account.
        const script = pad.write(
          "task.sh",
          `#!/bin/bash
cd "${disks}" && mkdir -p "$SLURMD_NODENAME/home" "$SLURMD_NODENAME/tmp" && cd "$SLURMD_NODENAME"
exec env -u SVC_LOCK_DIR -u SVC_USER -u SVC_PASSWORD HOME="$PWD/home" TMPDIR="$PWD/tmp" svc-download -a "B$SLURM_ARRAY_TASK_ID" -f bam,bam.bai -d "$PWD"
`
        )
        const env = { ...slurm, PATH: pad.env["PATH"] ?? "", SVC_TARGET: `${gateway.url}/service`, SVC_TOKEN: token }
        const args = ["--wait", "--array", "1-24", "--mem", "100", "--output", join(pad.folder, "task-%a.log"), script]
        const submitted = yield* runCommand("sbatch", args, { cwd: pad.folder, env })
        const logs = () =>
          pad.ids.map((id) => readFileSync(join(pad.folder, `task-${id.slice(1)}.log`), "utf8")).join("\n")
        assert.strictEqual(submitted.exitCode, 0, submitted.stderr + logs())
        const { logins, maxApiInFlight, overlaps } = yield* pad.stats
        assert.deepStrictEqual([logins, maxApiInFlight, overlaps], [1, 1, 0])
        const made = nodes.map((node) => filesBelow(join(disks, node)).filter((name) => name.endsWith(".bam")))
        for (const names of made) assert.isAbove(names.length, 0)
        assert.deepStrictEqual(made.flat().toSorted(), pad.ids.map((id) => `${id}.bam`).toSorted())
        assert.strictEqual(
          (yield* download(pad.sandbox, pad.sandbox.url, ["-a", "A1", ...allTypes, "-d", original])).exitCode,
          0
        )
        const whole = sha256(join(original, "S1.bam"))
        for (const [at, names] of made.entries())
          for (const name of names) assert.strictEqual(sha256(join(disks, nodes[at] ?? "", name)), whole, name)
        assert.notInclude(logs(), token)
      }),
    600_000
  )
})
