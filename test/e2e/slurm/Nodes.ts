/**
 * Computers of their own on this machine, as far as programs can tell: each has a network with its own address, a name, and a disk that
 * no other sees; folders outside of that disk are shared, as on a cluster.
 */
import { randomInt } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { type RunOptions, runCommand, startServer } from "../../Executables.ts"
import { folder } from "../Ground.ts"

type Words = readonly [string, ...ReadonlyArray<string>]

export interface Node {
  readonly name: string
  readonly address: string
  /** The command line that runs another one there. */
  readonly on: (words: Words, cwd?: string) => readonly [string, ReadonlyArray<string>]
  /** One to its end. */
  readonly run: (words: Words, options?: RunOptions) => ReturnType<typeof runCommand>
}

const ip = Effect.fnUntraced(function* (...lines: ReadonlyArray<string>) {
  const { exitCode, stderr } = yield* runCommand("ip", ["-batch", "-"], { input: `${lines.join("\n")}\n` })
  if (exitCode !== 0) return yield* Effect.die(new Error(`ip: ${stderr}`))
})

/** Nodes that reach each other by name, and `outside`, an address of the machine of the test, until the scope closes. */
export const startNodes = Effect.fnUntraced(function* (names: ReadonlyArray<string>) {
  const home = yield* folder
  const network = `10.${randomInt(256)}.${randomInt(256)}`
  const bridge = `svc${randomInt(1_000_000)}`
  const outside = `${network}.1`
  const addressOf = (at: number) => `${network}.${at + 2}`
  const hosts = join(home, "hosts")
  const lines = names.map((name, at) => `${addressOf(at)} ${name}`)
  writeFileSync(hosts, ["127.0.0.1 localhost", ...lines, ""].join("\n"))
  /** The disk of a node, at the same path on each. */
  const disk = yield* folder
  yield* Effect.acquireRelease(
    ip(`link add ${bridge} type bridge`, `address add ${outside}/24 dev ${bridge}`, `link set ${bridge} up`),
    () => ip(`link delete ${bridge}`)
  )
  const nodes = yield* Effect.forEach(names, (name, at) =>
    Effect.gen(function* () {
      const script = `hostname ${name} && mount --bind ${hosts} /etc/hosts && mount -t tmpfs none ${disk} && echo up && exec sleep infinity`
      const { server } = yield* startServer("unshare", ["-m", "-n", "-u", "sh", "-c", script], (line) =>
        line === "up" ? true : undefined
      )
      const pid = String(server.pid)
      const link = `${bridge}n${at}`
      yield* ip(`link add ${link} type veth peer name eth0 netns ${pid}`, `link set ${link} master ${bridge} up`)
      const on: Node["on"] = ([command, ...args], cwd = "/") => [
        "nsenter",
        ["-t", pid, "-m", "-n", "-u", `--wdns=${cwd}`, "--", command, ...args]
      ]
      const run: Node["run"] = (words, options) => runCommand(...on(words, options?.cwd), options)
      const own = ["link set lo up", `address add ${addressOf(at)}/24 dev eth0`, "link set eth0 up"]
      for (const line of own) {
        const { exitCode, stderr } = yield* run(["ip", ...line.split(" ")])
        if (exitCode !== 0) return yield* Effect.die(new Error(`${name}: ip ${line}: ${stderr}`))
      }
      return { name, address: addressOf(at), on, run } satisfies Node
    })
  )
  return { disk, nodes, outside }
})
