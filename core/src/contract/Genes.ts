/** The gene list (getAllGenes). */
import * as Schema from "effect/Schema"
import { GeneId } from "./Ids.ts"
import { maybe, record } from "./Record.ts"

const identity = {
  id: GeneId,
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

/** One gene of `GET /virtual-panel-genes` and of a virtual panel. */
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
