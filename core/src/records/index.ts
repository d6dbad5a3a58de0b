/**
 * Files and slices as streams, and what is in them, record by record: nothing touches the disk.
 *
 * Each service stands on `Downloads`: `Reads.layer.pipe(Layer.provideMerge(Service.layerConfig()))`. What fails fails typed, after the
 * records before it; who stops reading stops the fetching.
 *
 * @since 0.1.0
 */
export { BamRecord } from "./BamRecord.ts"
export {
  type HeaderFields,
  type Program,
  type ReadGroup,
  Reads,
  type ReadsHeader,
  type ReferenceSequence
} from "./Reads.ts"
export { type RecordsError, type RecordsOptions, type SliceOptions, Slices } from "./Slices.ts"
export { type Contig, type Variant, Variants, type VariantsHeader } from "./Variants.ts"
