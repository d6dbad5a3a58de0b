import { createHash } from "node:crypto"
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { executable, runCommand } from "../Executables.ts"
import { root } from "../Root.ts"
import { temporaryFolder } from "../TemporaryFolder.ts"
import { runWarm } from "../WarmExecutables.ts"
import { words } from "../Words.ts"

const product = JSON.parse(readFileSync(`${root}package.json`, "utf8"))
const names = Object.keys(product.bin)

const folder = temporaryFolder("svc-build-")

const hashes = (path: string) =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((file) => `${relative(path, file)} ${createHash("sha256").update(readFileSync(file)).digest("hex")}`)

describe("the build", () => {
  it.live(
    "gives the bytes of dist/ again, in another folder",
    () =>
      Effect.gen(function* () {
        const path = yield* folder
        const { exitCode, stderr } = yield* runCommand(
          process.execPath,
          words`${root}scripts/build.ts --quiet --outdir ${path}`
        )
        assert.strictEqual(exitCode, 0, stderr)
        assert.isAbove(readdirSync(path).length, names.length)
        const built = hashes(`${root}dist`).filter((line) => !/^\.sources |^docs\/|^svc-steps-linux-/.test(line))
        assert.deepStrictEqual(hashes(path), built, "dist/ may be older than the sources: npm run build")
      }),
    240_000
  )

  for (const name of names) {
    it.live(`${name} is an executable that knows its version`, () =>
      Effect.gen(function* () {
        const path = executable(name)
        assert.strictEqual(join(root, product.bin[name]), path)
        assert.strictEqual(statSync(path).mode & 0o755, 0o755)
        assert.strictEqual(readFileSync(path, "utf8").split("\n")[0], "#!/usr/bin/env node")
        const { exitCode, stderr, stdout } = yield* runWarm(name, ["--version"])
        assert.deepStrictEqual(
          { exitCode, stdout, stderr },
          { exitCode: 0, stdout: `${product.version}\n`, stderr: "" }
        )
      })
    )
  }

  it.live("an executable says which Node it needs, on one that is older", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const older = join(path, "older.cjs")
      writeFileSync(older, 'Object.defineProperty(process.versions, "node", { value: "20.19.5" })')
      const started = yield* runCommand(process.execPath, ["--require", older, executable("svc-download"), "--list"])
      assert.deepStrictEqual(
        { ...started },
        {
          exitCode: 78,
          stdout: "",
          stderr: "Error: This needs Node 22.19 or newer, and was started with Node 20.19.5.\n"
        }
      )
    })
  )

  it.live("as a package for others has the library and the executables, and brings no Node of its own", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const packed = yield* runCommand("npm", ["pack", "--offline", "--silent", "--pack-destination", path], {
        env: { npm_config_cache: join(path, "cache") }
      })
      assert.strictEqual(packed.exitCode, 0, packed.stderr)
      const file = join(path, packed.stdout.trim())
      const inside = (yield* runCommand("tar", ["-tzf", file])).stdout.split("\n")
      const expected = [
        ...Object.values(product.bin),
        "dist/lib/core/src/index.js",
        "README.md",
        "CHANGELOG.md"
      ].concat("dist/config.schema.json", "dist/report.schema.json", "dist/list.schema.json")
      assert.includeMembers(
        inside,
        expected.map((name) => `package/${name}`)
      )
      assert.deepStrictEqual(
        inside.filter((name) => /^package\/(?!dist\/|(?:README|CHANGELOG)\.md$|LICENSE$|package\.json$)./.test(name)),
        []
      )
      const manifest = JSON.parse((yield* runCommand("tar", ["-xzOf", file, "package/package.json"])).stdout)
      assert.sameMembers(Object.keys(manifest.dependencies), ["@effect/platform-node", "@gmod/bam", "@gmod/vcf"])
      // One copy of it: Effects of two copies do not go together.
      assert.deepStrictEqual(manifest.peerDependencies, { effect: "^4.1.0" })
      assert.notProperty(manifest, "optionalDependencies")
    })
  )

  it("names no folder of this machine, and has at most 8 MB without the library", () => {
    const files = readdirSync(`${root}dist`, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => !/\/dist\/(?:lib|docs)\/|\/svc-steps-linux-/.test(path))
    assert.deepStrictEqual(
      files.filter((path) => readFileSync(path, "latin1").includes(root)),
      []
    )
    assert.isBelow(
      files.reduce((sum, path) => sum + statSync(path).size, 0),
      8_000_000
    )
  })

  it("names every package inside the executables with its licence; the views of records are in none of them", () => {
    const text = readFileSync(`${root}dist/THIRD-PARTY-LICENSES.txt`, "utf8")
    assert.match(text, /^effect \d+\.\d+\.\d+ \(MIT\)$/m)
    assert.match(text, /Permission is hereby granted/)
    assert.notMatch(text, /@gmod/)
  })

  it("help and version load little, and nothing of Effect: one import too many had cost a third of their time", () => {
    const chunks = `${root}dist/chunks`
    const loaded = new Set<string>()
    const visit = (name: string): void => {
      if (loaded.has(name)) return
      loaded.add(name)
      const text = readFileSync(join(chunks, name), "utf8")
      for (const [, next = ""] of text.matchAll(/(?:from|\bimport)"\.\/([\w-]+\.js)"/g)) visit(next)
    }
    visit(readdirSync(chunks).find((name) => /^AllSteps-\w+\.js$/.test(name)) ?? "")
    assert.isAbove(loaded.size, 5)
    const size = [...loaded].reduce((sum, name) => sum + statSync(join(chunks, name)).size, 0)
    assert.isBelow(size, 80_000)
  })
})
