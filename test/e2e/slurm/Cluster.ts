/** A Slurm of one node on this machine: real daemons with ports, key and folders of their own, which end with the scope. */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { hostname, userInfo } from "node:os"
import { join } from "node:path"
import { Effect, Schedule } from "effect"
import { runCommand, startServer } from "../../Executables.ts"
import { quietPort } from "../../Ports.ts"
import { socketFolder } from "../Ground.ts"

/** Paths must be written out. The node announces more processors than it has, which `config_overrides` permits. */
const configuration = (home: string, node: string, ports: readonly [number, number], cpus: number) => {
  const user = userInfo().username
  return `ClusterName=local
SlurmctldHost=${node}
SlurmctldPort=${ports[0]}
SlurmdPort=${ports[1]}
AuthType=auth/munge
AuthInfo=socket=${home}/munge.socket
SlurmUser=${user}
SlurmdUser=${user}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
StateSaveLocation=${home}/state
SlurmdSpoolDir=${home}/spool
SlurmctldPidFile=${home}/slurmctld.pid
SlurmdPidFile=${home}/slurmd.pid
ReturnToService=2
MpiDefault=none
SlurmdParameters=config_overrides
NodeName=${node} CPUs=${cpus} RealMemory=${cpus * 1024} State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
`
}

/** A cluster that runs `cpus` tasks at a time; gives the environment in which `sbatch` and the others find it. */
export const cluster = Effect.fnUntraced(function* (cpus: number) {
  const home = yield* socketFolder
  // Slurm and munge read and write as whoever submits.
  chmodSync(home, 0o755)
  for (const name of ["state", "spool"]) mkdirSync(join(home, name))
  writeFileSync(join(home, "munge.key"), crypto.getRandomValues(new Uint8Array(128)), { mode: 0o600 })
  writeFileSync(join(home, "slurm.conf"), configuration(home, hostname(), [yield* quietPort, yield* quietPort], cpus))
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
  const worker = yield* daemon("slurmd", ["-D"], /slurmd started/)
  yield* Effect.addFinalizer(() => runCommand("scancel", ["--full", "--user", userInfo().username], { env }))
  yield* Effect.map(runCommand("sinfo", ["-h", "-o", "%T"], { env }), ({ stdout }) => stdout.trim()).pipe(
    Effect.filterOrFail(
      (state) => state === "idle",
      (state) => [`Slurm's node on this machine is "${state}"`, ...controller.lines, ...worker.lines].join("\n")
    ),
    Effect.retry(Schedule.spaced("200 millis").pipe(Schedule.upTo({ duration: "2 minutes" }))),
    Effect.mapError((message) => new Error(message)),
    Effect.orDie
  )
  return env
})
