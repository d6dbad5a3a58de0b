/** Takes the lock, prints `held`, and keeps it until it is ended: `node LockHolder.ts LOCK`. */
import { Duration, Effect } from "effect"
import { makeFileLocks } from "../../platform/locks/FileLock.ts"

const [lock = ""] = process.argv.slice(2)

const { withLock } = Effect.runSync(makeFileLocks)

await Effect.runPromise(
  withLock(lock, { wait: Duration.infinity })(() =>
    Effect.andThen(
      Effect.sync(() => process.stdout.write("held\n")),
      Effect.sleep("60 seconds")
    )
  )
)
