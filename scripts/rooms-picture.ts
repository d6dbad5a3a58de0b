/** The picture of docs/01-tour.md: which room of the core stands on which, drawn from their imports. */
import { productModules } from "../test/Sources.ts"

/** What each room is for, in a few words; a room without words here would be missing in the picture, so it is an error. */
const rooms: Readonly<Record<string, string>> = {
  annotations: "rows that stream",
  archive: "restorations",
  client: "a method for each endpoint",
  contract: "what travels on the wire",
  doctor: "what is wrong",
  download: "one run, whole",
  genome: "BGZF, BAM, VCF, regions",
  htsget: "tickets",
  report: "how it is told",
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
const imports = () => {
  const counts = new Map<string, number>()
  for (const module of productModules) {
    const from = roomOf(module.path)
    if (from === undefined) continue
    if (rooms[from] === undefined) throw new Error(`scripts/rooms-picture.ts has no words for core/src/${from}`)
    for (const to of module.imports.map(roomOf)) {
      if (to !== undefined && to !== from) counts.set(`${from} ${to}`, (counts.get(`${from} ${to}`) ?? 0) + 1)
    }
  }
  return counts
}

/** The edges without which something could not be reached: what is reached through another room is not drawn. */
const essential = (counts: ReadonlyMap<string, number>) => {
  const edges = [...counts].filter(([edge, count]) => {
    const [from, to] = edge.split(" ")
    return count > (counts.get(`${to} ${from}`) ?? 0)
  })
  const next = (from: string) =>
    edges.flatMap(([edge]) => (edge.startsWith(`${from} `) ? [edge.split(" ")[1] ?? ""] : []))
  const reaches = (from: string, to: string): boolean => next(from).some((room) => room === to || reaches(room, to))
  return edges
    .map(([edge]) => edge.split(" "))
    .filter(([from = "", to = ""]) => !next(from).some((room) => room !== to && reaches(room, to)))
    .map(([from = "", to = ""]) => `  ${from} --> ${to}`)
    .sort()
}

/** A flowchart in Mermaid's language, which code hosts draw. */
export const roomsPicture = (): string => {
  const edges = essential(imports())
  return [
    "```mermaid",
    "flowchart LR",
    '  subgraph outside["outside"]',
    '    service[("the service: API")]',
    '    hosts[("link hosts: files")]',
    "  end",
    '  subgraph core["core/src: each room, and the rooms it stands on"]',
    ...Object.entries(rooms).map(([name, words]) => `    ${name}["<b>${name}</b><br>${words}"]`),
    "  end",
    ...edges,
    '  session -. "cookie and token" .-> service',
    '  transfer -. "links, in parallel" .-> hosts',
    "```"
  ].join("\n")
}
