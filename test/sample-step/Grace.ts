/** A program whose finalizer takes longer than its grace. */
import { Effect } from "effect"
import { runProcess } from "../../steps/main/ProcessRun.ts"

const say = (text: string) => process.stderr.write(`${text}\n`)

runProcess(
  () =>
    Effect.andThen(
      Effect.sync(() => say("waiting")),
      Effect.onInterrupt(Effect.never, () => Effect.sleep("60 seconds"))
    ),
  say,
  300
)
