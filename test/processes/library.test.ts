/** The library as its users have it: the examples as programs of their own, and the three entry points. */
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { posix } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Redacted } from "effect"
import { HttpClientRequest } from "effect/http"
import { Annotations } from "../../core/src/annotations/Annotations.ts"
import { ServiceClient } from "../../core/src/client/ServiceClient.ts"
import { Downloads } from "../../core/src/download/Downloads.ts"
import { Session } from "../../core/src/session/Session.ts"
import { FileTransfer } from "../../core/src/transfer/FileTransfer.ts"
import { SliceTransfer } from "../../core/src/transfer/SliceTransfer.ts"
import * as Files from "../../platform/Files.ts"
import * as Service from "../../platform/Service.ts"
import { ground, namesIn } from "../DownloadGround.ts"
import { runCommand } from "../Executables.ts"
import { root } from "../Root.ts"
import { collector } from "../servers/Collector.ts"
import { strictService } from "../servers/StrictService.ts"
import { temporaryFolder } from "../TemporaryFolder.ts"

const example = (name: string, args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}, cwd = root) =>
  runCommand(process.execPath, [`${root}docs/examples/${name}`, ...args], { env, cwd })

describe("examples", () => {
  it.live("the shortest program", () =>
    Effect.gen(function* () {
      const { env, folder } = yield* ground()
      const { exitCode, stderr } = yield* example("shortest.ts", [], env, folder)
      assert.strictEqual(exitCode, 0, stderr)
      assert.includeMembers([...namesIn(folder)], ["S1.bam", "S1.bam.bai"])
      const refused = yield* example("shortest.ts", [], { ...env, SVC_PASSWORD: "wrong" }, folder)
      assert.strictEqual(refused.exitCode, 77)
    })
  )

  it.live("the annotations of a gene in some analyses, counted by a column", () =>
    Effect.gen(function* () {
      const { env } = yield* ground({ behaviour: { annotationRows: 400 } })
      const run = (column: string) => example("annotations.ts", ["FBN1", column, "A1", "nope", "A2"], env)
      const { exitCode, stderr, stdout } = yield* run("Zygosity")
      assert.strictEqual(exitCode, 0, stderr)
      for (const id of ["A1", "A2"]) {
        assert.match(stdout, new RegExp(`^${id}\thet\t[1-9]\\d*$`, "m"))
        assert.match(stdout, new RegExp(`^${id}\thom\t[1-9]\\d*$`, "m"))
      }
      assert.match(stdout + stderr, /analysis nope: not found/)
      const wrong = yield* run("Consequence")
      assert.strictEqual(wrong.exitCode, 64)
      assert.match(wrong.stdout + wrong.stderr, /Unknown column Consequence; there are ID, Chr, .*Zygosity/)
    })
  )

  it.live("the depth of a panel over five analyses, and genotypes of two compared", () =>
    Effect.gen(function* () {
      const { env, folder } = yield* ground()
      const depth = yield* example("panel-coverage.ts", ["A1", "A2", "A1", "A2", "A1"], env, folder)
      assert.strictEqual(depth.exitCode, 0, depth.stderr)
      const [title, ...rows] = depth.stdout.trimEnd().split("\n")
      assert.deepStrictEqual([title, rows.length, rows[0]], ["analysis\tBRCA1\tCFTR", 5, rows[2]])
      assert.match(rows[1] ?? "", /^A2\t[1-9]\d*\.\d\t[1-9]\d*\.\d$/)
      const genes = ["chr17:43044295-43125364", "chr7:117559500-117561000"]
      const same = yield* example("same-person.ts", ["A1", "A1", ...genes], env, folder)
      assert.match(same.stdout, /^([1-9]\d*) of \1 genotypes are the same\n$/, same.stderr)
      const without = yield* example("same-person.ts", ["A1", "A3", ...genes], env, folder)
      assert.strictEqual(without.exitCode, 66, without.stderr)
      assert.deepStrictEqual(namesIn(folder), ["locks", "out"])
    })
  )

  it.live("restore and wait, by a schedule of its own", () =>
    Effect.gen(function* () {
      const { env, folder, stats } = yield* ground({ behaviour: { restoreDelay: Duration.millis(1) } })
      const { exitCode, stderr, stdout } = yield* example("restore-and-wait.ts", ["A3"], env, folder)
      assert.deepStrictEqual([exitCode, stdout.split("\n").at(-2)], [0, "S3.bam\tDone"], stderr)
      assert.isTrue(namesIn(folder).includes("S3.bam"))
      assert.strictEqual((yield* stats).restores, 1)
    })
  )

  it.live("an endpoint of its own, and spans and counters for a collector", () =>
    Effect.gen(function* () {
      const { env } = yield* ground()
      const seen = yield* collector()
      const { exitCode, stderr, stdout } = yield* example("own-endpoint.ts", ["FBN1"], {
        ...env,
        OTEL_EXPORTER_OTLP_ENDPOINT: seen.url
      })
      assert.deepStrictEqual([exitCode, stdout], [0, "Json\n1 variants in FBN1\n"], stderr)
      const names = seen.spans().map(({ name }) => name)
      assert.includeMembers(names, ["program", "svc.session.login", "svc.session.send", "svc.session.logout"])
      assert.strictEqual(seen.counters()["svc.logins"], 1)
    })
  )

  it.live("all files of analyses, with their progress, and what lies in the archive is asked for", () =>
    Effect.gen(function* () {
      const { env, folder, stats } = yield* ground()
      const files = (...ids: ReadonlyArray<string>) => example("files-of-analyses.ts", ["out", ...ids], env, folder)
      const first = yield* files("A1", "A3", "nope")
      assert.strictEqual(first.exitCode, 0, first.stderr)
      assert.match(first.stdout, /^out\/S1\.bam\tDownloaded\t\d+$/m)
      assert.match(first.stdout, /^out\/S3\.bam\tPending\t/m)
      assert.match(first.stdout + first.stderr, /S1\.bam: 100 %/)
      assert.match(first.stderr, /analysis nope: not found/)
      assert.includeMembers([...namesIn(folder, "out")], ["S1.bam", "S1.bam.bai", "S1.vcf.gz", "S1.vcf.gz.tbi"])
      assert.isTrue(namesIn(folder).includes("awaiting-restoration.json"))
      assert.strictEqual((yield* stats).restores, 1)
      const again = yield* files("A1")
      assert.match(again.stdout, /^out\/S1\.bam\tKept\t/m)
    })
  )

  it.live("a region of a file", () =>
    Effect.gen(function* () {
      const { env, folder } = yield* ground()
      const cut = (range: string) => example("slice-region.ts", ["A1", range], env, folder)
      const first = yield* cut("chr1")
      assert.strictEqual(first.exitCode, 0, first.stderr)
      assert.match(first.stdout, /^S1\.ranged\.bam: [1-9]\d* reads, [1-9]\d{3,} bytes\n$/)
      assert.includeMembers([...namesIn(folder)], ["S1.ranged.bam", "S1.ranged.bam.bai"])
      assert.match((yield* cut("chr1")).stdout, /: Kept$/m)
      assert.match((yield* cut("chr2")).stderr, /S1\.ranged\.bam/)
    })
  )

  it.live("two accounts at once, each with its own session", () =>
    Effect.gen(function* () {
      const accounts = [
        { user: "ada", password: "one" },
        { user: "ben", password: "two" }
      ] as const
      const { env, stats } = yield* ground({ world: { accounts }, behaviour: { strict: true } })
      const both = { ...env, SECOND_USER: "ben", SECOND_PASSWORD: "two" }
      const { exitCode, stderr, stdout } = yield* example("two-accounts.ts", [], both)
      assert.strictEqual(exitCode, 0, stderr)
      const seen = (user: string) => stdout.split("\n").filter((line) => line.startsWith(`${user}\t`)).length
      assert.isAbove(seen("ada"), 3)
      assert.strictEqual(seen("ben"), seen("ada"))
      const { logins, logouts, overlaps } = yield* stats
      assert.deepInclude({ logins, logouts, overlaps }, { logins: 2, logouts: 2, overlaps: 0 })
    })
  )

  it.live("over fetch alone", () =>
    Effect.gen(function* () {
      const { env, stats } = yield* ground({ behaviour: { strict: true } })
      const { stderr, stdout } = yield* example("without-node.ts", [], env)
      assert.match(stdout, /^A1\nA2\n/, stderr)
      const { logins, logouts, overlaps } = yield* stats
      assert.deepStrictEqual({ logins, logouts, overlaps }, { logins: 1, logouts: 1, overlaps: 0 })
    })
  )

  it.live("settings that are missing are named", () =>
    Effect.gen(function* () {
      const { exitCode, stderr, stdout } = yield* example("annotations.ts", ["FBN1", "Gene", "A1"])
      assert.notStrictEqual(exitCode, 0)
      assert.match(stdout + stderr, /SVC_TARGET/)
    })
  )
})

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
  const namespaces = [
    "Annotations",
    "Client",
    "Contract",
    "Downloads",
    "Errors",
    "Ids",
    "Links",
    "Restorations",
    "Session",
    "Settings"
  ]
  const { exports: declared } = JSON.parse(readFileSync(`${root}package.json`, "utf8"))

  it("are those of package.json, for sources, types and modules alike", () => {
    assert.deepStrictEqual(
      Object.values<Record<string, string>>(declared),
      entryPoints.map((path) => ({
        "svc-steps-source": `./${path}`,
        types: `./dist/lib/${path.replace(/\.ts$/, ".d.ts")}`,
        default: `./dist/lib/${path.replace(/\.ts$/, ".js")}`
      }))
    )
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
      const { exitCode, stderr, stdout } = yield* runCommand(process.execPath, [
        "--no-warnings",
        "--no-deprecation",
        "--input-type=module",
        "--eval",
        script
      ])
      assert.strictEqual(exitCode, 0, stderr)
      const { core, http, node, records, sandbox } = JSON.parse(stdout)
      assert.isFalse(http)
      assert.deepStrictEqual(core, namespaces)
      assert.deepStrictEqual(node, ["Service"])
      assert.deepStrictEqual(sandbox, ["Sandbox"])
      assert.deepStrictEqual(records, ["BamRecord", "Reads", "Slices", "Variants"])
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
      const options = [
        "--noEmit",
        "--strict",
        "--skipLibCheck",
        "--target",
        "es2024",
        "--module",
        "nodenext",
        "--types",
        "node"
      ]
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
