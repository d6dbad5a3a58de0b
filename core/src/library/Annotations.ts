/**
 * The annotated variants of an analysis, row by row, in a table of any size.
 *
 * @since 0.1.0
 */
export { type AnnotationOptions, type AnnotationRow, Annotations } from "../annotations/Annotations.ts"
export type { AnnotationsError } from "../annotations/AnnotationsFetch.ts"
export type { Column } from "../annotations/Columns.ts"
