/**
 * What `--links` prints: the presigned links themselves, because the user asked for them and for nothing else.
 *
 * The only place where a link leaves its `Redacted`. A link is a key to patient data until it expires.
 */
import { Redacted } from "effect"

export interface LinkEntry {
  readonly analysisId: string
  readonly fileName: string
  /** Bytes; null when unknown. */
  readonly size: number | null
  readonly link: Redacted.Redacted
  /** When the link stops working as far as its own text tells. */
  readonly expiresAt: Date | null
}

/** The raw link, byte for byte. */
export const linkText = (entry: Pick<LinkEntry, "link">): string => Redacted.value(entry.link)

/** The document of `--links --format json`, schema `svc.links/1`. */
export const linksJson = (entries: ReadonlyArray<LinkEntry>) => ({
  schema: "svc.links/1",
  files: entries.map(({ analysisId, fileName, size, link, expiresAt }) => ({
    analysisId,
    fileName,
    size,
    link: Redacted.value(link),
    expiresAt: expiresAt === null ? null : expiresAt.toISOString()
  }))
})
