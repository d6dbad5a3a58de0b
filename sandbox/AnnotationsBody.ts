/** The body of an annotations answer, generated while it is read. */
import * as Stream from "effect/Stream"
import { annotationsHeader, type GeneEntry } from "./SampleRecords.ts"
import * as SeededRandom from "./samples/SeededRandom.ts"

const comments = [
  null,
  null,
  null,
  "",
  'said "likely benign"',
  "Größe prüfen – 5′ UTR",
  "tab\tand\nnew line",
  "a, b; c"
] as const

/** Rows rendered once and sent again and again, each time with new ids: generating must be faster than any reader. */
const rowsPerBlock = 2048

const idStart = `,["V`.length
const idDigits = 10

const renderBlock = (genes: ReadonlyArray<GeneEntry>, seed: number) => {
  const random = SeededRandom.make(seed)
  const bases = ["A", "C", "G", "T"] as const
  const [first, ...others] = genes
  const starts: Array<number> = []
  const rows: Array<Buffer> = []
  let at = 0
  for (let i = 0; i < rowsPerBlock && first !== undefined; i++) {
    const gene = random.pick([first, ...others])
    const position = random.between(gene.start, gene.end + 1)
    const ref = random.pick(bases)
    const alt = random.pick(bases.filter((base) => base !== ref) as [string, ...Array<string>])
    const row = [
      `V${"0".repeat(idDigits)}`,
      gene.chromosome,
      position,
      ref,
      alt,
      gene.symbol,
      random.chance(0.3) ? [gene.transcript, `${gene.transcript}.2`] : [gene.transcript],
      `c.${random.between(1, 4001)}${ref}>${alt}`,
      random.pick([0.5, 0.48, 1, SeededRandom.measuredValue(random, 0, 1, 4)]),
      random.between(8, 401),
      random.pick(["het", "het", "hom"]),
      random.chance(0.4) ? null : SeededRandom.measuredValue(random, 0, 1, 3),
      random.chance(0.5) ? [] : (gene.record["hpoTerms"] ?? []),
      random.pick(comments)
    ]
    const rendered = Buffer.from(`,${JSON.stringify(row)}`)
    starts.push(at)
    at += rendered.length
    rows.push(rendered)
  }
  return { bytes: Buffer.concat(rows), starts }
}

const numberRows = (block: ReturnType<typeof renderBlock>, first: number, count: number): Uint8Array => {
  const bytes = Buffer.from(block.bytes.subarray(0, block.starts[count] ?? block.bytes.length))
  for (let i = 0; i < count; i++) {
    bytes.write(String(first + i).padStart(idDigits, "0"), (block.starts[i] ?? 0) + idStart, "latin1")
  }
  // The very first row has no comma before it.
  return first === 1 ? bytes.subarray(1) : bytes
}

/**
 * The body of an annotations answer with `rows` rows and ids V0000000001 and so on, generated while it is read; by
 * default `data` comes before `header`, as the service does it.
 */
export const annotationsBody = (options: {
  readonly genes: ReadonlyArray<GeneEntry>
  readonly seed: number
  readonly rows: number
  readonly header: "first" | "last"
}): Stream.Stream<Uint8Array> => {
  const text = (value: string) => Stream.make<[Uint8Array]>(Buffer.from(value))
  const headerMember = `"header":${JSON.stringify(annotationsHeader)}`
  const rest = `"uniquePersonLabelSuffixes":{},"filterApplied":false,"thresholdViolated":false,"threshold":null}`
  const data = Stream.suspend(() => {
    const block = renderBlock(options.genes, options.seed)
    return Stream.range(0, Math.ceil(options.rows / rowsPerBlock) - 1).pipe(
      // One at a time: a mapped chunk of thousands would be in memory before its first byte leaves.
      Stream.rechunk(1),
      Stream.map((i) => {
        const first = i * rowsPerBlock
        return numberRows(block, first + 1, Math.min(rowsPerBlock, options.rows - first))
      })
    )
  })
  return options.header === "first"
    ? Stream.concat(Stream.concat(text(`{${headerMember},"data":[`), data), text(`],${rest}`))
    : Stream.concat(Stream.concat(text(`{"data":[`), data), text(`],${headerMember},${rest}`))
}
