/**
 * `npm run crash [-- --stride N] [--first N] [command or kind ...]`: ends every command of the scenario at each of its
 * file operations (kill before or after it, torn write), lets each of them fail (full disk, input/output error, read-only,
 * not supported), and looks at what is left and at what the next run makes of it. Prints `name=value` and every failure;
 * ends 1 when there is one.
 */
import { parseArgs } from "node:util"
import { Effect } from "effect"
import { sweep } from "./CrashSweep.ts"
import { makeScenario } from "./Scenario.ts"

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { stride: { type: "string", default: "1" }, first: { type: "string", default: "1" } }
})

const program = Effect.gen(function* () {
  const [one, two] = yield* Effect.all([makeScenario, makeScenario], { concurrency: 2 })
  const operations = one.legs.reduce((sum, leg) => sum + leg.operations, 0)
  process.stdout.write(`operations=${operations}\n`)
  return yield* sweep([one, two], {
    stride: Number(values.stride),
    first: Number(values.first),
    wanted: positionals,
    tell: (leg, kind, points) => process.stdout.write(`${leg}, ${kind}: ${points} points\n`),
    found: ({ faults, kind, leg, number }) =>
      process.stdout.write(`FAILED ${leg}, ${kind} at operation ${number}:\n  ${faults.join("\n  ")}\n`)
  })
})

const { failures, points, states } = await Effect.runPromise(Effect.scoped(program))
process.stdout.write(`points=${points}\nstates=${states}\nfailures=${failures.length}\n`)
process.exitCode = failures.length === 0 && points > 0 ? 0 : 1
