/** What the sample step does: shows its settings, and misbehaves when told to by its operand. */
import { Console, Effect, Redacted, Result } from "effect"
import { LocalIo, NotFound } from "../../core/src/Errors.ts"
import { Operator } from "../../core/src/settings/Operator.ts"
import type { Settings } from "../../core/src/settings/Settings.ts"
import { Screen } from "../../platform/terminal/Screen.ts"
import { makeServiceProgram } from "../../steps/main/Program.ts"
import { mainOf } from "../../steps/main/StepMain.ts"

const say = (text: string) => Effect.sync(() => process.stderr.write(`${text}\n`))

const waiting = Effect.andThen(
  say("waiting"),
  Effect.onInterrupt(Effect.never, () => say("finalizer ran"))
)

const slowToStop = Effect.andThen(
  say("waiting"),
  Effect.onInterrupt(Effect.never, () => Effect.andThen(say("finalizer began"), Effect.sleep("60 seconds")))
)

const manyLines = Effect.gen(function* () {
  for (let i = 0; i < 100_000; i++) {
    yield* Console.log(`line ${i}`)
    if (i % 100 === 0) yield* Effect.sleep("1 millis")
  }
})

const logging = Effect.gen(function* () {
  for (let i = 0; i < 30; i++) {
    yield* Effect.logInfo(`entry ${i}`)
    yield* Effect.sleep("100 millis")
  }
})

const behaviour = Effect.fnUntraced(function* (settings: Settings, what: string | undefined) {
  const secret = Redacted.value(settings.password)
  switch (what) {
    case undefined:
      return yield* Console.log(
        JSON.stringify({
          baseUrl: settings.baseUrl.href,
          username: settings.username,
          analysisIds: settings.analysisIds,
          overwrite: settings.overwrite,
          proxy: settings.proxy?.url.href ?? null,
          secretLength: secret.length
        })
      )
    case "leak":
      return yield* Effect.logInfo(`password=${secret} and ${secret} in https://h/x?X-Amz-Signature=abc&y=1`)
    case "escape":
      return yield* Effect.logInfo("evil \u001b[2J\r\u202e name")
    case "fail":
      return yield* new NotFound({ what: "analysis A\u001b7" })
    case "disk":
      return yield* new LocalIo({ path: "x", operation: "write", errno: "ENOSPC" })
    case "die":
      return yield* Effect.die(new Error(`broken with ${secret}`))
    case "throw":
      setImmediate(() => {
        throw new Error("thrown outside")
      })
      return yield* waiting
    case "wait":
      return yield* waiting
    case "slow":
      return yield* slowToStop
    case "lines":
      return yield* manyLines
    case "log":
      return yield* logging
    case "ask": {
      const operator = yield* Operator
      return yield* Console.log((yield* operator.confirm("Restore it?")) ? "yes" : "no")
    }
    default: {
      const screen = yield* Screen
      screen.status([what])
    }
  }
})

const program = makeServiceProgram(
  (_settings, operands) => Result.succeed(operands[0]),
  (settings: Settings, what: string | undefined) => Effect.as(behaviour(settings, what), 0 as const)
)

export const main = mainOf(() => Promise.resolve(program))
