/** The programs of docs/library.md as strangers have them: packed library, empty project, two compilers, a service. What each of them does is test/processes/library.test.ts. */
import { cpSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { ground } from "../DownloadGround.ts"
import { runCommand } from "../Executables.ts"
import { root } from "../Root.ts"
import { folder } from "./Ground.ts"
import { env, packed } from "./Npm.ts"

const programs = readdirSync(`${root}docs/examples`)

/** A project of somebody else, with the programs in it; its compilers and vitest come from its lock. */
class Project extends Context.Service<Project, { readonly path: string }>()("svc-steps/test/e2e/Project") {
  static readonly layer = Layer.effect(
    Project,
    Effect.gen(function* () {
      const path = yield* folder
      cpSync(`${root}test/e2e/library`, path, { recursive: true })
      const library = yield* packed
      // What its lock says, and the library beside it.
      const args = ["install", "--no-save", "--no-audit", "--no-fund", library]
      const npm = yield* runCommand("npm", args, { cwd: path, env })
      assert.strictEqual(npm.exitCode, 0, npm.stdout + npm.stderr)
      for (const program of programs) cpSync(`${root}docs/examples/${program}`, join(path, program))
      cpSync(`${root}test/library/Laboratory.ts`, join(path, "laboratory.ts"))
      return Project.of({ path })
    })
  )
}

/** The usual five seconds of vitest for a test, ten for a layer, are few on a busy machine. */
const patient = ["--testTimeout=120000", "--hookTimeout=120000"]

/** Runs one of the programs in the project, as its first comment says. */
const program = Effect.fnUntraced(function* (
  args: ReadonlyArray<string>,
  variables: Readonly<Record<string, string>> = {}
) {
  const { path } = yield* Project
  const ended = yield* runCommand(process.execPath, args, { cwd: path, env: { ...env, ...variables } })
  assert.strictEqual(ended.exitCode, 0, ended.stdout + ended.stderr)
  return ended.stdout
})

/** Compilers of strangers, and how they let modules be found. */
const compilations = [
  ["typescript-5.9", "nodenext", "nodenext"],
  ["typescript-5.9", "bundler", "preserve"],
  ["typescript-7", "nodenext", "nodenext"],
  ["typescript-7", "bundler", "preserve"]
] as const

layer(Project.layer, { timeout: 600_000, excludeTestServices: true })(
  "the programs of docs/library.md, in an empty project",
  (it) => {
    for (const [compiler, moduleResolution, module] of compilations) {
      it.effect(
        `fit the types of the package for ${compiler}, with moduleResolution ${moduleResolution}, as do the types of a package that exports what it makes of it`,
        () =>
          Effect.gen(function* () {
            const compilerOptions = {
              target: "es2024",
              // The declarations of effect name types of browsers.
              lib: ["es2024", "dom"],
              types: ["node"],
              module,
              moduleResolution,
              strict: true,
              exactOptionalPropertyTypes: true,
              noUncheckedIndexedAccess: true,
              noUnusedLocals: true,
              declaration: true,
              emitDeclarationOnly: true,
              outDir: `${compiler}.${moduleResolution}`,
              // So the declarations of the package are proven too.
              skipLibCheck: false
            }
            const { path } = yield* Project
            const compile = (config: string, files: ReadonlyArray<string>) => {
              writeFileSync(join(path, config), JSON.stringify({ compilerOptions, files }))
              return program([`node_modules/${compiler}/lib/tsc.js`, "-p", config])
            }
            const { outDir } = compilerOptions
            assert.strictEqual(yield* compile(`tsconfig.${outDir}.json`, [...programs, "laboratory.ts"]), "")
            assert.strictEqual(yield* compile(`tsconfig.${outDir}.types.json`, [`${outDir}/laboratory.d.ts`]), "")
          }),
        600_000
      )
    }

    const runtimes = {
      // Its launcher wants a script of the installation; the program lies beside it.
      Bun: [`@oven/bun-linux-${process.arch === "x64" ? "x64" : "aarch64"}/bin/bun`],
      Deno: [".bin/deno", "run", "--allow-all"]
    }
    for (const [runtime, [executable = "", ...first]] of Object.entries(runtimes)) {
      it.effect(`without-node.ts, in ${runtime}`, () =>
        Effect.gen(function* () {
          const { env: account } = yield* ground({ behaviour: { strict: true } })
          const { path } = yield* Project
          const command = `${root}.e2e/runtimes/node_modules/${executable}`
          const ended = yield* runCommand(command, [...first, "without-node.ts"], {
            cwd: path,
            env: { ...env, ...account }
          })
          assert.match(ended.stdout, /^A1\nA2\n/, ended.stderr)
        })
      )
    }

    it.effect("shortest.ts", () =>
      Effect.gen(function* () {
        const { env } = yield* ground()
        yield* program(["shortest.ts"], env)
        const { path } = yield* Project
        assert.include(readdirSync(path), "S1.bam")
      })
    )

    it.effect("sandbox.test.ts", () =>
      Effect.gen(function* () {
        const said = yield* program(["node_modules/vitest/vitest.mjs", "run", "sandbox.test.ts", ...patient], {
          NO_COLOR: "1"
        })
        assert.match(said, /Tests {2}3 passed/)
      })
    )
  }
)
