/** `create-virtual-panel`. */
import { Effect } from "effect"
import { ServiceJson } from "../../core/src/client/ServiceJson.ts"
import { UsageError } from "../../core/src/Errors.ts"
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
    return ServiceJson.pipe(
      Effect.flatMap((api) => api.createOrUpdateVirtualPanel({ ...rest, name, active, geneIds })),
      Effect.map(jsonLine)
    )
  })
}
