/**
 * The hours of a restoration in a moment: restore-and-wait.ts with a service in this process, under a TestClock.
 *
 *     node restore-under-test-clock.ts A3
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Clock, Console, Duration, Effect, Fiber, Layer, Queue } from "effect"
import { TestClock } from "effect/testing"
import { AnalysisId } from "svc-steps"
import { restored } from "./restore-and-wait.ts"
import { sandboxLayer } from "./sandbox-layer.ts"

const program = Effect.fn("program")(function* (analysis: AnalysisId) {
  const sleeps = yield* Queue.unbounded<Duration.Duration>()
  const waiting = yield* Effect.forkChild(restored(analysis, (_, sleep) => Queue.offer(sleeps, sleep)))
  // Time goes on only while nothing is asked: a request in flight would run into its timeout.
  yield* Effect.forkChild(Effect.forever(Effect.flatMap(Queue.take(sleeps), TestClock.adjust)))
  yield* Fiber.join(waiting)
  yield* Console.log(`after ${Math.floor(Duration.toHours(yield* Clock.currentTimeMillis))} hours`)
})

const [analysis = ""] = process.argv.slice(2)
// The service in the box goes by the same clock.
const world = sandboxLayer({ switches: { strict: true, restoreDelay: Duration.hours(8) } }).pipe(
  Layer.provideMerge(TestClock.layer())
)
program(AnalysisId.make(analysis)).pipe(Effect.provide(world), NodeRuntime.runMain)
