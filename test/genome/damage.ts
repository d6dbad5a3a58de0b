/**
 * The long run of planted damage: `npm run damage [-- rounds of each kind] [seed]`, by default 1,000 rounds. A damage that is not seen ends it with kind, region and seed.
 */
import { Effect } from "effect"
import * as ZlibCodec from "../../platform/inflate/ZlibCodec.ts"
import { damageKinds, tryDamages } from "./Damages.ts"

const [rounds = 1_000, seed = 1] = process.argv.slice(2).map(Number)

const program = Effect.forEach(damageKinds, (kind) =>
  Effect.map(tryDamages(kind, rounds, 800, seed), (refused) =>
    process.stdout.write(`${kind}: ${rounds} tried, ${refused} refused, the others gave the same records\n`)
  )
)

await Effect.runPromise(Effect.provide(program, ZlibCodec.layer))
