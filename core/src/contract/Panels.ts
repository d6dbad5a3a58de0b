/** Virtual gene panels (getVirtualPanel, createOrUpdateVirtualPanel, getVirtualPanelSummaries). */
import * as Schema from "effect/Schema"
import { Gene } from "./Genes.ts"
import { GeneId, PanelId, PersonId } from "./Ids.ts"
import { maybe, record } from "./Record.ts"

/** One panel of `GET /virtual-panels`; the panel "all genes" is not among them. */
export const VirtualPanelSummary = record("VirtualPanelSummary", {
  id: PanelId,
  name: maybe(Schema.String),
  numberOfGenesInPanel: maybe(Schema.Int),
  /** Bases. */
  lengthOfTranscriptsCds: maybe(Schema.Int),
  active: maybe(Schema.Boolean),
  description: maybe(Schema.String),
  personId: maybe(PersonId),
  creator: maybe(Schema.String),
  creationTime: maybe(Schema.String),
  usageCount: maybe(Schema.Int)
})
export type VirtualPanelSummary = typeof VirtualPanelSummary.Type

/** The payload of `GET /virtual-panel/{id}`. */
export const VirtualPanel = record("VirtualPanel", {
  id: maybe(PanelId),
  name: Schema.String,
  active: maybe(Schema.Boolean),
  genes: Schema.Array(Gene),
  description: maybe(Schema.String),
  personId: maybe(PersonId)
})
export type VirtualPanel = typeof VirtualPanel.Type

/** The body of `POST /api/virtual-panel`: without `id` a panel is created, with `id` it is replaced. */
export const VirtualPanelUpdate = record("VirtualPanelUpdate", {
  id: maybe(PanelId),
  name: Schema.String,
  active: Schema.Boolean,
  /** At least one gene. */
  geneIds: Schema.Array(GeneId),
  description: maybe(Schema.String),
  personId: maybe(PersonId)
})
export type VirtualPanelUpdate = typeof VirtualPanelUpdate.Type
