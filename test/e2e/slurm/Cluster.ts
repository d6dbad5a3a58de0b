/** A Slurm of several nodes: real daemons with a key and folders of their own, which end with the scope. */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { userInfo } from "node:os"
import { join } from "node:path"
import { Effect, Schedule } from "effect"
import { startServer } from "../../Executables.ts"
import { socketFolder } from "../Ground.ts"
import { type Node, startNodes } from "./Nodes.ts"

/** Paths must be written out, but for the name of the node. It announces more processors than it has, which `config_overrides` permits. */
const configuration = (home: string, nodes: ReadonlyArray<Node>, cpus: number) => {
  const user = userInfo().username
  return `ClusterName=local
SlurmctldHost=${nodes.map(({ address, name }) => `${name}(${address})`)[0]}
AuthType=auth/munge
AuthInfo=socket=${home}/munge.socket
SlurmUser=${user}
SlurmdUser=${user}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
StateSaveLocation=${home}/state
SlurmdSpoolDir=${home}/spool.%n
SlurmctldPidFile=${home}/slurmctld.pid
SlurmdPidFile=${home}/slurmd.%n.pid
ReturnToService=2
MpiDefault=none
SlurmdParameters=config_overrides
${nodes.map(({ address, name }) => `NodeName=${name} NodeAddr=${address} CPUs=${cpus} RealMemory=${cpus * 1024} State=UNKNOWN`).join("\n")}
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
`
}

/**
 * A cluster whose nodes run `cpus` tasks each at a time, the first of them the one where users log in; `env` is where `sbatch` and the
 * others find it. What is outside of `disk` is shared.
 */
export const startCluster = Effect.fnUntraced(function* (
  cpus: number,
  names: readonly [string, ...ReadonlyArray<string>]
) {
  const home = yield* socketFolder
  // Slurm and munge read and write as whoever submits.
  chmodSync(home, 0o755)
  for (const name of ["state", ...names.map((node) => `spool.${node}`)]) mkdirSync(join(home, name))
  writeFileSync(join(home, "munge.key"), crypto.getRandomValues(new Uint8Array(128)), { mode: 0o600 })
  const { disk, nodes, outside } = yield* startNodes(names)
  const [login] = nodes
  if (login === undefined) return yield* Effect.die("a cluster has a node")
  writeFileSync(join(home, "slurm.conf"), configuration(home, nodes, cpus))
  const env = { SLURM_CONF: join(home, "slurm.conf") }
  const daemon = ({ on }: Node, command: string, args: ReadonlyArray<string>, ready: RegExp) =>
    Effect.map(
      startServer(...on([command, ...args]), (line) => (ready.test(line) ? true : undefined), { env }),
      ({ server }) => server
    )
  const own = [
    ["socket", "socket"],
    ["key-file", "key"],
    ["pid-file", "pid"],
    ["seed-file", "seed"]
  ]
  const munge = own.map(([option, name]) => `--${option}=${home}/munge.${name}`)
  yield* daemon(login, "munged", ["--foreground", "--force", ...munge], /work threads/)
  const controller = yield* daemon(login, "slurmctld", ["-D"], /started on cluster/)
  const workers = yield* Effect.forEach(nodes, (node) =>
    daemon(node, "slurmd", ["-D", "-N", node.name], /slurmd started/)
  )
  yield* Effect.addFinalizer(() => login.run(["scancel", "--full", "--user", userInfo().username], { env }))
  yield* Effect.map(login.run(["sinfo", "-h", "-o", "%T"], { env }), ({ stdout }) => stdout.trim()).pipe(
    Effect.filterOrFail(
      (state) => state === "idle",
      (state) =>
        [`Slurm's nodes are "${state}"`, ...controller.lines, ...workers.flatMap(({ lines }) => lines)].join("\n")
    ),
    Effect.retry(Schedule.spaced("200 millis").pipe(Schedule.upTo({ duration: "2 minutes" }))),
    Effect.mapError((message) => new Error(message)),
    Effect.orDie
  )
  return { disk, env, login, nodes, outside }
})
