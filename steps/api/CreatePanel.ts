/** `create-virtual-panel`: creates a panel, and looks for it by name when the answer is lost. */
import * as Effect from "effect/Effect"
import { ServiceClient, ServiceJson } from "../../core/src/client/ServiceClient.ts"
import type { VirtualPanelUpdate } from "../../core/src/contract/Panels.ts"
import { UsageError } from "../../core/src/Errors.ts"
import { changeAndLook } from "./LookAfterwards.ts"
import { panelChanges, panelProblems } from "./PanelFields.ts"
import { jsonLine, type Special } from "./Special.ts"

export const createPanel: Special = {
  check: (_, own) => [
    ...panelProblems(own),
    ...(own.given("input")
      ? []
      : ["name", "gene-ids"].filter((name) => !own.given(name)).map((name) => `Missing required argument --${name}`))
  ],
  prepare: Effect.fnUntraced(function* (_, own) {
    const { active = true, geneIds, id, name, ...rest } = yield* panelChanges(own)
    if (id != null) {
      return yield* new UsageError({
        message: `The input has an id: svc-api update-virtual-panel ${id} changes a panel`
      })
    }
    if (name === undefined || geneIds === undefined) {
      return yield* new UsageError({ message: "A new panel needs name and geneIds" })
    }
    return create({ ...rest, name, active, geneIds })
  })
}

const create = Effect.fn("svc.step.createPanel")(function* (panel: VirtualPanelUpdate) {
  const { createOrUpdateVirtualPanel } = yield* ServiceJson
  return jsonLine(
    yield* changeAndLook(createOrUpdateVirtualPanel(panel), look(panel.name), `Virtual panel ${panel.name}`)
  )
})

/** Looks for panels of that name. One may have existed before, so only a person can tell which of them is new. */
const look = (name: string) =>
  ServiceClient.pipe(
    Effect.flatMap((api) => api.getVirtualPanelSummaries),
    Effect.map((panels) => panels.filter((panel) => panel.name === name).map(({ id }) => id)),
    Effect.map((ids) => ({
      found:
        ids.length === 0
          ? "a look afterwards found no panel of that name"
          : `a look afterwards found the name at panel ${ids.join(", ")}: see whether that is the new one`
    }))
  )
