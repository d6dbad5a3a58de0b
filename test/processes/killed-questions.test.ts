/** Commands that are stopped while the service works on what they asked, which it goes on doing, and the next ones of the account. */
import { existsSync, readdirSync, statSync, utimesSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect, Random } from "effect"
import { fault, ground } from "../DownloadGround.ts"
import { run, start, until } from "../Executables.ts"
import { longForm } from "../LongForm.ts"

/** The minute for which a lock counts that was not given back is over after this time, ms, and each answer takes one of these. */
const minute = 9000
const answers = [500, 2000, 4000, 6000]

const persons = answers.map((_, at) => `LIMS-000${at + 1}`)
const signals = ["SIGINT", "SIGTERM", "SIGKILL"] as const
const accounts = Array.from({ length: 6 }, (_, at) => ({ user: `user-${at}`, password: "not-a-secret" }))

/** Lets all of that minute pass but `minute`. */
const passTime = (locks: string) => {
  for (const name of existsSync(locks) ? readdirSync(locks) : []) {
    const path = join(locks, name)
    const then = statSync(path).mtimeMs / 1000 - 60 + minute / 1000
    utimesSync(path, then, then)
  }
}

it.live(
  "P4 S8 INT, TERM and KILL at any moment: the next command waits for what may be worked on, and blames nobody",
  () =>
    Effect.gen(function* () {
      const [first, ...others] = accounts
      assert(first !== undefined)
      const place = yield* ground({
        behaviour: { strict: true },
        world: { accounts: [first, ...others] },
        faults: [
          ...answers.map((delay, at) => fault({ endpoint: "getPerson", path: `*${persons[at]}` }, { delay })),
          fault({ endpoint: "login" }, { delay: 300 })
        ]
      })
      const rounds = longForm ? 10 : 2
      const lane = Effect.fnUntraced(function* ({ password, user }: (typeof accounts)[number]) {
        const locks = join(place.folder, user)
        const env = { ...place.env, SVC_USER: user, SVC_PASSWORD: password, SVC_LOCK_DIR: locks }
        const one = Effect.gen(function* () {
          const person = persons[yield* Random.nextIntBetween(0, persons.length - 1)] ?? ""
          const signal = signals[yield* Random.nextIntBetween(0, signals.length - 1)] ?? "SIGKILL"
          const running = yield* start("svc-api", ["get-person", person], { cwd: place.folder, env })
          yield* until(
            "the command takes a turn",
            Effect.sync(() => existsSync(locks) && readdirSync(locks).some((name) => name.endsWith(".lock")))
          )
          yield* Effect.sleep(yield* Random.nextIntBetween(0, 4000))
          yield* running.kill(signal)
          yield* running.outcome
          passTime(locks)
          return `${signal} ${person}`
        }).pipe(Effect.scoped)
        for (let round = 0; round < rounds; round++) {
          const what = yield* one
          const next = yield* run("svc-api", ["get-person", "LIMS-0001"], { cwd: place.folder, env })
          assert.strictEqual(next.exitCode, 0, `${what}: ${next.stderr}`)
          assert.notMatch(next.stderr, /another program|ended the session/, what)
          assert.deepStrictEqual(readdirSync(locks), [], what)
        }
      })
      yield* Effect.forEach(accounts, lane, { concurrency: "unbounded", discard: true })
      const { abandoned, invalidations, overlaps } = yield* place.stats
      assert.deepStrictEqual({ invalidations, overlaps }, { invalidations: 0, overlaps: 0 })
      // Else nothing was tried.
      assert.isAbove(abandoned, 0)
    }),
  400_000
)
