/**
 * `npm run powercut [-- --seed N] [--stride N] [--each N] [command ...]`: cuts the power after every file operation of the scenario, looks
 * at each disk that may be left (what was not synced may be there, or not, or in part), and runs again from `each` of them
 * at every `stride`-th point. Prints `name=value` and every failure; ends 1 when there is one.
 */
import { parseArgs } from "node:util"
import { Effect } from "effect"
import { powerCuts } from "./PowerCuts.ts"
import { makeScenario } from "./Scenario.ts"

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: "string", default: "1" },
    stride: { type: "string", default: "1" },
    each: { type: "string", default: "2" }
  }
})

const program = Effect.flatMap(makeScenario, (scenario) =>
  powerCuts(scenario, {
    seed: Number(values.seed),
    stride: Number(values.stride),
    each: Number(values.each),
    wanted: positionals,
    tell: (leg, points, states, distinct, reruns) =>
      process.stdout.write(`${leg}: ${points} points, ${states} states, ${distinct} different, ${reruns} runs\n`),
    found: ({ after, faults, leg, number, state }) => {
      process.stdout.write(`FAILED ${leg}, power cut after operation ${number} (${after}):\n  ${faults.join("\n  ")}\n`)
      process.stdout.write(`  names, files and fates:\n    ${state.replaceAll("\n", "\n    ")}\n`)
    }
  })
)

const { failures, ...counts } = await Effect.runPromise(Effect.scoped(program))
for (const [name, value] of Object.entries({ seed: values.seed, ...counts, failures: failures.length })) {
  process.stdout.write(`${name}=${value}\n`)
}
process.exitCode = failures.length === 0 && counts.points > 0 ? 0 : 1
