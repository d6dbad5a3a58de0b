/**
 * `--genes`: the genes of a lab, by which its readers find a place without asking another server. Of a BED, or of the many kinds of lines
 * of a GFF3, plain or gzip, only names and places are kept, as BED.
 *
 * Sources: https://samtools.github.io/hts-specs/BEDv1.pdf, https://github.com/The-Sequence-Ontology/Specifications (GFF3 1.26)
 */
import { createReadStream } from "node:fs"
import { pipeline } from "node:stream/promises"
import { createGunzip } from "node:zlib"
import * as Effect from "effect/Effect"
import { errnoOf, type InputMalformed, LocalIo, type NotFound, UsageError } from "../core/src/Errors.ts"
import { isGzip } from "../core/src/genome/bgzf/Bgzf.ts"
import { isPassedOver } from "../core/src/genome/regions/BedFile.ts"
import { printable } from "../core/src/text/Printable.ts"
import { counted } from "../core/src/text/Quantity.ts"
import { mustBeReadable } from "../platform/inputs/InputFile.ts"
import { makePageFile, type PageFile } from "./PageFiles.ts"

/** A genome has some 60,000, which take 3 MB as text. */
const most = 200_000
/** Letters of a line: a binary file may have none that end. */
const longestLine = 1024 * 1024
const longestName = 200

/** 0-based, half-open. */
interface Gene {
  readonly sequence: string
  readonly start: number
  end: number
  readonly name: string
}

/** Why this is no file of genes: the end of a sentence. */
class NoGenes extends Error {}

const wholeNumber = /^\d{1,10}$/

const ofBed = (columns: ReadonlyArray<string>): Gene => {
  const [sequence = "", start = "", end = "", name = ""] = columns
  if (!(wholeNumber.test(start) && wholeNumber.test(end)))
    throw new NoGenes("its second and third column are no start and end")
  if (name.trim() === "") throw new NoGenes("it has no name of a gene in its fourth column")
  return { sequence, start: Number(start), end: Math.max(Number(end), Number(start) + 1), name }
}

/** Null for a line of something else, such as an exon, and for a gene without any name. */
const ofGff3 = (columns: ReadonlyArray<string>): Gene | null => {
  const [sequence = "", , type = "", start = "", end = "", , , , attributes = ""] = columns
  if (!(wholeNumber.test(start) && wholeNumber.test(end)))
    throw new NoGenes("its fourth and fifth column are no start and end")
  if (!attributes.includes("="))
    throw new NoGenes("its ninth column is not NAME=VALUE, as in GFF3 (a GTF is another format)")
  if (!type.endsWith("gene")) return null
  const name = nameForms.map((form) => form.exec(attributes)?.[1]).find((found) => found !== undefined)
  return name === undefined
    ? null
    : { sequence: unescaped(sequence), start: Number(start) - 1, end: Number(end), name: unescaped(name) }
}

/** The first that is there; the others are numbers of a registry. */
const nameForms = [/(?:^|;)(?:gene_name|Name|gene)=([^;]+)/, /(?:^|;)gene_id=([^;]+)/, /(?:^|;)ID=([^;]+)/]

const unescaped = (text: string): string =>
  text.replaceAll(/%[2-7][0-9A-F]/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)))

/** Keeps what lines name. Places of one name that overlap are one: a BED may have each transcript. */
const makeGenes = () => {
  const genes: Array<Gene> = []
  const last = new Map<string, Gene>()
  let number = 0
  let isGff3: boolean | null = null
  let ended = false
  const take = (line: string) => {
    // The sequences of a GFF3 may follow its features.
    ended ||= line.startsWith("##FASTA") || line.startsWith(">")
    if (ended || isPassedOver(line)) return
    const columns = line.split(line.includes("\t") ? "\t" : /\s+/)
    isGff3 ??= columns.length === 9 && !wholeNumber.test(columns[1] ?? "")
    const gene = isGff3 ? ofGff3(columns) : ofBed(columns)
    if (gene === null) return
    if (gene.name.length > longestName || gene.sequence.length > longestName)
      throw new NoGenes("it has a name that is too long")
    const before = last.get(gene.name)
    if (before?.sequence === gene.sequence && before.start <= gene.start && gene.start <= before.end) {
      before.end = Math.max(before.end, gene.end)
      return
    }
    if (genes.length === most) throw new NoGenes(`it is one of more than ${most} genes: leave exons and targets out`)
    genes.push(gene)
    last.set(gene.name, gene)
  }
  return {
    take: (line: string) => {
      number++
      try {
        take(line.replace(number === 1 ? /^\ufeff|\r$/g : /\r$/, ""))
      } catch (error) {
        throw error instanceof NoGenes ? new NoGenes(`line ${number}: ${error.message}`) : error
      }
    },
    found: genes
  }
}

const linesTo = (take: (line: string) => void) => async (chunks: AsyncIterable<Uint8Array>) => {
  const decoder = new TextDecoder("utf-8", { fatal: true })
  let rest = ""
  for await (const chunk of chunks) {
    const lines = `${rest}${decoder.decode(chunk, { stream: true })}`.split("\n")
    rest = lines.pop() ?? ""
    if (rest.length > longestLine) throw new NoGenes("it has a line of more than a million letters")
    for (const line of lines) take(line)
  }
  take(rest + decoder.decode())
}

const firstBytes = async (path: string): Promise<Uint8Array> => {
  for await (const chunk of createReadStream(path, { end: 1 })) return chunk
  return new Uint8Array()
}

const reasonOf = (error: unknown): string | null => {
  if (error instanceof NoGenes) return error.message
  const code = String((error as NodeJS.ErrnoException).code)
  if (code === "ERR_ENCODING_INVALID_ENCODED_DATA") return "it is not UTF-8 text"
  return code.startsWith("Z_") ? "it is cut or damaged" : null
}

/** The genes in a file of this machine; logs how many there are. */
export const readGenes = Effect.fn("svc.gateway.readGenes")(function* (
  path: string
): Effect.fn.Return<PageFile, UsageError | InputMalformed | LocalIo | NotFound> {
  yield* mustBeReadable(path, "--genes")
  const shown = printable(path)
  const bad = (reason: string) =>
    new UsageError({ message: `Invalid gene file: ${shown}: ${reason}: give a BED with names, or a GFF3` })
  const { found, take } = makeGenes()
  yield* Effect.tryPromise({
    try: async (signal) => {
      const source = createReadStream(path)
      if (isGzip(await firstBytes(path))) await pipeline(source, createGunzip(), linesTo(take), { signal })
      else await pipeline(source, linesTo(take), { signal })
    },
    catch: (error) => {
      const reason = reasonOf(error)
      return reason === null ? new LocalIo({ path: shown, operation: "read", errno: errnoOf(error) }) : bad(reason)
    }
  })
  if (found.length === 0) return yield* bad("it names no gene")
  yield* Effect.logInfo(`${shown}: ${counted(found.length, "gene")}`)
  const text = found.map(({ end, name, sequence, start }) => `${sequence}\t${start}\t${end}\t${printable(name)}\n`)
  return yield* Effect.promise(() => makePageFile(Buffer.from(text.join(""))))
})
