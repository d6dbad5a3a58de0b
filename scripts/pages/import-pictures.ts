/**
 * Two pictures drawn from the imports: which room of the core stands on which (docs/01-tour.md), and the modules of the
 * journeys in docs/dev/code-tour.md. Flowcharts in Mermaid's language, which code hosts draw.
 */
import { productModules } from "../../test/Sources.ts"

/** What each name leads to. */
type Graph = ReadonlyMap<string, ReadonlySet<string>>

/** The edges without which something could not be reached; what is reached through another name is left out. */
const essential = (graph: Graph): ReadonlyArray<readonly [from: string, to: string]> => {
  const reaches = (from: string, to: string): boolean =>
    [...(graph.get(from) ?? [])].some((next) => next === to || reaches(next, to))
  return [...graph].flatMap(([from, targets]) =>
    [...targets]
      .filter((to) => ![...targets].some((other) => other !== to && reaches(other, to)))
      .map((to) => [from, to] as const)
  )
}

/** What each room is for, in a few words; a room without words here is an error. */
const rooms: Readonly<Record<string, string>> = {
  annotations: "rows that stream",
  archive: "restorations",
  client: "a method for each endpoint",
  contract: "what travels on the wire",
  doctor: "what is wrong",
  download: "one run, whole",
  genome: "BGZF, BAM, VCF, regions",
  htsget: "tickets",
  report: "lists and reports",
  selection: "which files",
  serving: "many readers",
  session: "one request at a time",
  settings: "keys and their sources",
  text: "words for people",
  transfer: "whole files or none",
  verify: "proof to the last byte"
}

/** `errors` is not drawn: every room stands on it. */
const roomOf = (path: string) => /^core\/src\/(?!errors\/)([a-z-]+)\//.exec(path)?.[1]

/** How many imports lead from one room to another. */
const importsOfRooms = () => {
  const counts = new Map<string, number>()
  for (const module of productModules) {
    const from = roomOf(module.path)
    if (from === undefined) continue
    if (rooms[from] === undefined) throw new Error(`scripts/pages/import-pictures.ts has no words for core/src/${from}`)
    for (const to of module.imports.map(roomOf)) {
      if (to !== undefined && to !== from) counts.set(`${from} ${to}`, (counts.get(`${from} ${to}`) ?? 0) + 1)
    }
  }
  return counts
}

/** Of two rooms that import from each other, the one that imports more stands on the other. */
const roomGraph = (): Graph => {
  const counts = importsOfRooms()
  const stands = (from: string, to: string) => (counts.get(`${from} ${to}`) ?? 0) > (counts.get(`${to} ${from}`) ?? 0)
  const names = Object.keys(rooms)
  return new Map(names.map((from) => [from, new Set(names.filter((to) => stands(from, to)))]))
}

export const roomsPicture = (): string =>
  [
    "```mermaid",
    "flowchart LR",
    '  subgraph outside["outside"]',
    '    service[("the service: API")]',
    '    hosts[("link hosts: files")]',
    "  end",
    '  subgraph core["core/src: each room, and the rooms it stands on"]',
    ...Object.entries(rooms).map(([name, words]) => `    ${name}["<b>${name}</b><br>${words}"]`),
    "  end",
    ...essential(roomGraph())
      .map(([from, to]) => `  ${from} --> ${to}`)
      .sort(),
    '  session -. "cookie and token" .-> service',
    '  transfer -. "links, in parallel" .-> hosts',
    "```"
  ].join("\n")

/** The modules of the journeys in docs/dev/code-tour.md that its picture shows, below core/src where nothing else is said. */
export const stations = [
  "steps/download/Program.ts",
  "download/Downloads.ts",
  "download/DownloadForms.ts",
  "download/RunSource.ts",
  "download/Catalog.ts",
  "download/Planning.ts",
  "download/Run.ts",
  "download/FetchFile.ts",
  "download/Resume.ts",
  "client/ServiceClient.ts",
  "session/Conversation.ts",
  "session/Gate.ts",
  "transfer/FileTransfer.ts",
  "transfer/Transfer.ts",
  "transfer/RangeFetch.ts",
  "transfer/LinkLease.ts",
  "transfer/SliceTransfer.ts",
  "genome/slice/Slice.ts",
  "genome/slice/SlicePieces.ts",
  "genome/slice/PieceRun.ts",
  "genome/slice/PieceScan.ts",
  "genome/slice/SliceScan.ts",
  "genome/index/IndexBuilder.ts",
  "archive/Requests.ts",
  "archive/Policy.ts",
  "archive/AskAgain.ts",
  "archive/StoredRequests.ts"
]

/** The module of a name as docs/dev/code-tour.md writes it: a path from the root, or from core/src. */
export const moduleNamed = (name: string) =>
  productModules.find(({ path }) => path === name || path === `core/src/${name}`)

/** What each station uses of the others: itself, or through one module that is no station. */
const stationGraph = (): Graph => {
  const nameOf = new Map(stations.map((name) => [moduleNamed(name)?.path ?? "", name]))
  const imports = new Map(productModules.map((module) => [module.path, module.imports]))
  const stationsAt = (path: string) => {
    const name = nameOf.get(path)
    return name === undefined ? [] : [name]
  }
  const uses = (path: string) =>
    (imports.get(path) ?? []).flatMap((to) =>
      nameOf.has(to) ? stationsAt(to) : (imports.get(to) ?? []).flatMap(stationsAt)
    )
  return new Map([...nameOf].map(([path, name]) => [name, new Set(uses(path).filter((other) => other !== name))]))
}

export const journeysPicture = (): string => {
  const nameless = stations.filter((name) => moduleNamed(name) === undefined)
  if (nameless.length > 0)
    throw new Error(`scripts/pages/import-pictures.ts: no module is called ${nameless.join(", ")}`)
  const id = (name: string) => `m${stations.indexOf(name) + 1}`
  const byRoom = Map.groupBy(stations, (name) => name.replace(/\/[^/]*$/, ""))
  return [
    "```mermaid",
    "flowchart LR",
    ...[...byRoom].flatMap(([room, names]) => [
      `  subgraph ${room.replaceAll("/", "-")}["${room}"]`,
      ...names.map((name) => `    ${id(name)}["${name.slice(room.length + 1, -3)}"]`),
      "  end"
    ]),
    ...essential(stationGraph()).map(([from, to]) => `  ${id(from)} --> ${id(to)}`),
    "```"
  ].join("\n")
}
