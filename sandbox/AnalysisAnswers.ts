import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { Archive } from "./Archive.ts"
import { Behaviour } from "./Behaviour.ts"
import { Counters } from "./Counters.ts"
import { envelopedAnswer, refusal } from "./Envelope.ts"
import { Files } from "./Files.ts"
import { Links } from "./Links.ts"
import { Registry } from "./Registry.ts"
import { annotationsHeader, type GeneEntry } from "./SampleRecords.ts"
import type { StoredFile } from "./StoredFile.ts"
import * as SeededRandom from "./samples/SeededRandom.ts"
import type { JsonObject } from "./WireIds.ts"
import { type AnalysisRecord, World } from "./World.ts"

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
const annotationsBody = (options: {
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

type Answer = Effect.Effect<HttpServerResponse.HttpServerResponse>

const noSuchAnalysis = (id: string) => refusal(400, "ANALYSIS_NOT_FOUND", `No analysis with id ${id}`)

const iso = (millis: number) => DateTime.formatIso(DateTime.makeUnsafe(millis))

/** What the service answers about analyses, their files and the archive: docs/dev/service.md 12, 14 and 15. */
export class AnalysisAnswers extends Context.Service<
  AnalysisAnswers,
  {
    /** All of them, or those of the given ids that exist. */
    readonly list: (ids: ReadonlyArray<string> | null) => Answer
    readonly annotations: (id: string) => Answer
    /** Analyses with an input file whose path contains every one of `parts`. */
    readonly findByInputFile: (parts: ReadonlyArray<string>) => Answer
    /** `hostname` is the name the caller used for this server. */
    readonly links: (id: string, hostname: string) => Answer
    readonly restore: (ids: ReadonlyArray<string>) => Answer
    readonly restorePerson: (limsId: string) => Answer
  }
>()("svc-steps/sandbox/AnalysisAnswers") {
  static readonly layer = Layer.effect(
    AnalysisAnswers,
    Effect.gen(function* () {
      const world = yield* World
      const registry = yield* Registry
      const behaviour = yield* Behaviour
      const files = yield* Files
      const archive = yield* Archive
      const links = yield* Links
      const { stats } = yield* Counters

      const byId = (id: string) => world.analyses.find((analysis) => String(analysis.id) === id)

      const link = Effect.fnUntraced(function* (file: StoredFile, hostname: string) {
        // Before the link is signed: the bytes of a sample are made when they are first looked at.
        const listed = file.listedSize === undefined ? file.size : file.listedSize
        const now = yield* Clock.currentTimeMillis
        const state = yield* archive.state(file)
        const online = state._tag === "Online"
        const signed = file.link ?? links.sign(hostname, file, now)
        if (online || behaviour.archivedLink === "dead") stats.linksIssued++
        const downloadLink: JsonObject =
          online || behaviour.archivedLink === "dead"
            ? { downloadLink: signed }
            : behaviour.archivedLink === "null"
              ? { downloadLink: null }
              : {}
        const size: JsonObject =
          behaviour.sizes === "absent" ? {} : { size: behaviour.sizes === "null" ? null : listed }
        return {
          fileName: file.name,
          ...downloadLink,
          currentlyArchived: !online,
          estimatedRestoreTime: state._tag === "Thawing" ? iso(state.readyAt) : null,
          ...size
        }
      })

      /** One item per analysis; its behaviour decides what is not known of the service. */
      const restoreOne = Effect.fnUntraced(function* (analysis: AnalysisRecord) {
        const now = yield* Clock.currentTimeMillis
        const states = yield* Effect.forEach(files.ofAnalysis(String(analysis.id)), (file) =>
          Effect.map(archive.state(file), (state) => ({ file, state }))
        )
        const cold = states.filter(({ state }) => state._tag !== "Online")
        if (cold.length === 0) {
          if (behaviour.restoreOnline === "refuse") return "NOT_ARCHIVED"
          return { analysisId: analysis.id, restoreEstimation: behaviour.restoreOnline === "now" ? iso(now) : null }
        }
        if (behaviour.restoreAgain === "refuse" && cold.every(({ state }) => state._tag === "Thawing")) {
          return "ALREADY_RESTORING"
        }
        const readyAt = Math.max(...(yield* Effect.forEach(cold, ({ file }) => archive.restore(file))))
        const estimation = behaviour.restoreEstimation
        return {
          analysisId: analysis.id,
          ...(estimation === "absent"
            ? {}
            : { restoreEstimation: estimation === "real" ? iso(readyAt) : estimation === "null" ? null : estimation })
        }
      })

      const restore = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
        const analyses = ids.flatMap((id) => byId(id) ?? [])
        if (analyses.length === 0 || analyses.length < ids.length) {
          return refusal(200, "ANALYSIS_NOT_FOUND", `Not all analyses exist: ${ids.join(", ")}`)
        }
        const items = yield* Effect.forEach(analyses, restoreOne)
        const no = items.find((item) => typeof item === "string")
        return no === undefined
          ? envelopedAnswer(items.filter((item) => typeof item !== "string"))
          : refusal(200, no, "Nothing to restore")
      })

      return AnalysisAnswers.of({
        list: (ids) =>
          Effect.sync(() =>
            envelopedAnswer(
              world.analyses
                .filter((analysis) => ids === null || ids.includes(String(analysis.id)))
                .map((analysis) => analysis.item)
            )
          ),
        annotations: (id) =>
          Effect.sync(() => {
            const analysis = byId(id)
            if (analysis === undefined) return noSuchAnalysis(id)
            const { annotationHeader: header, annotationRows: rows } = behaviour
            const body = annotationsBody({ genes: world.genes, seed: analysis.seed, rows, header })
            return HttpServerResponse.stream(body, { contentType: "application/json" })
          }),
        findByInputFile: (parts) =>
          Effect.sync(() => {
            const found = world.analyses.flatMap((analysis): ReadonlyArray<JsonObject> => {
              const path = analysis.inputFilePaths.find((each) => parts.every((part) => each.includes(part)))
              if (path === undefined || parts.length === 0) return []
              return [
                {
                  analysisId: analysis.id,
                  personId: registry.personByLimsId(analysis.personLimsId ?? "")?.id ?? null,
                  enrichmentKitId: 5,
                  analysisStatus: analysis.item["status"] ?? null,
                  matchingOriginalFileName: path.slice(path.lastIndexOf("/") + 1),
                  matchingCustomerProvidedInputFilePath: path,
                  sampleOrigin: analysis.item["sampleOrigin"] ?? null,
                  analysisType: analysis.item["analysisType"] ?? null,
                  finishedDate: analysis.item["lastAnnotated"] ?? null
                }
              ]
            })
            return envelopedAnswer(found)
          }),
        links: (id, hostname) =>
          Effect.gen(function* () {
            const analysis = byId(id)
            if (analysis === undefined) return noSuchAnalysis(id)
            return envelopedAnswer({
              id: analysis.id,
              sampleId: analysis.sampleId,
              limsId: analysis.personLimsId,
              customerProvidedInputFilePaths: analysis.inputFilePaths,
              apiFileLinks: yield* Effect.forEach(files.ofAnalysis(id), (file) => link(file, hostname))
            })
          }),
        restore,
        restorePerson: (limsId) =>
          restore(
            world.analyses.filter((analysis) => analysis.personLimsId === limsId).map((analysis) => String(analysis.id))
          )
      })
    })
  )
}
