/**
 * Races for one restoration file: `node test/tracking/races.ts [changes]`, by default 2,000 by two to eight processes at a
 * time, once with honest links and once with lying ones. Prints `name=value`, and fails when an entry is lost.
 */
import { Effect } from "effect"
import { preload, race } from "./Race.ts"

const wanted = Number(process.argv[2] ?? 2000)
const lying = preload(new URL("lying-links.c", import.meta.url))

const series = Effect.fnUntraced(function* (name: string, env: Readonly<Record<string, string>>) {
  let [done, lost, failed, round] = [0, 0, 0, 0]
  while (done < wanted) {
    const processes = 2 + (round++ % 7)
    const result = yield* Effect.scoped(race(processes, 12, env))
    done += result.changes
    lost += result.missing.length + result.surplus.length
    failed += result.failed.length
    for (const { stderr } of result.failed) process.stderr.write(stderr)
  }
  process.stdout.write(`${name}_changes=${done}\n${name}_lost=${lost}\n${name}_failed=${failed}\n`)
  return lost + failed
})

const honest = await Effect.runPromise(series("honest", {}))
const dishonest = lying === null ? 0 : await Effect.runPromise(series("lying", { LD_PRELOAD: lying }))
process.exitCode = honest + dishonest === 0 ? 0 : 1
