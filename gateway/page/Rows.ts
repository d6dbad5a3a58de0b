/** The files of an analysis as its page lists them: of this one, and of others that this reader may see. */
import type { FileName } from "./Address.ts"
import { ask } from "./Gate.ts"
import { isShown, type Track } from "./ViewSettings.ts"

export interface Row {
  readonly element: HTMLTableRowElement
  readonly name: string
  readonly kind: string
  readonly index: string | null
  readonly archived: boolean
}

export const rowsIn = (page: ParentNode): ReadonlyArray<Row> =>
  [...(page.querySelector("table")?.tBodies[0]?.rows ?? [])].map((row) => ({
    element: row,
    name: row.cells[0]?.textContent ?? "",
    kind: row.dataset["kind"] ?? "",
    index: row.dataset["index"] ?? null,
    archived: row.dataset["archived"] !== undefined
  }))

const folderOf = (analysis: string | null): string =>
  new URL(analysis === null ? "." : `../${encodeURIComponent(analysis)}/`, location.href).href

/** Where this page gets a file: with the token, where the page has it in its path. */
export const addressOf = (name: string, analysis: string | null = null): string =>
  `${folderOf(analysis)}${encodeURIComponent(name)}`

/** Null for a file of which no region can be shown. */
export const trackIn = ({ archived, index, kind, name }: Row, analysis: string | null = null): Track | null =>
  archived || index === null || !isShown(kind)
    ? null
    : { name, analysis, kind, url: addressOf(name, analysis), indexUrl: addressOf(index, analysis) }

/** What another analysis has for the view. */
export interface Offer {
  /** Its id, sample and person. */
  readonly title: string
  readonly tracks: ReadonlyArray<Track>
}

export const offerOf = async (analysis: string): Promise<Offer> => {
  const answer = await ask(folderOf(analysis), { headers: { Accept: "text/html" } })
  const page = new DOMParser().parseFromString(await answer.text(), "text/html")
  if (!answer.ok) throw new Error(page.querySelector("[role=alert]")?.textContent ?? "It cannot be read.")
  const title = page.querySelector("h1")?.textContent ?? analysis
  return { title, tracks: rowsIn(page).flatMap((row) => trackIn(row, analysis) ?? []) }
}

/** @param own - the files of this analysis */
export const trackNamed = async ({ analysis, name }: FileName, own: ReadonlyArray<Row>): Promise<Track> => {
  const tracks = analysis === null ? own.flatMap((row) => trackIn(row) ?? []) : (await offerOf(analysis)).tracks
  const track = tracks.find((each) => each.name === name)
  if (track !== undefined) return track
  const where = analysis === null ? "this analysis" : analysis
  throw new Error(`${name} cannot be shown: ${where} has no such file with an index, outside the archive.`)
}
