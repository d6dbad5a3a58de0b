/**
 * `npm run mutants [-- --count N --seed N --only WORDS --green room ...]`: spoils one line of a room, runs the tests of the room, and says
 * whether one of them ended red. It works in a copy, so that nobody's tree is touched. `--only` takes the operators whose name has one of
 * these words, with commas between them; `--green` says that the tests are known to be green before anything is spoilt.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { text } from "node:stream/consumers"
import { parseArgs } from "node:util"
import * as SeededRandom from "../../sandbox/samples/SeededRandom.ts"
import { root } from "../Root.ts"
import { isProgram, type Mutant, mutantsOf } from "./Operators.ts"

/** Where the code of a room is, and the tests that answer for it. */
const rooms: Readonly<Record<string, readonly [code: string, ...tests: ReadonlyArray<string>]>> = {
  session: ["core/src/session", "core/src/session", "test/session"],
  archive: ["core/src/archive", "core/src/archive", "core/src/download/Resume", "platform/files/TrackingFile"],
  transfer: [
    "core/src/transfer",
    "core/src/transfer",
    "test/transfer",
    "test/sockets/{broken-connections,expired-links,failing-disks,link-replies,part-proof}"
  ],
  index: ["core/src/genome/index", "core/src/genome", "core/src/verify"],
  genome: ["core/src/genome/{.,bgzf,formats,regions,slice}", "core/src/genome", "core/src/verify"],
  verify: ["core/src/verify", "core/src/verify"],
  annotations: ["core/src/annotations", "core/src/annotations"]
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: "string", default: "200" },
    seed: { type: "string", default: "1" },
    only: { type: "string", default: "" },
    green: { type: "boolean", default: false }
  }
})
const chosen = positionals.length === 0 ? Object.keys(rooms) : positionals
const random = SeededRandom.make(Number(values.seed))

const copy = mkdtempSync(join(tmpdir(), "mutants-"))
let child: ChildProcess | undefined
process.once("exit", () => {
  child?.kill()
  rmSync(copy, { recursive: true, force: true })
})
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(130))
const tracked = spawnSync("git", ["ls-files"], { cwd: root, encoding: "utf8" }).stdout.trim().split("\n")
for (const path of tracked) cpSync(join(root, path), join(copy, path))
symlinkSync(join(root, "node_modules"), join(copy, "node_modules"))

const limits = "--project modules --project sockets --pool threads --maxWorkers 1 --bail 1".split(" ")

/**
 * Which test ended red, null for none: a mutant that makes them hang is found, too. A loop without end is ended by the processor time that
 * it took, which other work on the machine does not change, and all at once, as a thread ends with its process.
 */
const redOf = async (tests: ReadonlyArray<string>): Promise<string | null> => {
  if (tests.length === 0) return null
  const command = [process.execPath, "node_modules/vitest/vitest.mjs", "run", ...tests, ...limits]
  const running = spawn("sh", ["-c", 'ulimit -t 120; exec "$@"', "sh", ...command], {
    cwd: copy,
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, NO_COLOR: "1" }
  })
  child = running
  const [said, [status, signal]] = await Promise.all([text(running.stderr), once(running, "exit")])
  if (status === 0) return null
  // Nothing that a test says: a loop without end, or a machine that cannot run them now.
  return /FAIL +(.*)/.exec(said)?.[1] ?? `no test: ${signal ?? (said.trim().split("\n")[0] || `exit ${status}`)}`
}

/** The tests beside the module go first, then those of its folder: most mutants end there, in a moment. */
const killerOf = async (tests: ReadonlyArray<string>, path: string): Promise<string | null> => {
  const rank = (test: string) =>
    test === path.replace(/\.ts$/, ".test.ts") ? 0 : dirname(test) === dirname(path) ? 1 : 2
  for (const near of [0, 1, 2]) {
    const red = await redOf(tests.filter((test) => rank(test) === near))
    if (red !== null) return red
  }
  return null
}

const wanted = values.only.split(/[, ]+/)
const parts: Array<{ readonly tests: ReadonlyArray<string>; readonly mutants: Array<Mutant> }> = []
for (const name of chosen) {
  const [code, ...places] = rooms[name] ?? []
  if (code === undefined) throw new Error(`no room ${name}; there are ${Object.keys(rooms).join(", ")}`)
  const tests = places.flatMap((place) => globSync([`${place}.test.ts`, `${place}/**/*.test.ts`], { cwd: copy })).sort()
  if (!values.green && (await redOf(tests)) !== null)
    throw new Error(`the tests of ${name} are red before anything is spoilt`)
  const files = globSync(`${code}/*.ts`, { cwd: copy }).filter((path) => !path.endsWith(".test.ts"))
  const mutants = files
    .sort()
    .flatMap((path) => mutantsOf(path, readFileSync(join(copy, path), "utf8")))
    .filter(({ operator }) => wanted.some((word) => operator.includes(word)))
  parts.push({ tests, mutants })
}

let survivors = 0
// In turn, so that a run that is ended has seen something of each.
for (let tried = 0; tried < Number(values.count); ) {
  const { mutants, tests } = parts[tried % parts.length] ?? { mutants: [], tests: [] }
  const [mutant] = mutants.splice(random.between(0, mutants.length), 1)
  if (mutant === undefined) break
  const { line, operator, path, spoilt } = mutant
  const file = join(copy, path)
  const sound = readFileSync(file, "utf8")
  const lines = sound.split("\n")
  const changed = lines.with(line - 1, spoilt).join("\n")
  if (!isProgram(changed)) continue
  tried++
  writeFileSync(file, changed)
  const killer = await killerOf(tests, path)
  writeFileSync(file, sound)
  if (killer === null) survivors += 1
  console.log(`${killer === null ? "SURVIVES" : "killed  "} ${path}:${line} ${operator}: ${spoilt.trim()}`)
  if (killer !== null) console.log(`         by ${killer}`)
}
console.log(`survivors=${survivors} seed=${values.seed}`)
process.exitCode = survivors > 0 ? 1 : 0
