/**
 * The records that docs/dev/service.md writes down in sections 13 to 15, and records thrown from them: what may be absent is so at
 * times, and null at others. Read from the page alone, so that it is a second opinion on `core/src/contract/`.
 */
import { readFileSync } from "node:fs"
import type { Schema } from "effect"
import type { EndpointName } from "../../core/src/contract/EndpointNotes.ts"
import type { SeededRandom } from "../../sandbox/samples/SeededRandom.ts"
import { root } from "../Root.ts"

type Json = Schema.Json

/** Throws one value. */
export type Shape = (random: SeededRandom) => Json

const int: Shape = (random) => random.between(0, 1_000_000)
const float: Shape = (random) => (random.next() - 0.5) * 200
const boolean: Shape = (random) => random.chance(0.5)
const text: Shape = (random) =>
  Array.from({ length: random.between(0, 12) }, () =>
    random.pick(["a", "Z", "0", " ", "é", "/", '"', "\\", "\n", "染", "🧬"])
  ).join("")
const time: Shape = (random) =>
  `2026-0${random.between(1, 10)}-1${random.between(0, 10)}T10:00:0${random.between(0, 10)}${random.pick(["", "Z", ".123Z", "+02:00"])}`
const list =
  (item: Shape): Shape =>
  (random) =>
    Array.from({ length: random.between(0, 4) }, () => item(random))
const mapOf =
  (value: Shape): Shape =>
  (random) =>
    Object.fromEntries(Array.from({ length: random.between(0, 4) }, (_, i) => [`key ${i}`, value(random)]))
const either =
  (...shapes: readonly [Shape, ...ReadonlyArray<Shape>]): Shape =>
  (random) =>
    random.pick(shapes)(random)
const any = either(int, float, text, boolean, () => null, list(text))
const scalars: Readonly<Record<string, Shape>> = { int, float, boolean, text, time, any }

interface Field {
  readonly name: string
  readonly shape: Shape
  readonly optional: boolean
}

/** Records have fields that nobody knows yet, too. */
const record =
  (fields: ReadonlyArray<Field>): Shape =>
  (random) => ({
    ...Object.fromEntries(
      fields.flatMap(({ name, optional, shape }) => {
        const choice = optional ? random.between(0, 4) : 2
        return choice === 0 ? [] : [[name, choice === 1 ? null : shape(random)]]
      })
    ),
    ...(random.chance(0.2) ? { fieldOfTomorrow: [text(random), null] } : {})
  })

const page = readFileSync(`${root}docs/dev/service.md`, "utf8").replace(/^.*\n(?=## 13\. )|\n## 16\. .*/gs, "")

/** The lines `- **name**: fields` or `- **name**: type`. */
const lines = new Map(
  [...page.matchAll(/^- \*\*(\w+)\*\*: (.+)$/gm)].map(([, name = "", line = ""]) => [name, line] as const)
)

/** Reads one line. What it names is looked up when it is thrown, as a name may come before its line. */
const reader = (line: string) => {
  const tokens = line.match(/"\w+"|[\w:]*\w\?|[\w:]*\w|\[\]|[:,(){}]/g) ?? []
  const wrong = (): never => {
    throw new Error(`docs/dev/service.md: "${tokens[0] ?? "the end"}" is not expected in "${line}"`)
  }
  const takes = (token: string) => tokens[0] === token && tokens.shift() !== undefined
  const one = (): Shape => {
    if (takes("(")) return word()
    if (takes("{")) return record(fields())
    const name = tokens.shift() ?? wrong()
    if (name === "map") return takes("of") ? mapOf(item()) : wrong()
    if (name.startsWith('"')) return () => name.slice(1, -1)
    return scalars[name] ?? (lines.has(name) ? (random) => shapeOf(name)(random) : wrong())
  }
  const word = (): Shape => {
    const words = ["A_WORD_OF_TOMORROW"] as [string, ...Array<string>]
    do words.unshift(tokens.shift() ?? wrong())
    while (takes(","))
    return takes(")") ? (random) => random.pick(words) : wrong()
  }
  const item = (): Shape => {
    let shape = one()
    while (takes("[]")) shape = list(shape)
    return shape
  }
  const type = (): Shape => {
    const shapes: [Shape, ...Array<Shape>] = [item()]
    while (takes("or")) shapes.push(item())
    return shapes.length === 1 ? shapes[0] : either(...shapes)
  }
  const fields = (): ReadonlyArray<Field> => {
    const found: Array<Field> = []
    do {
      const name = tokens.shift() ?? wrong()
      found.push({ name: name.replace(/\?$/, ""), optional: name.endsWith("?"), shape: takes(":") ? type() : text })
    } while (takes(","))
    return takes("}") || tokens.length === 0 ? found : wrong()
  }
  const isRecord = /^[\w:]+\??[:,]/.test(line)
  const shape = isRecord ? record(fields()) : type()
  return tokens.length === 0 ? shape : wrong()
}

const shapes = new Map([...lines].map(([name, line]) => [name, reader(line)]))
const shapeOf = (name: string): Shape => {
  const shape = shapes.get(name)
  if (shape === undefined) throw new Error(`docs/dev/service.md has no line of ${name}`)
  return shape
}

/** The same with an id of its own. */
const withId =
  (shape: Shape, id: Shape): Shape =>
  (random) => ({ ...(shape(random) as object), id: id(random) })

// The analysis that the tests ask for: the links of another one are refused.
const files = withId(shapeOf("files"), () => 7)

/** The records that answers are made of, and those that are sent, by the names of the contract. */
export const records = {
  AnalysisItem: shapeOf("analysis"),
  FoundAnalysis: shapeOf("foundAnalysis"),
  Person: shapeOf("person"),
  PersonUpdate: withId(shapeOf("personUpdate"), (random) => `L${int(random)}`),
  CaseReportInfo: shapeOf("reportInfo"),
  VirtualPanelSummary: shapeOf("panelSummary"),
  VirtualPanel: shapeOf("panel"),
  VirtualPanelUpdate: shapeOf("panelUpdate"),
  Gene: shapeOf("gene"),
  CoverageItem: shapeOf("region"),
  QcCaseMetrics: shapeOf("metrics"),
  SnvAnnotations: shapeOf("annotations"),
  CnvTargetResults: shapeOf("targetResults"),
  PendingCnvSegments: shapeOf("pendingSegments"),
  CaseReport: shapeOf("report"),
  AnalysisFiles: files,
  RestoreAnswer: shapeOf("restored"),
  Envelope: reader("success?: boolean, response?: gene, errorMessageId?, errorId?")
} as const satisfies Readonly<Record<string, Shape>>

/** What each endpoint answers, by the name of its method; `E` in the envelope, `B` as the body. */
export const answers: { readonly [N in EndpointName]: readonly ["E" | "B", Shape] } = {
  getInternalPersonId: ["E", either(int, (random) => String(int(random)))],
  getSnvAnnotations: ["B", records.SnvAnnotations],
  getCnvTargetResults: ["B", records.CnvTargetResults],
  getPendingCnvSegments: ["E", records.PendingCnvSegments],
  getQcCaseMetrics: ["E", records.QcCaseMetrics],
  getCoverageData: ["B", list(records.CoverageItem)],
  getAnalyses: ["E", list(records.AnalysisItem)],
  getPersonAnalyses: ["B", list(records.AnalysisItem)],
  getCaseReport: ["E", records.CaseReport],
  getCaseReportInfos: ["E", list(records.CaseReportInfo)],
  getPerson: ["E", records.Person],
  createOrUpdatePerson: ["B", int],
  findAnalysesByFilename: ["E", list(records.FoundAnalysis)],
  getVirtualPanel: ["E", records.VirtualPanel],
  createOrUpdateVirtualPanel: ["E", int],
  getVirtualPanelSummaries: ["E", list(records.VirtualPanelSummary)],
  getAllGenes: ["E", list(records.Gene)],
  getFileDownloadLinks: ["E", files],
  requestRestore: ["E", list(records.RestoreAnswer)]
}
