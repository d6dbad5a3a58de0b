/** What stands behind the `#` of the page's address: files of the view, and where it is, as in `S1.bam&A2/S2.bam&locus=chr17:1-2`. Pure. */

/** A file of this analysis, or of another one. */
export interface FileName {
  readonly name: string
  /** Null for the one whose page this is. */
  readonly analysis: string | null
}

export interface Shown {
  readonly files: ReadonlyArray<FileName>
  /** Null for where the first records are. */
  readonly locus: string | null
}

const locusKey = "locus="

/** As it is where somebody wrote it by hand. */
const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const fileIn = (part: string): FileName => {
  const [first = "", second] = part.split("/").map(decoded)
  return second === undefined ? { name: first, analysis: null } : { name: second, analysis: first }
}

export const shownIn = (hash: string): Shown => {
  const parts = hash.slice(1).split("&")
  const locus = parts.find((part) => part.startsWith(locusKey))
  return {
    files: parts.filter((part) => part !== "" && !part.startsWith(locusKey)).map(fileIn),
    locus: locus === undefined ? null : decoded(locus.slice(locusKey.length))
  }
}

export const hashOf = ({ files, locus }: Shown): string => {
  const parts = files.map(({ analysis, name }) =>
    (analysis === null ? [name] : [analysis, name]).map(encodeURIComponent).join("/")
  )
  const place = locus === null ? [] : [`${locusKey}${encodeURIComponent(locus).replaceAll("%3A", ":")}`]
  return `#${[...parts, ...place].join("&")}`
}
