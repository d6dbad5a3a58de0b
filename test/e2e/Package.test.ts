/** The package as strangers get it: from a tarball and from git; what checks its releases; and the recipe of bioconda. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { runCommand } from "../Executables.ts"
import { root } from "../Root.ts"
import { folder } from "./Ground.ts"
import { env, packed } from "./Npm.ts"

const product = JSON.parse(readFileSync(`${root}package.json`, "utf8"))
const patience = 600_000

/** An empty project with one thing installed. */
const installed = Effect.fnUntraced(function* (what: string) {
  const cwd = yield* folder
  writeFileSync(join(cwd, "package.json"), '{"private":true,"type":"module"}')
  const npm = yield* runCommand("npm", ["install", "--no-audit", "--no-fund", what], { cwd, env })
  assert.strictEqual(npm.exitCode, 0, npm.stdout + npm.stderr)
  return cwd
})

/** Every executable starts, both halves of the library are there, and there is one copy of effect. */
const works = Effect.fnUntraced(function* (cwd: string) {
  for (const name of Object.keys(product.bin)) {
    const { stderr, stdout } = yield* runCommand(join(cwd, "node_modules", ".bin", name), ["--version"], { cwd, env })
    assert.strictEqual(stdout, `${product.version}\n`, stderr)
  }
  const script = `
    const [core, node] = [await import("svc-steps"), await import("svc-steps/node")]
    console.log(typeof core.Client.ServiceClient, typeof node.Service.layer)`
  const loaded = yield* runCommand(process.execPath, ["--input-type=module", "--eval", script], { cwd, env })
  assert.strictEqual(loaded.stdout, "function function\n", loaded.stderr)
  const copies = readdirSync(join(cwd, "node_modules"), { recursive: true }).map(String)
  assert.deepStrictEqual(
    copies.filter((path) => /(^|\/)effect\/package\.json$/.test(path) && !path.includes("/dist/")),
    ["effect/package.json"]
  )
  assert.isTrue(existsSync(join(cwd, "node_modules", "svc-steps", "dist", "lib", "core", "src", "index.d.ts")))
})

describe("the package", () => {
  it.live(
    "works from its tarball, in an empty folder",
    () => Effect.flatMap(Effect.flatMap(packed, installed), works),
    patience
  )

  it.live(
    "has no scripts, of which npm would warn",
    () =>
      Effect.gen(function* () {
        const tarball = yield* packed
        const { stdout } = yield* runCommand("tar", ["-xzOf", tarball, "package/package.json"])
        const { devDependencies, scripts, workspaces, ...rest } = JSON.parse(stdout)
        assert.deepStrictEqual([devDependencies, scripts, workspaces], [undefined, undefined, undefined])
        const { devDependencies: _, scripts: __, workspaces: ___, ...ours } = product
        assert.deepStrictEqual(rest, ours)
      }),
    patience
  )

  it.live(
    "works from git, where npm builds it",
    () => Effect.flatMap(installed(`git+file://${root.replace(/\/$/, "")}`), works),
    patience
  )

  it.live(
    "is installed by the script of the recipe for bioconda",
    () =>
      Effect.gen(function* () {
        const [source, prefix] = [yield* folder, yield* folder]
        yield* runCommand("tar", ["-xzf", yield* packed, "--strip-components=1", "-C", source])
        const recipe = readFileSync(`${root}packaging/bioconda/meta.yaml`, "utf8")
        const script = [...(/^ {2}script:\n((?: {4}- .*\n)+)/m.exec(recipe)?.[1] ?? "").matchAll(/^ {4}- (.*)$/gm)]
        assert.isAbove(script.length, 3)
        const made = yield* runCommand("bash", ["-euc", script.map(([, line]) => line).join("\n")], {
          cwd: source,
          env: { ...env, PREFIX: prefix }
        })
        assert.strictEqual(made.exitCode, 0, made.stderr)
        const tests = [...recipe.matchAll(/^ {4}- (svc-\S+ --version)$/gm)].map(([, line]) => line)
        assert.lengthOf(tests, Object.keys(product.bin).length)
        const path = [join(prefix, "bin"), env.PATH].join(delimiter)
        const tested = yield* runCommand("bash", ["-euc", tests.join("\n")], { env: { ...env, PATH: path } })
        assert.strictEqual(tested.stdout, `${product.version}\n`.repeat(tests.length), tested.stderr)
      }),
    patience
  )
})

describe("the workflows of .github", () => {
  it.live("are accepted by actionlint", () =>
    Effect.gen(function* () {
      const workflows = readdirSync(`${root}.github/workflows`).map((name) => `${root}.github/workflows/${name}`)
      assert.lengthOf(workflows, 3)
      const { exitCode, stderr, stdout } = yield* runCommand(`${root}.e2e/go/actionlint`, workflows, { cwd: root })
      assert.strictEqual(exitCode, 0, stdout + stderr)
    })
  )
})

describe("a release", () => {
  it.live(
    "publishes the tarball, with the token of the workflow",
    () =>
      Effect.gen(function* () {
        const workflow = readFileSync(`${root}.github/workflows/release.yml`, "utf8")
        const [, lines = ""] = /name: Publish the package\n(?:.*\n)*? +run: \|\n((?: {10}.*\n)+)/.exec(workflow) ?? []
        const cwd = yield* folder
        yield* runCommand("mkdir", ["release"], { cwd })
        yield* runCommand("cp", [yield* packed, join(cwd, "release")], { cwd })
        const { exitCode, stderr, stdout } = yield* runCommand("bash", ["-euc", lines], {
          cwd,
          env: {
            ...env,
            // Not the settings of whoever runs this test.
            npm_config_userconfig: join(cwd, ".npmrc"),
            NODE_AUTH_TOKEN: "canary",
            npm_config_dry_run: "true",
            npm_config_provenance: "false"
          }
        })
        assert.strictEqual(exitCode, 0, stderr)
        assert.include(stdout, `+ ${product.name}@${product.version}`)
        assert.notInclude(stdout + stderr, "canary")
        assert.match(readFileSync(join(cwd, ".npmrc"), "utf8"), /^\/\/\S+\/:_authToken=\$\{NODE_AUTH_TOKEN\}$/m)
      }),
    patience
  )
})
