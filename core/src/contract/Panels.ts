/**
 * Genes (getAllGenes), and the virtual panels made of them (getVirtualPanel, createOrUpdateVirtualPanel, getVirtualPanelSummaries).
 */
import * as Schema from "effect/Schema"
import { WireGeneId, WirePanelId, WirePersonId } from "./Ids.ts"
import { maybe, record } from "./Record.ts"

const identity = {
  id: WireGeneId,
  omimId: maybe(Schema.Int),
  ensemblId: maybe(Schema.String),
  hgncId: maybe(Schema.Int),
  lrgId: maybe(Schema.Int),
  name: maybe(Schema.String),
  /** Bases. */
  transcriptCdsLength: maybe(Schema.Int),
  transcriptExonCount: maybe(Schema.Int),
  chromosome: maybe(Schema.String),
  /** Cytogenetic band. */
  chromosomeLocation: maybe(Schema.String),
  hpoTerms: maybe(Schema.Array(Schema.String))
}

/**
 * One gene of `GET /virtual-panel-genes` and of a virtual panel.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Gene = record("Gene", {
  ...identity,
  ncbiId: maybe(Schema.Int),
  symbol: Schema.String,
  transcript: maybe(Schema.String)
})
export type Gene = typeof Gene.Type

/** A gene inside a case report: like {@link Gene}, with a transcript and perhaps without a symbol. */
export const ReportGene = record("ReportGene", {
  ...identity,
  ncbiId: maybe(Schema.Int),
  symbol: maybe(Schema.String),
  transcript: maybe(Schema.String)
})
export type ReportGene = typeof ReportGene.Type

/**
 * One panel of `GET /virtual-panels`; the panel "all genes" is not among them.
 *
 * @category schemas
 * @since 0.1.0
 */
export const VirtualPanelSummary = record("VirtualPanelSummary", {
  id: WirePanelId,
  name: maybe(Schema.String),
  numberOfGenesInPanel: maybe(Schema.Int),
  /** Bases. */
  lengthOfTranscriptsCds: maybe(Schema.Int),
  active: maybe(Schema.Boolean),
  description: maybe(Schema.String),
  personId: maybe(WirePersonId),
  creator: maybe(Schema.String),
  creationTime: maybe(Schema.String),
  usageCount: maybe(Schema.Int)
})
export type VirtualPanelSummary = typeof VirtualPanelSummary.Type

/**
 * The payload of `GET /virtual-panel/{id}`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const VirtualPanel = record("VirtualPanel", {
  id: maybe(WirePanelId),
  name: Schema.String,
  active: maybe(Schema.Boolean),
  genes: Schema.Array(Gene),
  description: maybe(Schema.String),
  personId: maybe(WirePersonId)
})
export type VirtualPanel = typeof VirtualPanel.Type

/**
 * The body of `POST /api/virtual-panel`: without `id` a panel is created, with `id` it is replaced.
 *
 * @category schemas
 * @since 0.1.0
 */
export const VirtualPanelUpdate = record("VirtualPanelUpdate", {
  id: maybe(WirePanelId),
  name: Schema.String,
  active: Schema.Boolean,
  /** At least one gene. */
  geneIds: Schema.Array(WireGeneId),
  description: maybe(Schema.String),
  personId: maybe(WirePersonId)
})
export type VirtualPanelUpdate = typeof VirtualPanelUpdate.Type
