import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { PersonRecord } from "./SampleRecords.ts"
import type { WireId } from "./WireIds.ts"
import { type PanelRecord, World } from "./World.ts"

/** The records clients can change: persons and virtual panels, and which panel a user looked at a person with last. */
export class Registry extends Context.Service<Registry>()("svc-steps/sandbox/Registry", {
  make: Effect.gen(function* () {
    const world = yield* World
    const byLimsId = new Map<string, PersonRecord>()
    const panels = new Map<string, PanelRecord>()
    const chosen = new Map<string, string>()
    const reset = () => {
      byLimsId.clear()
      panels.clear()
      chosen.clear()
      for (const person of world.persons) byLimsId.set(person.limsId, person)
      for (const panel of world.panels) panels.set(String(panel.id), panel)
    }
    reset()
    return {
      persons: () => [...byLimsId.values()],
      personByLimsId: (limsId: string) => byLimsId.get(limsId),
      personById: (id: string) => [...byLimsId.values()].find((person) => String(person.id) === id),
      /** Adds or replaces the person of this LIMS id; a new one gets the next internal id. */
      savePerson: (person: Omit<PersonRecord, "id">): PersonRecord => {
        const saved = { ...person, id: byLimsId.get(person.limsId)?.id ?? world.ids.person(byLimsId.size + 1) }
        byLimsId.set(person.limsId, saved)
        return saved
      },
      panels: () => [...panels.values()],
      panel: (id: string) => panels.get(id),
      savePanel: (panel: Omit<PanelRecord, "id"> & { readonly id: WireId | null }): PanelRecord => {
        const saved = { ...panel, id: panel.id ?? world.ids.panel(panels.size + 1) }
        panels.set(String(saved.id), saved)
        return saved
      },
      /**
       * The genes an answer about a person is restricted to: those of the given panel, which is remembered for this user
       * and person, or of the panel remembered last, or all.
       */
      chosenGenes: (user: string, limsId: string, panelId: string | undefined) => {
        const key = `${user}\n${limsId}`
        if (panelId !== undefined) chosen.set(key, panelId)
        const panel = panels.get(chosen.get(key) ?? "1")
        return panel === undefined ? world.genes : world.genes.filter((gene) => panel.geneIds.includes(gene.id))
      },
      reset
    }
  })
}) {
  static readonly layer = Layer.effect(Registry, Registry.make)
}
