/**
 * The identifiers of the service. Each is text of a brand of its own: `AnalysisId.make("A1")`.
 *
 * @since 0.1.0
 */
export { AnalysisId, GeneId, LimsId, PanelId, PersonId, SampleId } from "../contract/Ids.ts"
