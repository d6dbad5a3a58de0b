/** The image, and containers of it, by buildah, podman and runc; everything they make is below `.e2e/image`. */
import { readFileSync } from "node:fs"
import { Data, Effect, Schedule, Schema } from "effect"
import { type Outcome, runCommand, SandboxReady } from "../../Executables.ts"
import { root } from "../../Root.ts"

const ground = `${root}.e2e/image`
/** Where the engines keep what they make. */
export const engine = {
  CONTAINERS_STORAGE_CONF: `${ground}/storage.conf`,
  CONTAINERS_CONF: `${ground}/containers.conf`,
  TMPDIR: `${ground}/tmp`
}

export const image = "org/svc-steps"

/** The image below ours, without the digest, which the stand-in of base.sh cannot have. */
const base = /^ARG DEBIAN_IMAGE=([^@\n]+)/m.exec(readFileSync(`${root}containers/Dockerfile`, "utf8"))?.[1] ?? ""

/** Why no image can be built and run here, or null. */
export const impossible = Effect.gen(function* () {
  if (process.getuid?.() !== 0) return "the engines of these tests need root"
  for (const tool of ["podman", "buildah", "runc"]) {
    const { exitCode } = yield* runCommand("sh", ["-c", `command -v ${tool}`])
    if (exitCode !== 0) return `${tool} is missing: npm run setup:e2e`
  }
  const { exitCode, stderr } = yield* podman(["image", "inspect", base])
  return exitCode === 0 ? null : `there is no image ${base} here (${stderr.trim()}): npm run setup:e2e`
})

export const podman = (args: ReadonlyArray<string>, input?: string) =>
  runCommand("podman", args, { env: engine, ...(input === undefined ? {} : { input }) })

const locally = [
  "--isolation",
  "chroot",
  "--pull-never",
  "--layers",
  "--force-rm",
  "--build-arg",
  `DEBIAN_IMAGE=${base}`
]

/** As a user builds it. */
export const build = Effect.suspend(() => {
  const env = { ...engine, CONTAINER_ENGINE: "buildah", IMAGE: image }
  return runCommand(`${root}containers/build.sh`, locally, { env })
})

/** Of the Dockerfile alone. */
export const buildah = (args: ReadonlyArray<string>) =>
  runCommand("buildah", ["build", ...locally, ...args], { env: engine, cwd: root })

/** Ends and removes what a test has left, and unmounts the store; a test that was interrupted may leave some. */
export const removeAll = Effect.gen(function* () {
  yield* podman(["rm", "--all", "--force", "--time", "1"])
  yield* runCommand("buildah", ["rm", "--all"], { env: engine })
  yield* runCommand("umount", [`${ground}/store/overlay`])
})

/** A container to its end: options of `podman run`, then the words after the image's name. */
export const run = (options: ReadonlyArray<string>, words: ReadonlyArray<string>, input?: string) =>
  podman(["run", "--rm", ...(input === undefined ? [] : ["-i"]), ...options, image, ...words], input)

/** Somebody whom no file of the image knows, on a root that cannot be written, with nothing that is not needed. */
export const stranger = [
  ...["--user", "12345:12345", "--passwd=false", "--read-only", "--read-only-tmpfs=false"],
  ...["--cap-drop", "all", "--security-opt", "no-new-privileges", "--env", "HOME=/nonexistent"]
]

class NotYet extends Data.TaggedError("NotYet")<{ readonly seen: string }> {
  override get message() {
    return `never seen: ${this.seen}`
  }
}

/** Looks until it sees something, for two minutes at most. */
export const seen = <A>(look: Effect.Effect<A | undefined>, what: string) =>
  look.pipe(
    Effect.flatMap((value) => (value === undefined ? new NotYet({ seen: what }) : Effect.succeed(value))),
    Effect.retry(Schedule.spaced("200 millis").pipe(Schedule.upTo({ duration: "2 minutes" }))),
    Effect.orDie
  )

/** A container that runs until the scope closes; its id. */
export const start = (options: ReadonlyArray<string>, words: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.flatMap(podman(["run", "--detach", ...options, image, ...words]), ({ exitCode, stderr, stdout }) =>
      exitCode === 0 ? Effect.succeed(stdout.trim()) : Effect.die(new Error(stderr))
    ),
    (id) => podman(["rm", "--force", "--time", "10", id])
  )

/** Its exit code, and what it has said, when it has ended. */
export const ended = Effect.fnUntraced(function* (id: string) {
  const { stdout } = yield* podman(["wait", id])
  const said = yield* podman(["logs", id])
  return { ...said, exitCode: Number(stdout) } satisfies Outcome
})

const isReady = (line: string) => line.startsWith('{"url"')

/** The line that a sandbox prints when it is ready, as soon as it has. */
export const ready = (id: string) => Effect.map(podman(["logs", id]), ({ stdout }) => stdout.split("\n").find(isReady))

/** The sandbox in a container, on the network of this machine. */
export const startSandbox = Effect.fnUntraced(function* (
  args: ReadonlyArray<string>,
  options: ReadonlyArray<string> = []
) {
  const id = yield* start(["--network", "host", ...stranger, ...options], ["sandbox", ...args])
  const line = yield* seen(ready(id), "the line of a ready sandbox")
  return { ...(yield* Schema.decodeEffect(SandboxReady)(line)), id }
})

/** An empty volume of the engine's own, until the scope closes; its name. */
export const volume = Effect.acquireRelease(
  Effect.map(podman(["volume", "create"]), ({ stdout }) => stdout.trim()),
  (name) => podman(["volume", "rm", "--force", name])
)
