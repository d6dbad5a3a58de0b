/** Adds one to the number in a file, `times` times, each time under the lock: `node LockedCounter.ts LOCK FILE TIMES`. */
import { readFileSync, writeFileSync } from "node:fs"
import { Duration, Effect } from "effect"
import { makeFileLocks } from "../../platform/locks/FileLock.ts"

const [lock = "", file = "", times = "0"] = process.argv.slice(2)

const { withLock } = Effect.runSync(makeFileLocks)

const addOne = Effect.gen(function* () {
  const count = Number(readFileSync(file, "utf8"))
  yield* Effect.sleep("1 millis")
  writeFileSync(file, String(count + 1))
})

await Effect.runPromise(
  Effect.repeat(
    withLock(lock, { wait: Duration.infinity })(() => addOne),
    { times: Number(times) - 1 }
  )
)
