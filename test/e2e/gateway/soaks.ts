/**
 * `npm run soak [ranges] [readers] [seconds that links live] [killed] [questions]`: ranges through the relay of a gateway and questions to its API while
 * links end all the time, a session dies in each tenth, and one reader of so many is killed (default 10,000, 16, 2, 20, one question of 5). Prints what failed and the memory of the gateway after each tenth; ends 1 when a range failed,
 * or when what is alive on the heap grew by more than 10 MB after the second tenth.
 */
import { Effect } from "effect"
import { soak } from "./Soak.ts"

const [ranges = 10_000, readers = 16, linkLifetime = 2, oneKilledOf = 20, oneQuestionOf = 5] = process.argv
  .slice(2)
  .map(Number)
const begun = performance.now()
const { expiredLinks, failures, logins, memories } = await Effect.runPromise(
  Effect.scoped(soak({ ranges, rounds: 10, readers, linkLifetime, oneKilledOf, oneQuestionOf }))
)
console.log(
  `${ranges} ranges, ${readers} at a time, links of ${linkLifetime} s: ${Math.round((performance.now() - begun) / 1000)} s; ${expiredLinks} links had ended, ${logins} logins`
)
console.log(`resident MB after each tenth: ${memories.map(({ resident }) => resident).join(", ")}`)
console.log(`reachable MB on the heap:     ${memories.map(({ heap }) => heap).join(", ")}`)
for (const [why, count] of failures) console.log(`failed ${count} times: ${why}`)
const grown = (memories.at(-1)?.heap ?? 0) - (memories[1]?.heap ?? 0)
process.exitCode = failures.size > 0 || grown > 10 ? 1 : 0
