/** The restoration of an archived file, times as written where they are known: ISO 8601 unless the service errs. */
export interface Restoration {
  readonly requestedAt: string | null
  readonly estimate: string | null
}
