import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { VirtualPanelUpdate } from "../core/src/contract/Panels.ts"
import { api } from "./Endpoints.ts"
import type { PanelRecord } from "./SampleRecords.ts"
import { State } from "./State.ts"
import { bare, envelopedAnswer, type Json, refusal, withJson } from "./WireJson.ts"

const allGenes = "1"

const refuse = (why: string) => refusal(200, "INVALID_VIRTUAL_PANEL", why)

/** What the service answers about virtual panels and genes: docs/dev/service.md 12. */
export const panelHandlers = HttpApiBuilder.group(
  api,
  "panel",
  Effect.fn(function* (handlers) {
    const { registry, world } = yield* State
    const genesOf = (panel: PanelRecord) => world.genes.filter((gene) => panel.geneIds.includes(gene.id))

    const panelOf = (id: string) => {
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
    }

    const summaryOf = (panel: PanelRecord) => {
      const genes = genesOf(panel)
      return {
        id: panel.id,
        name: panel.name,
        numberOfGenesInPanel: genes.length,
        lengthOfTranscriptsCds: genes.reduce((sum, gene) => sum + Number(gene.record["transcriptCdsLength"]), 0),
        active: panel.active,
        description: panel.description,
        personId: panel.personId,
        creator: "b.approver",
        creationTime: "2026-04-21T11:02:09.004Z",
        usageCount: 3
      }
    }

    /** Stores a panel; one without an id becomes a new panel. */
    const save = ({ active, description, geneIds, id = null, name, personId }: VirtualPanelUpdate) => {
      const wanted = new Set<string>(geneIds)
      const genes = world.genes.filter((gene) => wanted.has(String(gene.id)))
      if (wanted.size === 0) return refuse("geneIds must not be empty")
      if (genes.length < wanted.size) return refuse("geneIds names a gene that does not exist")
      if (name === "") return refuse("name must not be empty")
      const old = id === null ? undefined : registry.panel(id)
      if (id !== null && (old === undefined || id === allGenes)) return refuse(`Panel ${id} cannot be changed`)
      const saved = registry.savePanel({
        id: old?.id ?? null,
        name,
        active,
        description: description ?? null,
        personId: registry.personById(personId ?? "")?.id ?? null,
        geneIds: genes.map((gene) => gene.id)
      })
      return envelopedAnswer(saved.id)
    }

    return handlers
      .handle("getVirtualPanel", ({ params }) => Effect.sync(() => panelOf(params.id)))
      .handleRaw("createOrUpdateVirtualPanel", withJson(VirtualPanelUpdate, save))
      .handle("getVirtualPanelSummaries", () =>
        Effect.sync(() => {
          const shown = registry.panels().filter((panel) => String(panel.id) !== allGenes)
          return envelopedAnswer(shown.map(summaryOf))
        })
      )
      .handle("getAllGenes", () => Effect.sync(() => envelopedAnswer(world.genes.map((gene) => gene.record))))
  })
)

/** What is known of the variants of a gene, as rows without a header; for the generic request. */
export const variantsOfGene = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const { genes } = (yield* State).world
    yield* router.add("GET", "/search/griddata", ({ url }) =>
      Effect.sync(() => {
        const asked = new URL(url, "http://sandbox").searchParams.get("gene")
        const rows = genes
          .filter(({ symbol }) => symbol === asked)
          .map(
            ({ chromosome, start, symbol, transcript }): Json => [
              ...["c.76A>G", chromosome, start + 75, transcript, "p.Lys26Glu", "SNV", symbol],
              ...[2, 0, false, "Uncertain significance"]
            ]
          )
        return bare({ data: rows })
      })
    )
  })
)
