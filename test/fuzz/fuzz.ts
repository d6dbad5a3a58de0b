/**
 * `npm run fuzz [-- --runs N] [--seed N] [--save DIR] [target ...]`: hostile inputs for everything that reads bytes of somebody
 * else, by default 50,000 and the seed 1. Prints `name=value`; an input that is taken badly is saved as
 * `DIR/<target>-<seed>-<number>.bin` (default: the folder for temporary files), and `--replay FILE` feeds it again.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { parseArgs } from "node:util"
import { faultOf, fuzz } from "./FuzzRun.ts"
import { genomeTargets } from "./GenomeTargets.ts"
import { textTargets } from "./TextTargets.ts"

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: "string", default: "50000" },
    seed: { type: "string", default: "1" },
    save: { type: "string", default: tmpdir() },
    replay: { type: "string" }
  }
})

const all = [...genomeTargets, ...textTargets]
const named = (name: string) => {
  const found = all.filter((target) => target.name === name || name.startsWith(`${target.name}-`)).at(-1)
  if (found === undefined) throw new Error(`${name} is none of ${all.map((target) => target.name).join(" ")}`)
  return found
}

if (values.replay !== undefined) {
  const { fault, refused } = faultOf(named(basename(values.replay)), new Uint8Array(readFileSync(values.replay)))
  process.stdout.write(`${fault ?? (refused ? "refused, as it should be" : "taken")}\n`)
  process.exitCode = fault === null ? 0 : 1
} else {
  const targets = positionals.length === 0 ? all : positionals.map(named)
  const [runs, seed] = [Number(values.runs), Number(values.seed)]
  const { findings, grown, past, refusals, slowest } = await fuzz(targets, runs, seed)
  process.stdout.write(`targets=${targets.length}\nruns=${runs}\nseed=${seed}\nrefusals=${refusals}\n`)
  process.stdout.write(`slowest_ms=${slowest.toFixed(0)}\ngrown_mb=${Math.round(grown / 2 ** 20)}\n`)
  for (const { name } of targets.filter((target) => genomeTargets.includes(target))) {
    const share = (100 * targets.length * (past.get(name) ?? 0)) / runs
    process.stdout.write(`past_header_${name}=${share.toFixed(1)}%\n`)
  }
  process.stdout.write(`findings=${findings.length}\n`)
  for (const { bytes, fault, input, target } of findings) {
    const path = join(values.save, `${target}-${seed}-${input}.bin`)
    writeFileSync(path, bytes)
    process.stdout.write(`FAILED ${target}, input ${input}, saved as ${path}: ${fault}\n`)
  }
  process.exitCode = findings.length === 0 ? 0 : 1
}
