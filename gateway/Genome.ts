/** `--genome`: bases of this machine, against which the view of the page shows reads in place of the bare sequences of their header. */
import { basename } from "node:path"

export interface Genome {
  /** As igv.js takes it, with addresses from the root of the gateway. */
  readonly reference: Readonly<Record<string, string>>
  /** What is served below `/genome/`, by its name there. */
  readonly files: ReadonlyMap<string, string>
}

/** Of a FASTA, whose index lies beside it, or a 2bit. Null for the path of something else. */
export const genomeOf = (path: string): Genome | null => {
  const name = basename(path)
  const [, ending] = /\.(fa|fasta|fna|2bit)$/i.exec(name) ?? []
  if (ending === undefined) return null
  const address = `genome/${encodeURIComponent(name)}`
  return ending.toLowerCase() === "2bit"
    ? { reference: { id: "genome", twoBitURL: address }, files: new Map([[name, path]]) }
    : {
        reference: { id: "genome", fastaURL: address, indexURL: `${address}.fai` },
        files: new Map([
          [name, path],
          [`${name}.fai`, `${path}.fai`]
        ])
      }
}
