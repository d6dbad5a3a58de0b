/** Faults of a sandbox that runs: in this process or, by its address, in another. */
import { Effect } from "effect"
import type { FaultRule } from "../sandbox/Faults.ts"

export const fault = (when: FaultRule["when"], effect: FaultRule["then"]): FaultRule => ({ when, then: effect })

/**
 * Every request for links stays in flight for so many milliseconds. Programs that start at about the same time then meet at the
 * service, unless something keeps them apart: without this, tests of that something pass by luck when it is gone.
 */
export const lingering = (milliseconds: number): FaultRule =>
  fault({ plane: "api", endpoint: "getFileDownloadLinks" }, { delay: milliseconds })

/** Replaces the faults of the sandbox at `url`. */
export const setFaults = (url: string, rules: ReadonlyArray<FaultRule>): Effect.Effect<void> =>
  Effect.promise(async () => {
    const reply = await fetch(`${url}/__sandbox/faults`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(rules)
    })
    if (!reply.ok) throw new Error(await reply.text())
  })
