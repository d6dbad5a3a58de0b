/** Which engine `npm run image` takes, with engines that write down what they are called with. */
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { runCommand } from "../Executables.ts"
import { folder as temporaryFolder } from "../e2e/Ground.ts"
import { root } from "../Root.ts"

const { version } = JSON.parse(readFileSync(`${root}package.json`, "utf8"))

/** What `npm run image` does on a machine with these engines; `fails` is a pattern of calls that an engine refuses. */
const build = Effect.fnUntraced(function* (
  engines: Readonly<Record<string, string>>,
  args: ReadonlyArray<string> = [],
  env: Readonly<Record<string, string>> = {}
) {
  const folder = yield* temporaryFolder
  const [bin, calls] = [join(folder, "bin"), join(folder, "calls")]
  mkdirSync(bin)
  writeFileSync(calls, "")
  for (const [name, fails] of Object.entries(engines)) {
    writeFileSync(join(bin, name), `#!/bin/sh\ncase "$*" in ${fails}) exit 1;; esac\necho "${name} $*" >> ${calls}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  // Makes no binary.
  writeFileSync(join(bin, "npm"), "#!/bin/sh\n")
  chmodSync(join(bin, "npm"), 0o755)
  symlinkSync(process.execPath, join(bin, "node"))
  const tools = ["bash", "sh", "dirname", "mktemp", "rm", "grep", "git", "date"]
  for (const tool of tools) {
    const { stdout } = yield* runCommand("sh", ["-c", `command -v ${tool}`])
    symlinkSync(stdout.trim(), join(bin, tool))
  }
  const outcome = yield* runCommand(`${root}containers/build.sh`, args, { env: { PATH: bin, HOME: folder, ...env } })
  return { ...outcome, calls: readFileSync(calls, "utf8").split("\n") }
})

describe("npm run image", () => {
  it.live("takes the first engine that can build, says why not the others, and tags the version and latest", () =>
    Effect.gen(function* () {
      const { calls, exitCode, stderr } = yield* build({ docker: "buildx*", podman: "nothing", buildah: "nothing" })
      assert.strictEqual(exitCode, 0, stderr)
      assert.match(stderr, /^Building with podman \(docker has no buildx, /)
      const [, made = ""] = calls.filter((call) => /^podman/.test(call))
      for (const name of [`-t org/svc-steps:${version} `, "-t org/svc-steps:latest "]) assert.include(made, name)
      for (const label of ["url=http", "source=http", "documentation=http", "revision=", "created=20"]) {
        assert.include(made, `--label org.opencontainers.image.${label}`)
      }
    })
  )

  it.live("a daemon that does not answer is passed over, and a name with a tag is the only one", () =>
    Effect.gen(function* () {
      const { calls, stderr } = yield* build({ docker: "info", buildah: "nothing" }, [], { IMAGE: "lab/steps:mine" })
      assert.match(
        stderr,
        /^Building with buildah \(the daemon of docker does not answer .*; podman is not installed\)/
      )
      assert.match(calls.at(-2) ?? "", /^buildah build .*-t lab\/steps:mine -f/)
      assert.notInclude(calls.join("\n"), "latest")
    })
  )

  it.live("two platforms become one list with both names", () =>
    Effect.gen(function* () {
      const platforms = ["--platform", "linux/amd64,linux/arm64"]
      const { calls } = yield* build({ podman: "nothing" }, platforms)
      const made = calls.filter((call) => /^podman (?:build|tag)/.test(call))
      assert.match(
        made[0] ?? "",
        new RegExp(`--manifest org/svc-steps:${version} .*--platform linux/amd64,linux/arm64`)
      )
      assert.deepStrictEqual(made.slice(1), [`podman tag org/svc-steps:${version} org/svc-steps:latest`])
      const docker = yield* build({ docker: "nothing" }, platforms)
      assert.match(docker.calls.at(-2) ?? "", /^docker buildx build --load .*-t org\/svc-steps:latest/)
    })
  )

  it.live("without an engine it says what each lacks, and what to install", () =>
    Effect.gen(function* () {
      const { exitCode, stderr } = yield* build({ podman: "info" })
      assert.strictEqual(exitCode, 1)
      assert.match(
        stderr,
        /docker is not installed; podman does not work here \(podman info\); buildah is not installed/
      )
      assert.match(stderr, /Install podman, or docker with buildx/)
    })
  )
})
