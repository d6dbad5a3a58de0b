/** Where the library runs: its core without Node, as in a browser, and its layers on Node alone. */
import { createContext, runInContext } from "node:vm"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { build } from "esbuild"
import { runCommand } from "../Executables.ts"
import { root } from "../Root.ts"
import { productModules } from "../Sources.ts"

describe("svc-steps", () => {
  it("is bundled for browsers as it is, and runs without anything of Node", async () => {
    const { outputFiles } = await build({
      entryPoints: [`${root}core/src/index.ts`],
      conditions: ["svc-steps-source"],
      bundle: true,
      write: false,
      platform: "browser",
      format: "iife",
      globalName: "svc"
    })
    // What a browser has.
    const { AbortController, TextDecoder, TextEncoder, URL, URLSearchParams, clearTimeout, performance, setTimeout } =
      globalThis
    const browser = createContext({
      AbortController,
      TextDecoder,
      TextEncoder,
      URL,
      URLSearchParams,
      clearTimeout,
      performance,
      setTimeout
    })
    const found = runInContext(
      `${outputFiles[0]?.text ?? ""}; [typeof process, new svc.Errors.NotFound({ what: "A1" })._tag, svc.Ids.AnalysisId.make("A1")].join(" ")`,
      browser
    )
    assert.strictEqual(found, "undefined SvcNotFound A1")
  }, 300_000)
})

describe("svc-steps/node", () => {
  for (const runtime of ["Deno", "Bun"]) {
    it.live(`says on ${runtime} that it needs Node`, () =>
      Effect.gen(function* () {
        const script = `globalThis.${runtime} = {}; await import("svc-steps/node")`
        const args = ["--input-type=module", "--eval", script]
        const { exitCode, stderr } = yield* runCommand(process.execPath, args)
        assert.strictEqual(exitCode, 1)
        assert.match(
          stderr,
          new RegExp(
            `Error: svc-steps/node and svc-steps/sandbox run on Node 22.19 or newer, and were loaded by ${runtime};`
          )
        )
      })
    )
  }

  for (const entryPoint of ["node", "sandbox"]) {
    it.live(`says on an old Node which one it needs, before anything else of svc-steps/${entryPoint} is run`, () =>
      Effect.gen(function* () {
        const script = `
          Object.defineProperty(process.versions, "node", { value: "18.20.8" })
          // What Node's own modules use of it, they take before it is gone.
          await import("node:http")
          for (const newer of ["toSorted", "toReversed", "toSpliced", "with"]) delete Array.prototype[newer]
          delete Object.groupBy
          delete Map.groupBy
          delete Promise.withResolvers
          // As a program does, the part first that needs no Node.
          await import("svc-steps").catch(({ message }) => console.log(message))
          await import("svc-steps/${entryPoint}").catch(({ message }) => console.log(message))`
        const { stdout } = yield* runCommand(process.execPath, ["--input-type=module", "--eval", script])
        assert.match(
          stdout,
          /^svc-steps\/node and .* run on Node 22\.19 or newer, and were loaded by Node 18\.20\.8;.*\n$/
        )
      })
    )
  }

  it("imports by name only what Node 18 has: a missing name fails before a module can say anything", () => {
    const newer =
      /\b(?:getCACertificates|setDefaultCACertificates|enableCompileCache|styleText|zstd\w+|createZstd\w+|crc32|glob|globSync|registerHooks|getCallSites|parseEnv|getSystemErrorMessage)\b/
    const offenders = productModules.filter(
      ({ path, text }) =>
        /^(?:platform|sandbox)\//.test(path) &&
        ([...text.matchAll(/^import .*?\{([^}]*)\} from "node:/gm)].some(([, names = ""]) => newer.test(names)) ||
          /^import .*"node:(?:sea|sqlite|test)/m.test(text))
    )
    assert.deepStrictEqual(
      offenders.map(({ path }) => path),
      []
    )
  })
})
