import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import type { VirtualPanelUpdate } from "../core/src/contract/Panels.ts"
import { bare, envelopedAnswer, refusal } from "./Envelope.ts"
import { Registry } from "./Registry.ts"
import type { Json } from "./WireIds.ts"
import { type PanelRecord, World } from "./World.ts"

type Answer = Effect.Effect<HttpServerResponse.HttpServerResponse>

const allGenes = "1"

/** What the service answers about virtual panels and genes: docs/dev/service.md 12. */
export class PanelAnswers extends Context.Service<
  PanelAnswers,
  {
    readonly panel: (id: string) => Answer
    /** All but the panel "all genes". */
    readonly summaries: Answer
    /** Stores a panel; one without an id becomes a new panel. */
    readonly save: (update: VirtualPanelUpdate) => Answer
    readonly genes: Answer
    /** What is known of the variants of a gene, as rows without a header. */
    readonly variantsOfGene: (symbol: string) => Answer
  }
>()("svc-steps/sandbox/PanelAnswers") {
  static readonly layer = Layer.effect(
    PanelAnswers,
    Effect.gen(function* () {
      const world = yield* World
      const registry = yield* Registry

      const genesOf = (panel: PanelRecord) => world.genes.filter((gene) => panel.geneIds.includes(gene.id))
      const refuse = (why: string) => refusal(200, "INVALID_VIRTUAL_PANEL", why)

      return PanelAnswers.of({
        panel: (id) =>
          Effect.sync(() => {
            const panel = registry.panel(id)
            if (panel === undefined) return envelopedAnswer(null)
            const { active, description, name, personId } = panel
            return envelopedAnswer({
              id: panel.id,
              name,
              active,
              genes: genesOf(panel).map((gene) => gene.record),
              description,
              personId
            })
          }),
        summaries: Effect.sync(() =>
          envelopedAnswer(
            registry
              .panels()
              .filter((panel) => String(panel.id) !== allGenes)
              .map((panel) => {
                const genes = genesOf(panel)
                return {
                  id: panel.id,
                  name: panel.name,
                  numberOfGenesInPanel: genes.length,
                  lengthOfTranscriptsCds: genes.reduce(
                    (sum, gene) => sum + Number(gene.record["transcriptCdsLength"]),
                    0
                  ),
                  active: panel.active,
                  description: panel.description,
                  personId: panel.personId,
                  creator: "b.approver",
                  creationTime: "2026-04-21T11:02:09.004Z",
                  usageCount: 3
                }
              })
          )
        ),
        save: (update) =>
          Effect.gen(function* () {
            const { active, description, geneIds, id = null, name, personId } = update
            const wanted = new Set<string>(geneIds)
            const genes = world.genes.filter((gene) => wanted.has(String(gene.id)))
            if (wanted.size === 0) return refuse("geneIds must not be empty")
            if (genes.length < wanted.size) return refuse("geneIds names a gene that does not exist")
            if (name === "") return refuse("name must not be empty")
            const old = id === null ? undefined : registry.panel(id)
            if (id !== null && (old === undefined || id === allGenes)) return refuse(`Panel ${id} cannot be changed`)
            const saved = yield* registry.savePanel({
              id: old?.id ?? null,
              name,
              active,
              description: description ?? null,
              personId: registry.personById(personId ?? "")?.id ?? null,
              geneIds: genes.map((gene) => gene.id)
            })
            return envelopedAnswer(saved.id)
          }),
        genes: Effect.sync(() => envelopedAnswer(world.genes.map((gene) => gene.record))),
        variantsOfGene: (symbol) =>
          Effect.sync(() => {
            const rows = world.genes
              .filter((gene) => gene.symbol === symbol)
              .map(
                (gene): Json => [
                  "c.76A>G",
                  gene.chromosome,
                  gene.start + 75,
                  gene.transcript,
                  "p.Lys26Glu",
                  "SNV",
                  gene.symbol,
                  2,
                  0,
                  false,
                  "Uncertain significance"
                ]
              )
            return bare({ data: rows })
          })
      })
    })
  )
}
