import { execFileSync } from "node:child_process"
import { unlinkSync, writeFileSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Logger, Ref } from "effect"
import { TestClock } from "effect/testing"
import { temporary } from "../../test/GatewayGround.ts"
import { Stopping } from "../main/Program.ts"
import { openFiles } from "./Program.ts"

describe("the token file after SIGHUP", () => {
  it.effect(
    "that is a pipe in which nothing comes is given up after a minute, and a later SIGHUP does not wait for it",
    () =>
      Effect.gen(function* () {
        const tokenFile = join(yield* temporary, "tokens")
        const line = "ada ada-0123456789abcdef\n"
        writeFileSync(tokenFile, line, { mode: 0o600 })
        let hangup = () => {}
        const onSignals = (_some: unknown, act: (signal: "SIGHUP") => void) =>
          Effect.sync(() => {
            hangup = () => act("SIGHUP")
          })
        const lines: Array<string> = []
        const more = { next: yield* Deferred.make<void>() }
        const said = Effect.gen(function* () {
          yield* Deferred.await(more.next)
          more.next = yield* Deferred.make<void>()
          return lines.splice(0)
        })
        const logger = Logger.make(({ message }) => {
          lines.push(String(message))
          Deferred.doneUnsafe(more.next, Effect.void)
        })
        const { readers } = yield* openFiles({ accessLog: null, accessLogRequired: false, tokenFile }).pipe(
          Effect.provideService(Stopping, { endWith: () => Effect.void, onSignals }),
          Effect.provide(Logger.layer([logger]))
        )
        unlinkSync(tokenFile)
        execFileSync("mkfifo", ["-m", "600", tokenFile])
        hangup()
        yield* TestClock.adjust("59 seconds")
        assert.deepStrictEqual(lines, [])
        yield* TestClock.adjust("1 second")
        assert.match((yield* said).join(), /nothing came out of it for a minute; the readers of before stay$/)
        // More than Node has threads for files: none of them is lost to a pipe.
        for (let each = 0; each < 5; each++) hangup()
        unlinkSync(tokenFile)
        writeFileSync(tokenFile, `${line}eve eve-0123456789abcdef\n`, { mode: 0o600 })
        hangup()
        assert.deepStrictEqual(yield* said, [`Read ${tokenFile} again: 2 tokens`])
        assert.strictEqual(readers === null ? 0 : (yield* Ref.get(readers)).size, 2)
        // What comes late is read.
        unlinkSync(tokenFile)
        execFileSync("mkfifo", ["-m", "600", tokenFile])
        hangup()
        yield* TestClock.adjust("30 seconds")
        yield* Effect.promise(() => writeFile(tokenFile, line))
        assert.deepStrictEqual(yield* said, [`Read ${tokenFile} again: 1 token`])
      })
  )
})
