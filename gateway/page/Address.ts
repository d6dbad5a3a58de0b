/** What stands behind the `#` of the page's address: files that are shown, and where; `S1.bam&with=A2/S2.bam&locus=chr17:1-2`. Pure. */

/** A file of this analysis, or of another one. */
export interface FileName {
  readonly name: string
  /** Null for the one whose page this is. */
  readonly analysis: string | null
}

export interface Shown {
  /** None where no file is named. */
  readonly files: ReadonlyArray<FileName>
  /** Null where a file is named, and nothing of it shown. */
  readonly locus: string | null
}

/** As it is where somebody wrote it by hand. */
const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export const shownIn = (hash: string): Shown => {
  const [first = "", ...more] = hash.slice(1).split("&")
  const values = (key: string) =>
    more.flatMap((part) => (part.startsWith(`${key}=`) ? [part.slice(key.length + 1)] : []))
  const others = values("with").map((text): FileName => {
    const [analysis, name] = text.split("/", 2).map(decoded)
    return name === undefined ? { name: analysis ?? "", analysis: null } : { name, analysis: analysis ?? "" }
  })
  return {
    files: [...(first === "" ? [] : [{ name: decoded(first), analysis: null }]), ...others],
    locus: values("locus").map(decoded)[0] ?? null
  }
}

export const hashOf = ({ files, locus }: Shown): string => {
  const first = files.find(({ analysis }) => analysis === null)
  const others = files.filter((file) => file !== first)
  const parts = [
    encodeURIComponent(first?.name ?? ""),
    ...others.map(
      ({ analysis, name }) =>
        `with=${analysis === null ? "" : `${encodeURIComponent(analysis)}/`}${encodeURIComponent(name)}`
    ),
    ...(locus === null ? [] : [`locus=${encodeURIComponent(locus).replaceAll("%3A", ":")}`])
  ]
  return `#${parts.join("&")}`
}
