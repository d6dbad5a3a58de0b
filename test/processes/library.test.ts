/** The library as its users have it: the examples as programs of their own, and the three entry points. */
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { posix } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Redacted } from "effect"
import { HttpClientRequest } from "effect/http"
import { build } from "esbuild"
import { Annotations } from "../../core/src/annotations/Annotations.ts"
import { ServiceClient } from "../../core/src/client/ServiceClient.ts"
import { Downloads } from "../../core/src/download/Downloads.ts"
import { Session } from "../../core/src/session/Session.ts"
import { FileTransfer } from "../../core/src/transfer/FileTransfer.ts"
import { SliceTransfer } from "../../core/src/transfer/SliceTransfer.ts"
import * as Files from "../../platform/Files.ts"
import * as Service from "../../platform/Service.ts"
import { ground } from "../DownloadGround.ts"
import { runCommand } from "../Executables.ts"
import { root } from "../Root.ts"
import { strictService } from "../servers/StrictService.ts"
import { temporaryFolder } from "../TemporaryFolder.ts"
import { words } from "../Words.ts"

describe("a service layer", () => {
  it.live("takes timeouts, tries and the limit of bodies in memory", () =>
    Effect.gen(function* () {
      const service = yield* strictService({
        answer: ({ url = "" }, response) => {
          if (url.includes("large")) response.end("x".repeat(2000))
          return url.includes("silent") || url.includes("large")
        }
      })
      const lockDir = yield* temporaryFolder("svc-library-")
      const settings = { baseUrl: service.url, username: "ana", password: Redacted.make("right"), lockDir }
      const errorOf = (path: string, limits: Partial<Service.Settings>) =>
        ServiceClient.use(({ request }) => Effect.flip(request(HttpClientRequest.get(path)))).pipe(
          Effect.provide(Service.layer({ ...settings, ...limits }))
        )
      const impatient = { tries: 2, apiTimeout: Duration.millis(300) }
      assert.deepInclude(yield* errorOf("/api/silent", impatient), { _tag: "SvcUnavailable", attempts: 2 })
      assert.deepInclude(yield* errorOf("/api/large", { bodyLimit: 1000 }), { _tag: "SvcReplyTooLarge", limit: 1000 })
    }).pipe(Effect.scoped)
  )
})

describe("a layer within that of another account", () => {
  it.live("has its own client, and its own link hosts", () =>
    Effect.gen(function* () {
      const settingsOf = Effect.fnUntraced(function* (id: string) {
        const { env } = yield* ground({ world: { empty: true, analyses: [{ id }] } })
        const { SVC_LOCK_DIR: lockDir, SVC_PASSWORD, SVC_TARGET, SVC_USER: username } = env
        return { baseUrl: new URL(SVC_TARGET), username, password: Redacted.make(SVC_PASSWORD), lockDir }
      })
      const [outer, inner] = [yield* settingsOf("OUTER"), yield* settingsOf("INNER")]
      const ids = ServiceClient.use(({ getAnalyses }) => getAnalyses()).pipe(
        Effect.map((analyses) => analyses.map(({ id }) => String(id)))
      )
      const services = Effect.all([Downloads, Annotations, ServiceClient, Session])
      const found = yield* Effect.gen(function* () {
        const [nested, within] = yield* Effect.provide(Effect.all([ids, services]), Service.layer(inner))
        const without = yield* services
        for (const [at, each] of within.entries()) assert.notStrictEqual(each, without[at])
        return [nested, yield* ids]
      }).pipe(Effect.provide(Service.layer(outer)))
      assert.deepStrictEqual(found, [["INNER"], ["OUTER"]])
      const files = Effect.all([FileTransfer, SliceTransfer])
      yield* Effect.gen(function* () {
        const nested = yield* Effect.provide(files, Files.layer(inner))
        for (const [at, each] of (yield* files).entries()) assert.notStrictEqual(each, nested[at])
      }).pipe(Effect.provide(Files.layer(outer)))
    }).pipe(Effect.scoped)
  )
})

describe("the entry points", () => {
  const entryPoints = ["core/src/index.ts", "platform/index.ts", "core/src/records/index.ts", "sandbox/index.ts"]
  const namespaces = words`Annotations Client Contract Downloads Errors Ids Restorations Session Settings`
  const { exports: declared } = JSON.parse(readFileSync(`${root}package.json`, "utf8"))

  it("are those of package.json, for sources, types and modules alike", () => {
    assert.deepStrictEqual(Object.values<Record<string, string>>(declared), [
      ...entryPoints.map((path) => ({
        "svc-steps-source": `./${path}`,
        types: `./dist/lib/${path.replace(/\.ts$/, ".d.ts")}`,
        default: `./dist/lib/${path.replace(/\.ts$/, ".js")}`
      })),
      // The declarations of others name types of modules that are no entry points.
      { types: "./dist/lib/*.d.ts" }
    ])
  })

  it.live("give what they name, from the modules of the installed package, and core needs no Node", () =>
    Effect.gen(function* () {
      const script = `
        import * as core from "svc-steps"
        const loaded = Object.keys(process.binding("natives")).length > 0 && [...process.moduleLoadList]
        console.log(JSON.stringify({
          core: Object.keys(core), http: loaded.some((name) => /NativeModule https?$/.test(name)),
          node: Object.keys(await import("svc-steps/node")), sandbox: Object.keys(await import("svc-steps/sandbox")),
          records: Object.keys(await import("svc-steps/records"))
        }))`
      const { exitCode, stderr, stdout } = yield* runCommand(
        process.execPath,
        words`--no-warnings --no-deprecation --input-type=module --eval ${script}`
      )
      assert.strictEqual(exitCode, 0, stderr)
      const { core, http, node, records, sandbox } = JSON.parse(stdout)
      assert.isFalse(http)
      assert.deepStrictEqual(core, namespaces)
      assert.deepStrictEqual(node, ["Service"])
      assert.deepStrictEqual(sandbox, ["Sandbox"])
      assert.deepStrictEqual(records, ["BamRecord", "Reads", "Slices", "Variants"])
    })
  )

  it.live("keep in a bundle that they refuse a runtime other than Node", () =>
    Effect.gen(function* () {
      const { outputFiles, warnings } = yield* Effect.promise(() =>
        build({
          stdin: { contents: 'export { Service } from "svc-steps/node"', resolveDir: root },
          ...{ bundle: true, platform: "node", format: "esm", write: false, logLevel: "silent" },
          external: ["effect", "@effect/*"]
        })
      )
      assert.deepStrictEqual(warnings, [])
      assert.include(outputFiles[0]?.text, "and were loaded by")
    })
  )

  /** A module, and those that it exports whole. */
  const textOf = (path: string): string => {
    const text = readFileSync(`${root}${path}`, "utf8")
    const others = [...text.matchAll(/^export \* from "([^"]+)"/gm)]
    return [text, ...others.map(([, from = ""]) => textOf(posix.join(posix.dirname(path), from)))].join("\n")
  }

  it("every export has a docstring where it is declared, with its category and the version that brought it", () => {
    const tags = String.raw`\n \* @category [a-z]+\n \* @since \d+\.\d+\.\d+\n \*/\n`
    const bareIn = (entryPoint: string): ReadonlyArray<string> => {
      const text = readFileSync(`${root}${entryPoint}`, "utf8")
      const behind = [...text.matchAll(/^export (?:type )?(?:\{([^}]*)\}|\*(?: as \w+)?) from "([^"]+)"/gm)]
      const bare = behind.flatMap(([, list, from = ""]) => {
        const path = posix.join(posix.dirname(entryPoint), from)
        // A namespace: names that others declare.
        if (path.startsWith("core/src/library/")) return bareIn(path)
        const source = textOf(path)
        const every = [...source.matchAll(/^export (?:class|const|type|interface) (\w+)/gm)].map(
          ([, name]) => name ?? ""
        )
        const names = list?.split(",").map((item) => item.trim().replace(/^type | as \w+$/g, "")) ?? every
        assert.isAbove(names.length, 0)
        return names
          .filter((name) => name !== "")
          .filter((name) => !new RegExp(`${tags}export (?:class|const|type|interface) ${name}\\b`).test(source))
          .map((name) => `${path}: ${name}`)
      })
      assert.isAbove(behind.length, 0)
      return bare
    }
    const bare = entryPoints.flatMap(bareIn)
    assert.deepStrictEqual(bare, [])
  })

  it.live("the examples of docstrings compile, for who has installed the package", () =>
    Effect.gen(function* () {
      const path = yield* temporaryFolder("svc-examples-")
      const sources = ["core/src", "platform", "sandbox"].flatMap((folder) =>
        readdirSync(`${root}${folder}`, { recursive: true, encoding: "utf8" }).map((name) => `${root}${folder}/${name}`)
      )
      const examples = sources
        .filter((name) => name.endsWith(".ts"))
        .flatMap((name) => [...readFileSync(name, "utf8").matchAll(/^ \* ```ts\n((?: \*.*\n)*?) \* ```$/gm)])
        .map(([, lines = ""]) => lines.replace(/^ \* ?/gm, ""))
      assert.isAbove(examples.length, 15)
      for (const [at, text] of examples.entries()) writeFileSync(`${path}/${at}.ts`, text)
      mkdirSync(`${path}/node_modules`)
      for (const name of ["effect", "@effect", "@types"])
        symlinkSync(`${root}node_modules/${name}`, `${path}/node_modules/${name}`)
      symlinkSync(root, `${path}/node_modules/svc-steps`)
      writeFileSync(`${path}/package.json`, '{ "type": "module" }')
      const options = words`--noEmit --strict --skipLibCheck --target es2024 --module nodenext --types node`
      const names = examples.map((_, at) => `${at}.ts`)
      const tsc = yield* runCommand(
        process.execPath,
        [`${root}node_modules/typescript/bin/tsc`, ...options, ...names],
        { cwd: path }
      )
      assert.strictEqual(tsc.exitCode, 0, tsc.stdout)
    }).pipe(Effect.scoped)
  )
})
