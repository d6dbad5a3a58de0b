/** A Slurm of one node or more on this machine: real daemons with ports, key and folders of their own, which end with the scope. */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { hostname, userInfo } from "node:os"
import { join } from "node:path"
import { Effect, Schedule } from "effect"
import { runCommand, startServer } from "../../Executables.ts"
import { quietPort } from "../../Ports.ts"
import { socketFolder } from "../Ground.ts"

interface Node {
  readonly name: string
  readonly port: number
}

/** Paths must be written out, but for the name of the node. It announces more processors than it has, which `config_overrides` permits. */
const configuration = (home: string, port: number, nodes: ReadonlyArray<Node>, cpus: number) => {
  const user = userInfo().username
  return `ClusterName=local
SlurmctldHost=${hostname()}
SlurmctldPort=${port}
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
${nodes.map(({ name, port: own }) => `NodeName=${name} NodeHostname=${hostname()} Port=${own} CPUs=${cpus} RealMemory=${cpus * 1024} State=UNKNOWN`).join("\n")}
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
`
}

/** A cluster whose nodes run `cpus` tasks each at a time; gives the environment in which `sbatch` and the others find it. */
export const cluster = Effect.fnUntraced(function* (cpus: number, names: ReadonlyArray<string> = ["node1"]) {
  const home = yield* socketFolder
  // Slurm and munge read and write as whoever submits.
  chmodSync(home, 0o755)
  for (const name of ["state", ...names.map((node) => `spool.${node}`)]) mkdirSync(join(home, name))
  writeFileSync(join(home, "munge.key"), crypto.getRandomValues(new Uint8Array(128)), { mode: 0o600 })
  const nodes = yield* Effect.forEach(names, (name) => Effect.map(quietPort, (port) => ({ name, port })))
  writeFileSync(join(home, "slurm.conf"), configuration(home, yield* quietPort, nodes, cpus))
  const env = { SLURM_CONF: join(home, "slurm.conf") }
  const daemon = (command: string, args: ReadonlyArray<string>, ready: RegExp) =>
    Effect.map(
      startServer(command, args, (line) => (ready.test(line) ? true : undefined), { env }),
      ({ server }) => server
    )
  const own = [
    ["socket", "socket"],
    ["key-file", "key"],
    ["pid-file", "pid"],
    ["seed-file", "seed"]
  ]
  const munge = own.map(([option, name]) => `--${option}=${home}/munge.${name}`)
  yield* daemon("munged", ["--foreground", "--force", ...munge], /work threads/)
  const controller = yield* daemon("slurmctld", ["-D"], /started on cluster/)
  const workers = yield* Effect.forEach(names, (name) => daemon("slurmd", ["-D", "-N", name], /slurmd started/))
  yield* Effect.addFinalizer(() => runCommand("scancel", ["--full", "--user", userInfo().username], { env }))
  yield* Effect.map(runCommand("sinfo", ["-h", "-o", "%T"], { env }), ({ stdout }) => stdout.trim()).pipe(
    Effect.filterOrFail(
      (state) => state === "idle",
      (state) =>
        [`Slurm's nodes are "${state}"`, ...controller.lines, ...workers.flatMap(({ lines }) => lines)].join("\n")
    ),
    Effect.retry(Schedule.spaced("200 millis").pipe(Schedule.upTo({ duration: "2 minutes" }))),
    Effect.mapError((message) => new Error(message)),
    Effect.orDie
  )
  return env
})
