/**
 * Files and slices as streams, and what is in them, record by record: nothing touches the disk.
 *
 * Each service stands on `Downloads`: `Reads.layer.pipe(Layer.provideMerge(Service.layerConfig()))`. What fails fails typed, after the
 * records before it; who stops reading stops the fetching.
 *
 * @since 0.1.0
 */
export type { RecordsError } from "../download/Downloads.ts"
export { BamRecord } from "./BamRecord.ts"
export { Reads, type ReadsHeader } from "./Reads.ts"
export { type RecordsOptions, type SliceOptions, Slices } from "./Slices.ts"
export { type Variant, Variants, type VariantsHeader } from "./Variants.ts"
