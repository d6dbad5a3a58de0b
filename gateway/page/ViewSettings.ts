/** What igv.js is told of a genome and of a track, and to whom it shows the token. Pure. */
import type { FileName } from "./Address.ts"

export interface Track extends FileName {
  readonly kind: string
  readonly url: string
  readonly indexUrl: string
}

/** As igv.js takes a reference. */
export type Genome = Readonly<Record<string, string>>

/** Has the gateway send bytes also where it redirects others: a page cannot read from a link host that allows no pages. */
export const relayed = { "Svc-Relay": "1" }

const formats: Readonly<Record<string, { readonly type: string; readonly format: string; readonly height?: number }>> =
  {
    bam: { type: "alignment", format: "bam", height: 320 },
    "vcf.gz": { type: "variant", format: "vcf" }
  }

export const isShown = (kind: string): boolean => kind in formats

export const hasReads = ({ kind }: Track): boolean => formats[kind]?.type === "alignment"

/** igv.js takes a name for markup. */
export const withoutMarkup = (text: string): string => text.replaceAll("<", "‹").replaceAll(">", "›")

/** How the view calls a file. */
export const labelOf = ({ analysis, name }: FileName): string =>
  withoutMarkup(analysis === null ? name : `${analysis} ${name}`)

/** With what is asked for at a place of the gateway. A token that igv.js has for a host goes to each of its ports. */
const shown = (token: string | null) => (token === null ? {} : { oauthToken: token })

/** @param token - what the gateway wants to see, null for nothing */
export const trackOf = (track: Track, token: string | null) => ({
  ...formats[track.kind],
  name: labelOf(track),
  url: track.url,
  indexURL: track.indexUrl,
  // igv.js writes into it.
  headers: { ...relayed },
  ...shown(token)
})

/** The sequences that a header names, of which igv.js takes the first two columns as a file of chromosome sizes. */
export const headerReference = (track: Track, header: string) => ({
  id: labelOf(track),
  format: "chromsizes",
  fastaURL: new File([header], "sequences"),
  wholeGenomeView: false
})

/** The genes of the gateway, which need not be asked for again. */
export const geneTrack = (bed: string) => ({
  name: "Genes",
  type: "annotation",
  format: "bed",
  url: new File([withoutMarkup(bed)], "genes.bed"),
  displayMode: "EXPANDED",
  height: 60,
  order: -1
})

/**
 * The genome of the gateway.
 *
 * @param told - by the page, as JSON, with addresses from the root of the gateway
 */
export const genomeOf = (told: string, root: URL, token: string | null): Genome => {
  const entries = Object.entries<string>(JSON.parse(told))
  const whole = entries.map(([key, value]) => [key, key.endsWith("URL") ? new URL(value, root).href : value])
  return { ...Object.fromEntries(whole), ...shown(token) }
}
