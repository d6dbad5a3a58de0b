/** Where the library runs: its core without Node, as in a browser, and its layers on Node alone. */
import { createContext, runInContext } from "node:vm"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { build } from "esbuild"
import { runCommand } from "./Executables.ts"
import { root } from "./Root.ts"

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
      `${outputFiles[0]?.text ?? ""}; [typeof process, svc.parseRange("chr7:1-2000")._tag, svc.AnalysisId.make("A1")].join(" ")`,
      browser
    )
    assert.strictEqual(found, "undefined Success A1")
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
          new RegExp(`Error: svc-steps/node runs on Node 22.19 or newer, and was loaded by ${runtime};`)
        )
      })
    )
  }
})
