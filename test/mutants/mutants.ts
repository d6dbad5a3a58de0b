/**
 * `npm run mutants [-- --count N --seed N room ...]`: spoils one line of a room, runs the tests of the room, and says whether one of them
 * ended red. It works in a copy, so that nobody's tree is touched.
 */
import { spawnSync } from "node:child_process"
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import * as SeededRandom from "../../sandbox/samples/SeededRandom.ts"
import { root } from "../Root.ts"
import { type Mutant, mutantsOf } from "./Operators.ts"

/** Where the code of a room is, and the tests that answer for it. */
const rooms: Readonly<Record<string, readonly [code: string, ...tests: ReadonlyArray<string>]>> = {
  session: ["core/src/session", "core/src/session", "test/session"],
  archive: ["core/src/archive", "core/src/archive", "core/src/download/Resume", "test/tracking/asking"],
  transfer: ["core/src/transfer", "core/src/transfer", "test/transfer"],
  index: ["core/src/genome/index", "core/src/genome"],
  genome: ["core/src/genome/{.,bgzf,formats,regions,slice}", "core/src/genome"]
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { count: { type: "string", default: "200" }, seed: { type: "string", default: "1" } }
})
const chosen = positionals.length === 0 ? Object.keys(rooms) : positionals
const random = SeededRandom.make(Number(values.seed))

const copy = mkdtempSync(join(tmpdir(), "mutants-"))
process.once("exit", () => rmSync(copy, { recursive: true, force: true }))
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(130))
const tracked = spawnSync("git", ["ls-files"], { cwd: root, encoding: "utf8" }).stdout.trim().split("\n")
for (const path of tracked) cpSync(join(root, path), join(copy, path))
symlinkSync(join(root, "node_modules"), join(copy, "node_modules"))

const limits = ["--project", "modules", "--maxWorkers", "1", "--bail", "1", "--testTimeout", "120000"]

/** How the tests ended: a mutant that makes them hang is found, too. */
const isRed = (...tests: ReadonlyArray<string>): boolean =>
  spawnSync(process.execPath, ["node_modules/vitest/vitest.mjs", "run", ...tests, ...limits], {
    cwd: copy,
    stdio: "ignore",
    timeout: 900_000,
    killSignal: "SIGKILL"
  }).status !== 0

/** The test beside the module goes first, as it ends in a moment. */
const survivesIn = (tests: ReadonlyArray<string>, { path, line, spoilt }: Mutant): boolean => {
  const file = join(copy, path)
  const beside = path.replace(/\.ts$/, ".test.ts")
  const text = readFileSync(file, "utf8")
  const lines = text.split("\n")
  lines[line - 1] = spoilt
  writeFileSync(file, lines.join("\n"))
  try {
    return !(existsSync(join(copy, beside)) && isRed(beside)) && !isRed(...tests)
  } finally {
    writeFileSync(file, text)
  }
}

const parts = chosen.map((name) => {
  const [code, ...tests] = rooms[name] ?? []
  if (code === undefined) throw new Error(`no room ${name}; there are ${Object.keys(rooms).join(", ")}`)
  if (isRed(...tests)) throw new Error(`the tests of ${name} are red before anything is spoilt`)
  const files = globSync(`${code}/*.ts`, { cwd: copy }).filter((path) => !path.endsWith(".test.ts"))
  const mutants = files.sort().flatMap((path) => mutantsOf(path, readFileSync(join(copy, path), "utf8")))
  return { tests, mutants }
})

let survivors = 0
for (let tried = 0; tried < Number(values.count); tried++) {
  // In turn, so that a run that is ended has seen something of each.
  const { mutants, tests } = parts[tried % parts.length] ?? { mutants: [], tests: [] }
  const [mutant] = mutants.splice(random.between(0, mutants.length), 1)
  if (mutant === undefined) continue
  const { line, operator, path, spoilt } = mutant
  const survives = survivesIn(tests, mutant)
  if (survives) survivors += 1
  console.log(`${survives ? "SURVIVES" : "killed  "} ${path}:${line} ${operator}: ${spoilt.trim()}`)
}
console.log(`survivors=${survivors} seed=${values.seed}`)
process.exitCode = survivors > 0 ? 1 : 0
