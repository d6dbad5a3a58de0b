/** `--genome`: what the view of the page shows reads against, in place of the bare sequences of the header. */
import { basename } from "node:path"

export interface Genome {
  /** As igv.js takes it: the id of one that it knows, or addresses. Those of our own are relative to the root of the gateway. */
  readonly reference: string | Readonly<Record<string, string>>
  /** From where the page then loads; nothing else is. */
  readonly origins: ReadonlyArray<string>
  /** Files of this machine that are served below `/genome/`, by their names there. */
  readonly files: ReadonlyMap<string, string>
}

/** A word is an id; what has a slash or the ending of a genome is an address, or a file. Null for what is none of these. */
export const genomeOf = (text: string): Genome | null => {
  if (/^https?:\/\//i.test(text)) {
    if (!URL.canParse(text)) return null
    const { origin, pathname } = new URL(text)
    return ending.test(pathname) ? { reference: addresses(text), origins: [origin], files: new Map() } : null
  }
  if (text.includes("/") || ending.test(text)) {
    const name = basename(text)
    if (name === "" || !ending.test(text)) return null
    const files = isTwoBit(text)
      ? [[name, text] as const]
      : ([[name, text] as const, [`${name}.fai`, `${text}.fai`] as const] as const)
    return { reference: addresses(`genome/${encodeURIComponent(name)}`), origins: [], files: new Map(files) }
  }
  // Its sequence, genes and bands lie with several hosts, which only igv.org knows.
  return /^[\w.-]+$/.test(text) ? { reference: text, origins: ["https:"], files: new Map() } : null
}

const ending = /\.(?:fa|fasta|fna|2bit)$/i
const isTwoBit = (text: string) => /\.2bit(?:\?|$)/i.test(text)

/** The index of a FASTA file lies beside it; a signed address has its signature behind the name. */
const addresses = (url: string): Readonly<Record<string, string>> =>
  isTwoBit(url)
    ? { id: "genome", twoBitURL: url }
    : { id: "genome", fastaURL: url, indexURL: url.replace(/(?=\?|$)/, ".fai") }
