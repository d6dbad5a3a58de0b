/** What is counted over a whole process, for those who watch many runs (docs/report.md). */
import type * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"

/** `api` is the service, `link` are the hosts of files. */
export type Plane = "api" | "link"

const makeCounters = (name: string, description: string) => {
  const counter = Metric.counter(name, { description, incremental: true })
  const of = (plane: Plane) => Metric.withAttributes(counter, { plane })
  return { api: of("api"), link: of("link") } as const
}

const requests = makeCounters("svc.requests", "Requests sent, those that are repeated too")
const bytes = makeCounters("svc.bytes", "Bytes of bodies that came")
const retries = makeCounters("svc.retries", "Requests sent again after a failure")
const logins = Metric.counter("svc.logins", { description: "Times the password was sent", incremental: true })

export const countRequest = (plane: Plane): Effect.Effect<void> => Metric.update(requests[plane], 1)
export const countBytes = (plane: Plane, count: number): Effect.Effect<void> => Metric.update(bytes[plane], count)
export const countRetry = (plane: Plane): Effect.Effect<void> => Metric.update(retries[plane], 1)
export const countLogin: Effect.Effect<void> = Metric.update(logins, 1)
