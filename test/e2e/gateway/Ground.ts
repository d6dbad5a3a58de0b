/** A gateway before a sandbox, the files of A1 beside it for comparison, and tools that read by URL. */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { type RunOptions, runCommand, startSandbox } from "../../Executables.ts"
import { startGateway } from "../../GatewayGround.ts"
import { root } from "../../Root.ts"
import { allTypes, download } from "../Download.ts"
import { startForeignLinks } from "../ForeignLinks.ts"
import { folder } from "../Ground.ts"

/** Where the reads and variants of the sandbox lie. */
export const region = { name: "chr17", start: 43_044_295, end: 43_125_364 }
export const regionText = `${region.name}:${region.start}-${region.end}`
/** The same for htsget, which counts from 0. */
export const regionQuery = `referenceName=${region.name}&start=${region.start - 1}&end=${region.end}`

/** Runs a tool in a folder of its own, since htslib keeps indexes there, and gives its output. */
export const tool = Effect.fnUntraced(function* (
  command: string,
  args: ReadonlyArray<string>,
  options: RunOptions = {}
) {
  const cwd = yield* folder
  const { exitCode, stderr, stdout } = yield* runCommand(command, args, { cwd, ...options })
  assert.strictEqual(exitCode, 0, `${command} ${args.join(" ")}\n${stderr}`)
  return stdout.trim()
})

/** @param linkOf - the link of a file on another host; those of the sandbox otherwise */
export const toolGround = Effect.fnUntraced(function* (
  args: ReadonlyArray<string>,
  linkOf: ((files: string, name: string) => string) | null = null,
  sandboxArgs: ReadonlyArray<string> = ["--strict"]
) {
  const sandbox = yield* startSandbox(sandboxArgs)
  const files = join(yield* folder, "files")
  mkdirSync(files)
  const fetched = yield* download(sandbox, sandbox.url, ["-a", "A1", ...allTypes, "-d", files])
  assert.strictEqual(fetched.exitCode, 0, fetched.stderr)
  const api = linkOf === null ? sandbox : yield* startForeignLinks(sandbox.url, (_, name) => linkOf(files, name))
  const gateway = yield* startGateway({ ...sandbox, url: api.url }, args)
  const stats = Effect.promise(
    async () => (await (await fetch(`${sandbox.url}/__sandbox/stats`)).json()) as Readonly<Record<string, number>>
  )
  return { sandbox, files, gateway, stats, url: (name: string) => `${gateway.url}/files/A1/${name}` }
})

/** The client of htsget that GA4GH's own documentation names. */
export const htsget = (args: ReadonlyArray<string>, options: RunOptions = {}) =>
  tool(join(root, ".e2e/python/bin/htsget"), args, options)

/** Runs a program of Python with pysam. */
export const pysam = (program: string, args: ReadonlyArray<string>) =>
  tool(join(root, ".e2e/python/bin/python"), ["-c", program, ...args])
