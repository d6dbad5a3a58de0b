/** A program that stops reading the events of a run: whenever it does, the disk is as after a kill, and the session is ended. */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Path, Redacted, Stream } from "effect"
import { Downloads } from "../../core/src/download/Downloads.ts"
import type { RunEvent } from "../../core/src/download/RunEvent.ts"
import { Listener } from "../../core/src/download/RunEvents.ts"
import { makeRunRecord } from "../../core/src/download/RunRecord.ts"
import * as Service from "../../platform/Service.ts"
import { fault, ground, namesIn, sha256 } from "../DownloadGround.ts"
import { setFaults } from "../SandboxFaults.ts"

const stops: ReadonlyArray<readonly [what: string, when: (event: RunEvent) => boolean]> = [
  ["before anything is fetched", ({ _tag }) => _tag === "Planned"],
  ["when transfers begin", ({ _tag }) => _tag === "Begun"],
  ["in the middle of a file", (event) => event._tag === "Progress" && event.progress._tag === "Bytes"],
  ["after the first file", ({ _tag }) => _tag === "Finished"]
]

describe("a run whose reader is stopped", () => {
  for (const [what, when] of stops) {
    it.live(`P4 ${what}: ends within a second, logs out, and the next run goes on`, () =>
      Effect.gen(function* () {
        // The second file never ends, so that the run can only be stopped.
        const { folder, password, stats, url, user } = yield* ground({
          faults: [fault({ plane: "link", file: "S2.bam" }, { stall: 1000 })]
        })
        const out = join(folder, "out")
        const service = Service.layer({
          baseUrl: new URL(url),
          username: user,
          password: Redacted.make(password),
          lockDir: join(folder, "locks"),
          restorationFile: join(folder, "r.json")
        })
        const options = { analysisIds: ["A1", "A2"], filetypes: ["bam"], destination: out, connections: 1 } as const
        const record = yield* Effect.provide(makeRunRecord, Path.layer)
        let stoppedAt = 0n
        const stop = Effect.suspend(() => {
          stoppedAt = process.hrtime.bigint()
          return Effect.interrupt
        })
        const exit = yield* Downloads.use(({ events }) =>
          Stream.runForEach(events(options), (event) => (event._tag !== "Ended" && when(event) ? stop : Effect.void))
        ).pipe(Effect.provide(service), Effect.provideService(Listener, record.note), Effect.exit)
        assert.isBelow(Number(process.hrtime.bigint() - stoppedAt) / 1e9, 1)
        assert.isTrue(Exit.hasInterrupts(exit))
        const { logins, logouts } = yield* stats
        assert.deepStrictEqual([logins, logouts], [1, 1])
        // What is under a final name is whole; everything else is a part of ours, or nothing.
        const whole = (yield* record.results).filter(({ _tag }) => _tag === "Downloaded")
        const names = namesIn(out)
        assert.deepStrictEqual(
          names.filter((name) => !name.startsWith(".")),
          whole.map(({ fileName }) => fileName)
        )
        assert.isEmpty(names.filter((name) => name.endsWith(".lock")))
        yield* setFaults(url, [])
        const { results } = yield* Downloads.use(({ fetch }) => fetch(options)).pipe(Effect.provide(service))
        for (const result of results) {
          if (result._tag === "Downloaded") assert.strictEqual(sha256(out, result.fileName), result.sha256)
        }
        assert.deepStrictEqual(namesIn(out), ["S1.bam", "S2.bam"])
      })
    )
  }
})
