/** The container image: built as a user builds it, run as engines and people run it. */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { runCommand } from "../Executables.ts"
import { inCi, unless } from "../Lacks.ts"
import { root } from "../Root.ts"
import { lingering, setFaults } from "../SandboxFaults.ts"
import { partHasBytes, type Service, stats } from "./Download.ts"
import { folder } from "./Ground.ts"
import * as Container from "./image/Container.ts"
import { pageScripts } from "./Pages.ts"

const { homepage, repository, version } = JSON.parse(readFileSync(`${root}package.json`, "utf8"))
const patience = 600_000
const why = await Effect.runPromise(Container.impossible)

/** A folder of this machine that any user of a container may write to. */
const openFolder = Effect.tap(folder, (path) => Effect.sync(() => chmodSync(path, 0o777)))

/** A file that any user of a container may read, whatever the umask of who runs the tests. */
const writeOpen = (path: string, content: string) => {
  writeFileSync(path, content)
  chmodSync(path, 0o644)
}

const account = ({ password, url, user }: Service) =>
  Object.entries({ SVC_TARGET: url, SVC_USER: user, SVC_PASSWORD: password }).flatMap(([name, value]) => [
    "--env",
    `${name}=${value}`
  ])

/** On the network of this machine, working in `path`. */
const at = (path: string) => ["--network", "host", "--volume", `${path}:/w`, "--workdir", "/w"]

/** The first document of a file. */
const yamlOf = Effect.fnUntraced(function* (path: string) {
  const program = "import json, sys, yaml; print(json.dumps(next(yaml.safe_load_all(open(sys.argv[1])))))"
  const { exitCode, stderr, stdout } = yield* runCommand(`${root}.e2e/python/bin/python3`, ["-c", program, root + path])
  assert.strictEqual(exitCode, 0, stderr)
  return JSON.parse(stdout)
})

/** The variables of a manifest that do not come from a secret. */
const valuesOf = (env: ReadonlyArray<{ readonly name: string; readonly value?: string }>) =>
  Object.fromEntries(env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])))

/** One script with the image's bash, for what needs no container of its own. */
const script = (options: ReadonlyArray<string>, text: string) =>
  Container.run(["--entrypoint", "/bin/bash", ...options], ["-c", text])

const Inspected = Schema.fromJsonString(
  Schema.Tuple([
    Schema.Struct({
      Config: Schema.Struct({
        User: Schema.String,
        Env: Schema.Array(Schema.String),
        Labels: Schema.Record(Schema.String, Schema.String)
      })
    })
  ])
)

const lack = why === null || inCi ? null : `what builds and runs the image: ${why}`

describe("the image", unless(lack), () => {
  beforeAll(async () => {
    if (why !== null) throw new Error(`The image cannot be built and run here: ${why}`)
    const { exitCode, stderr, stdout } = await Effect.runPromise(Container.build)
    if (exitCode !== 0) throw new Error(`The image cannot be built here:\n${stdout}\n${stderr}`)
  }, 900_000)
  afterAll(() => Effect.runPromise(Container.removeAll), patience)

  it.live(
    "has the version of package.json as label and as tag, and what was needed to build it is not in it",
    () =>
      Effect.gen(function* () {
        const { stdout } = yield* Container.podman(["image", "inspect", `${Container.image}:${version}`])
        const [{ Config }] = Schema.decodeSync(Inspected)(stdout)
        assert.strictEqual(Config.User, "1000:1000")
        const label = (name: string) => Config.Labels[`org.opencontainers.image.${name}`]
        assert.strictEqual(label("version"), version)
        assert.match(label("revision") ?? "", /^[0-9a-f]{40}$/)
        assert.deepStrictEqual([label("title"), label("licenses")], ["svc-steps", "MIT"])
        assert.deepStrictEqual([label("url"), `git+${label("source")}.git`], [homepage, repository.url])
        assert.strictEqual(label("documentation"), `${label("source")}/blob/v${version}/docs/image.md`)
        assert.match(label("created") ?? "", /^20\d\d-\d\d-\d\dT[\d:.]+Z$/)
        const left = "find /root /run /mnt /src /image /tmp /var/lib/apt/lists -type f -size +0; ls /opt/svc"
        const files = yield* script(["--user", "0"], left)
        const names = files.stdout.trim().split("\n")
        assert.deepStrictEqual(
          names.filter((name) => name.startsWith("/") && !/\/\.(?:bashrc|profile)$/.test(name)),
          []
        )
        assert.deepStrictEqual(
          names.filter((name) => /^[^/]*$/.test(name)),
          ["LICENSE", "THIRD-PARTY-LICENSES.txt", "entrypoint", "svc-steps"]
        )
      }),
    patience
  )

  it.live(
    "says its version without a network, and is at most 80 MB to pull",
    () =>
      Effect.gen(function* () {
        const { exitCode, stderr, stdout } = yield* Container.run(["--network", "none"], ["--version"])
        assert.deepStrictEqual({ exitCode, stderr, stdout }, { exitCode: 0, stderr: "", stdout: `${version}\n` })
        const archive = join(yield* folder, "image.tar")
        const saved = yield* Container.podman(["save", "--format", "oci-archive", "--output", archive, Container.image])
        assert.strictEqual(saved.exitCode, 0, saved.stderr)
        const megabytes = statSync(archive).size / 1e6
        console.log(`The image has ${megabytes.toFixed(1)} MB, compressed.`)
        assert.isAtMost(megabytes, 80)
      }),
    patience
  )

  it.live(
    "runs every step by its name, and each executable is on PATH",
    () =>
      Effect.gen(function* () {
        const help = yield* Container.run([], [])
        const steps = [...help.stdout.matchAll(/^ {2}([a-z-]+) {2}/gm)].map(([, name = ""]) => name)
        assert.isAtLeast(steps.length, 9, help.stderr)
        const executables = Object.keys(JSON.parse(readFileSync(`${root}package.json`, "utf8")).bin)
        const calls = [...steps.map((name) => `/opt/svc/entrypoint ${name}`), ...executables]
        const { stdout, stderr } = yield* script(
          Container.stranger,
          calls.map((call) => `echo "${call}: $(${call} --help | head -c 20000 | grep -ci '^usage')"`).join("\n")
        )
        assert.deepStrictEqual(
          stdout.trim().split("\n"),
          calls.map((call) => `${call}: 1`),
          stderr
        )
      }),
    patience
  )

  it.live(
    "a word that is neither a step nor a program is wrong usage, with the step that may be meant",
    () =>
      Effect.gen(function* () {
        const typed = yield* Container.run([], ["fetch-anotations", "A1"])
        assert.strictEqual(typed.exitCode, 64, typed.stderr)
        assert.match(typed.stderr, /^Error: Unknown step fetch-anotations; did you mean fetch-annotations\?\nSee /)
        assert.strictEqual(typed.stdout, "")
        // Words of the shell, nothing at all, and an option in the wrong place.
        const words = [
          "if",
          "cd",
          "''",
          "..",
          "help nothing",
          "--password=CANARY download",
          "svc-nothing",
          "-- download"
        ]
        const each = words.map((word) => `/opt/svc/entrypoint ${word}; echo "$?"`).join("\n")
        const { stdout, stderr } = yield* script([], each)
        assert.deepStrictEqual(
          stdout.trim().split("\n"),
          words.map(() => "64"),
          stderr
        )
        assert.notInclude(stderr, "CANARY")
      }),
    patience
  )

  it.live(
    "everything else is run as it stands, with the tools that engines count on",
    () =>
      Effect.gen(function* () {
        const shell = yield* Container.run([], ["bash", "-c", "ps -e -o pid= -o args= | head -1; exit 3"])
        assert.strictEqual(shell.exitCode, 3, shell.stderr)
        assert.match(shell.stdout, /^ *1 bash -c/)
        const env = yield* Container.run(["--env", "A=b"], ["env"])
        assert.match(env.stdout, /^A=b$/m)
        assert.notMatch(env.stdout, /npm|registry/i)
        const missing = yield* Container.run([], ["./missing.sh"])
        assert.strictEqual(missing.exitCode, 127, missing.stderr)
        const tools = "awk bash cat cp date env grep head ls mkdir mktemp ps rm sed sort tail tee touch tr"
        const found = yield* script([], `for t in ${tools}; do type -P $t >/dev/null || echo $t; done`)
        assert.strictEqual(found.stdout, "")
      }),
    patience
  )

  it.live(
    "as a workflow engine runs a task: its script as the command, in a folder of the machine",
    () =>
      Effect.gen(function* () {
        const sandbox = yield* Container.startSandbox(["--strict"])
        const work = yield* openFolder
        const task = join(work, "ab", "cdef")
        mkdirSync(task, { recursive: true })
        for (const path of [join(work, "ab"), task]) chmodSync(path, 0o777)
        writeOpen(join(task, ".command.sh"), "#!/bin/bash -ue\nsvc-fetch-annotations A1 > A1.jsonl\n")
        const wrapper = `cd ${task}\n/bin/bash -ue .command.sh >.command.out 2>.command.err\necho -n $? >.exitcode\n`
        writeOpen(join(task, ".command.run"), wrapper)
        const options = [
          "--network",
          "host",
          "-v",
          `${work}:${work}`,
          "-w",
          task,
          "-u",
          "12345:12345",
          ...account(sandbox)
        ]
        const direct = yield* Container.run(options, ["/bin/bash", "-ue", ".command.sh"])
        assert.strictEqual(direct.exitCode, 0, direct.stderr)
        const rows = readFileSync(join(task, "A1.jsonl"), "utf8")
        assert.match(rows, /^\{"analysisId":"A1",/)
        rmSync(join(task, "A1.jsonl"))
        const wrapped = yield* Container.run(
          [...options, "-i", "--entrypoint", "/bin/bash"],
          ["-c", `/bin/bash ${task}/.command.run`]
        )
        assert.strictEqual(wrapped.exitCode, 0, wrapped.stderr)
        assert.strictEqual(readFileSync(join(task, ".exitcode"), "utf8"), "0")
        assert.strictEqual(readFileSync(join(task, "A1.jsonl"), "utf8"), rows)
      }),
    patience
  )

  it.live(
    "a download as a user that no file knows, without a home, on a root that cannot be written",
    () =>
      Effect.gen(function* () {
        const sandbox = yield* Container.startSandbox(["--strict"])
        const data = yield* openFolder
        const options = [...Container.stranger, ...at(data)]
        const who = yield* script(options, "whoami; cd /tmp && touch x; env -u HOME svc-verify --version")
        assert.match(who.stderr, /cannot find name for user ID 12345/)
        assert.match(who.stderr, /'x': Read-only/)
        assert.strictEqual(who.stdout, `${version}\n`)

        const got = yield* Container.run(
          [...options, ...account(sandbox)],
          ["download", "-a", "A1", "-f", "bam,bam.bai,vcf.gz,vcf.gz.tbi", "--reportfile", "report.json"]
        )
        assert.strictEqual(got.exitCode, 0, got.stderr)
        assert.match(
          got.stderr,
          /The lock folder \/var\/tmp\/svc-steps-12345 cannot be used \(EROFS\).*set SVC_LOCK_DIR/
        )
        const names = readdirSync(data).sort()
        assert.deepStrictEqual(names, ["S1.bam", "S1.bam.bai", "S1.vcf.gz", "S1.vcf.gz.tbi", "report.json"])
        for (const name of names) {
          const { gid, uid } = statSync(join(data, name))
          assert.deepStrictEqual({ name, uid, gid }, { name, uid: 12345, gid: 12345 })
        }
        const verified = yield* Container.run(
          [...Container.stranger, "--network", "none", "--volume", `${data}:/w:ro`, "--workdir", "/w"],
          ["verify", "--against", "report.json"]
        )
        assert.strictEqual(verified.exitCode, 0, verified.stdout + verified.stderr)
      }),
    patience
  )

  it.live(
    "P4 SIGTERM in mid-transfer reaches the step: 143, no half file, and the next container goes on",
    () =>
      Effect.gen(function* () {
        const faults = join(yield* openFolder, "faults.json")
        writeOpen(faults, JSON.stringify([{ when: { plane: "link", nth: 1 }, then: { stall: 65_536 } }]))
        const sandbox = yield* Container.startSandbox(["--faults", "/faults.json"], ["-v", `${faults}:/faults.json:ro`])
        const data = yield* openFolder
        const options = [...Container.stranger, ...at(data), ...account(sandbox)]
        const words = ["download", "-a", "A1", "-f", "bam", "--idleTimeout", "10m"]
        const id = yield* Container.start(options, words)
        yield* Container.seen(
          Effect.sync(() => (partHasBytes(data, "S1.bam")() ? true : undefined)),
          "the first bytes of a file"
        )
        const stopped = yield* Container.podman(["stop", "--time", "120", id])
        assert.strictEqual(stopped.exitCode, 0, stopped.stderr)
        const { exitCode, stderr } = yield* Container.ended(id)
        assert.strictEqual(exitCode, 143, stderr)
        assert.match(stderr, /Stopped by SIGTERM/)
        assert.isFalse(existsSync(join(data, "S1.bam")))

        const again = yield* Container.run(options, words)
        assert.strictEqual(again.exitCode, 0, again.stderr)
        assert.deepStrictEqual(readdirSync(data), ["S1.bam"])
      }),
    patience
  )

  it.live(
    "S7 containers that share a lock folder take turns with one account",
    () =>
      Effect.gen(function* () {
        const sandbox = yield* Container.startSandbox(["--strict"])
        yield* setFaults(sandbox.url, [lingering(3000)])
        const [locks, data] = [yield* openFolder, yield* openFolder]
        const options = [...Container.stranger, ...at(data), "-v", `${locks}:/locks`, "--env", "SVC_LOCK_DIR=/locks"]
        const outcomes = yield* Effect.forEach(
          ["A1", "A2"],
          (id) => Container.run([...options, ...account(sandbox)], ["download", "-a", id]),
          { concurrency: "unbounded" }
        )
        for (const { exitCode, stderr } of outcomes) assert.strictEqual(exitCode, 0, stderr)
        const { logins, maxApiInFlight, overlaps } = yield* stats(sandbox)
        assert.deepStrictEqual({ logins, maxApiInFlight, overlaps }, { logins: 2, maxApiInFlight: 1, overlaps: 0 })
        assert.strictEqual(readdirSync(data).length, 4)
      }),
    patience
  )

  it.live(
    "the demo of compose.yaml: a sandbox, and a download that shares its network",
    () =>
      Effect.gen(function* () {
        const file = readFileSync(`${root}containers/compose.yaml`, "utf8")
        const words = (text: string) => text.split(", ").map((word) => word.replaceAll('"', ""))
        const [serve = [], fetch = []] = [...file.matchAll(/command: \[(.+)\]/g)].map(([, list = ""]) => words(list))
        const variables = [...file.matchAll(/\b(SVC_[A-Z]+): "?([^",} ]+)/g)].flatMap(([, name, value]) => [
          "--env",
          `${name}=${value}`
        ])
        assert.deepStrictEqual([serve[0], fetch[0], variables.length], ["sandbox", "download", 6])
        const id = yield* Container.start(["--network", "none"], serve)
        yield* Container.seen(Container.ready(id), "the line of a ready sandbox")
        const volume = yield* Container.volume
        const data = ["--volume", `${volume}:/data`]
        const got = yield* Container.run(["--network", `container:${id}`, ...variables, ...data], fetch)
        assert.strictEqual(got.exitCode, 0, got.stderr)
        const verified = yield* Container.run(["--network", "none", ...data], ["verify", "."])
        assert.strictEqual(verified.exitCode, 0, verified.stderr)
        assert.match(verified.stderr, /8 files: 8 ok/)
      }),
    patience
  )

  it.live(
    "the gateway as compose file and Kubernetes manifest start it: healthy, read by its token, ends with 0 when it is told to",
    () =>
      Effect.gen(function* () {
        const { services } = yield* yamlOf("containers/gateway-compose.yaml")
        const { spec } = yield* yamlOf("workflows/gateway/deployment.yaml")
        const secrets = yield* folder
        for (const [name, secret] of Object.entries({ token: "an-example-token-0001", password: "not-a-secret" })) {
          writeOpen(join(secrets, name), secret)
        }
        chmodSync(secrets, 0o755)
        const sandbox = yield* Container.start(["--network", "none"], services.sandbox.command)
        yield* Container.seen(Container.ready(sandbox), "the line of a ready sandbox")
        // One network without names, so that the names of compose lead to itself.
        const names = join(yield* folder, "hosts")
        writeOpen(names, "127.0.0.1 localhost sandbox gateway\n")
        const network = ["--network", `container:${sandbox}`, "--no-hosts", "--volume", `${names}:/etc/hosts:ro`]
        const environment = (values: Readonly<Record<string, string>>) =>
          Object.entries(values).flatMap(([name, value]) => ["--env", `${name}=${value}`])
        const [container] = spec.template.spec.containers
        const { runAsGroup, runAsUser } = spec.template.spec.securityContext
        const compose = {
          args: services.gateway.command,
          options: [
            "--volume",
            `${join(secrets, "token")}:/run/secrets/token:ro`,
            ...environment(services.gateway.environment)
          ]
        }
        const kubernetes = {
          args: container.args,
          options: [
            ...["--user", `${runAsUser}:${runAsGroup}`, "--read-only", "--read-only-tmpfs=false", "--cap-drop", "all"],
            ...["--volume", `${secrets}:/secrets:ro`, "--volume", `${yield* openFolder}:/scratch`],
            ...environment({
              ...services.gateway.environment,
              ...valuesOf(container.env),
              SVC_TARGET: "http://sandbox:8080",
              SVC_PASSWORD: ""
            })
          ]
        }
        for (const { args, options } of [compose, kubernetes]) {
          const id = yield* Container.start([...network, ...options], args)
          yield* Container.seen(Container.ready(id), "the line of a ready gateway")
          const [, ...health] = services.gateway.healthcheck.test
          assert.strictEqual((yield* Container.podman(["exec", id, ...health])).exitCode, 0)
          const read = yield* Container.run(network, services.reader.command)
          assert.include(read.stdout, "S1.bam", read.stderr)
          yield* Container.podman(["stop", "--time", "35", id])
          const { exitCode, stderr } = yield* Container.ended(id)
          assert.strictEqual(exitCode, 0, stderr)
          assert.notInclude(stderr, "an-example-token-0001")
        }
      }),
    patience
  )

  it.live(
    "the commands of docs/image.md run as they stand there",
    () =>
      Effect.gen(function* () {
        const sandbox = yield* Container.startSandbox([])
        const cwd = yield* folder
        // The sandbox is on this machine, not on a network of containers.
        const docker =
          '#!/bin/sh\nshift\ncase "$*" in *--network*) ;; *) set -- --network host "$@" ;; esac\nexec podman run "$@"\n'
        writeFileSync(join(cwd, "docker"), docker, { mode: 0o755 })
        const script = pageScripts.find(([page]) => page === "docs/image.md")?.[1] ?? "exit 1"
        writeFileSync(join(cwd, "page.sh"), script)
        const { exitCode, stderr, stdout } = yield* runCommand("bash", ["page.sh"], {
          cwd,
          env: {
            ...Container.engine,
            PATH: `${cwd}:${process.env["PATH"]}`,
            SVC_TARGET: sandbox.url,
            SVC_USER: sandbox.user,
            SVC_PASSWORD: sandbox.password
          }
        })
        assert.strictEqual(exitCode, 0, stderr + stdout)
        assert.include(readdirSync(cwd), "A1.jsonl")
      }),
    patience
  )

  it.live(
    "is not built under another version than that of package.json",
    () =>
      Effect.gen(function* () {
        // The binary is there, from the build of the image.
        const options = ["--file", "containers/Dockerfile", "--target", "files", "--build-arg", "VERSION=9.9.9"]
        const { exitCode, stderr, stdout } = yield* Container.buildah([...options, root])
        assert.notStrictEqual(exitCode, 0)
        assert.include(stdout + stderr, `Build with npm run image, or with --build-arg VERSION=${version}`)
      }),
    patience
  )
})
