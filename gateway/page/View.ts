/** The view of reads and variants, by igv.js, which is loaded when it is first opened. */
import { type FileName, hashOf } from "./Address.ts"
import { element, messageOf, sentence } from "./Elements.ts"
import { need, token } from "./Gate.ts"
import { othersForm } from "./Others.ts"
import { firstPlace, genesIn, type Place, regionText, type Sequence, sequencesIn } from "./Place.ts"
import { makeSteering, type Steering } from "./Steering.ts"
import { type Genome, geneTrack, hasReads, labelOf, type Track, trackOf } from "./ViewSettings.ts"

/** The little that is needed of igv.js. */
interface Igv {
  readonly createBrowser: (parent: HTMLElement, config: object) => Promise<IgvBrowser>
  readonly removeBrowser: (browser: IgvBrowser) => void
}

interface IgvBrowser {
  readonly loadTrack: (track: object) => Promise<unknown>
  readonly search: (locus: string) => Promise<boolean>
  readonly updateViews: () => Promise<unknown>
  readonly alert: { present: (said: unknown, done: unknown) => void }
  readonly findTracks: (property: "name", value: string) => ReadonlyArray<unknown>
  readonly on: (event: "locuschange", act: (frames: ReadonlyArray<IgvFrame>) => void) => void
  readonly genome: { readonly getChromosomeName: (name: string) => string }
}

/** 0-based, half-open, with fractions of bases. */
interface IgvFrame {
  readonly chr: string
  readonly start: number
  readonly end: number
}

/** What every view of a page has. */
export interface Setting {
  /** Null for the sequences of the first file. */
  readonly genome: Genome | null
  /** Where the gateway's genes are, null where it has none. */
  readonly genesUrl: string | null
}

interface Opened {
  readonly igv: Igv
  readonly browser: IgvBrowser
  readonly steering: Steering
  /** Files of the view, and those that are being loaded, by their labels. */
  readonly files: Map<string, FileName>
  readonly loading: Set<string>
  /** Fails for reads of another genome than those of the first file. */
  readonly mustFit: (track: Track) => Promise<void>
}

/** The view that is open, or being opened: who is impatient must not open a second one. */
let view: Promise<Opened> | null = null

export const isOpen = (): boolean => view !== null

const load = async (): Promise<Igv> => {
  const { default: igv } = await import(new URL("igv.js", import.meta.url).href).catch(() => {
    throw new Error("The gateway does not give the script that shows files.")
  })
  return igv
}

/**
 * Adds a file to the view, and opens it where it is not.
 *
 * @param at - the element of the view
 * @param locus - where somebody wants to be, null for where it is
 */
export const show = async (
  at: HTMLElement,
  track: Track,
  setting: Setting,
  locus: string | null = null
): Promise<void> => {
  if (locus === null) at.scrollIntoView({ block: "start" })
  const opening = view ?? start(at, track, setting)
  view = opening
  const opened = await opening.catch((error) => {
    if (view === opening) view = null
    at.replaceChildren(sentence(`${track.name} cannot be shown: ${messageOf(error)}`))
    return null
  })
  if (opened === null) return
  if (locus !== null) await opened.steering.go(locus, false)
  await add(opened, track)
}

/** One that failed, or was taken out of the view, can be added again. */
const add = async ({ browser, files, loading, mustFit, steering }: Opened, track: Track): Promise<void> => {
  const label = labelOf(track)
  if (loading.has(label)) return
  // Reads are first asked for when they are drawn: of a track that is there may nothing have come. Then igv.js says so itself.
  if (browser.findTracks("name", label).length > 0) return void (await browser.updateViews())
  loading.add(label)
  try {
    await mustFit(track)
    await browser.loadTrack(trackOf(track, token.get())).catch(() => {
      // What igv.js says has the address of the page's own requests in it, and with it a token in the path.
      throw new Error(`${label} cannot be shown: its header or index cannot be read.`)
    })
    files.set(label, { name: track.name, analysis: track.analysis })
    steering.remember()
  } finally {
    loading.delete(label)
  }
}

const start = async (at: HTMLElement, track: Track, setting: Setting): Promise<Opened> => {
  const { genesUrl, genome } = setting
  at.replaceChildren(element("p", { role: "status" }, `Opening ${track.name} ...`))
  const [told, bed, igv] = await Promise.all([
    sequencesTold(track),
    genesUrl === null ? null : textAt(genesUrl),
    load()
  ])
  const sequences = sequencesIn(told)
  const first = firstPlace(sequences)
  if (first === null) throw new Error(`The header of ${track.name} names no sequence, so there is nothing to show.`)
  const canvas = element("div", { id: "igv" })
  const files: Opened["files"] = new Map()
  const steering = makeSteering({
    known: { sequences, genes: bed === null ? null : genesIn(bed) },
    first,
    search: (locus) => browser.search(locus),
    // An id brings genes of its own, which only igv.js knows.
    elsewhere: typeof genome === "string",
    hashAt: (locus) => hashOf({ files: [...files.values()], locus }),
    close: () => void close(at)
  })
  at.replaceChildren(
    steering.form,
    othersForm((other) => show(at, other, setting)),
    canvas
  )
  const browser = await igv.createBrowser(canvas, {
    ...(typeof genome === "string" ? { genome } : { loadDefaultGenomes: false, reference: genome ?? own(track, told) }),
    locus: regionText(first),
    ...(bed === null ? {} : { tracks: [geneTrack(bed)] }),
    showCircularViewButton: false,
    showSampleNameButton: false,
    showSVGButton: true
  })
  // Two fields for one thing disagree.
  canvas.shadowRoot?.querySelector(".igv-search-container")?.remove()
  for (const [tag, name] of [
    ["select", "Chromosome"],
    ["input[type=range]", "Zoom"]
  ] as const)
    canvas.shadowRoot?.querySelector(tag)?.setAttribute("aria-label", name)
  saysItself(browser, steering.say)
  browser.on("locuschange", ([frame]) => {
    if (frame !== undefined) steering.moved(placeOf(browser, sequences, frame))
  })
  return { igv, browser, steering, files, mustFit: makeMustFit(track, sequences), loading: new Set() }
}

const textAt = async (url: string) => (await need(url)).text()

const sequencesTold = ({ url }: Track) => textAt(`${url}/sequences`)

/** Reads of two genomes would stand one below the other as if they were of one place. The header of a VCF may tell no lengths. */
const makeMustFit = (first: Track, sequences: ReadonlyArray<Sequence>): Opened["mustFit"] => {
  const lengths = new Map(sequences.map(({ length, name }) => [name, length]))
  return async (track) => {
    if (track.url === first.url || !hasReads(track) || !hasReads(first)) return
    const all = sequencesIn(await sequencesTold(track))
    const other = all.find(({ length, name }) => (lengths.get(name) ?? length) !== length)
    if (other === undefined) return
    const { length, name } = other
    throw new Error(
      `${labelOf(track)} is of another genome and not shown: its ${name} has ${length} bases, and that of ${labelOf(first)} ${lengths.get(name)}.`
    )
  }
}

/** By the name that the file has for a sequence: a genome of another origin may have another one. */
const placeOf = (
  { genome }: IgvBrowser,
  sequences: ReadonlyArray<{ readonly name: string }>,
  { chr, end, start }: IgvFrame
): Place => ({
  name:
    sequences.find(({ name }) => name === chr)?.name ??
    sequences.find(({ name }) => genome.getChromosomeName(name) === chr)?.name ??
    chr,
  start: Math.floor(start) + 1,
  end: Math.round(end)
})

/**
 * What igv.js says of a failure stands in a window that hides the next one, with the address as it was asked for on a line of its own, and
 * so a token in the path: only its sentence is said, by the page.
 */
const saysItself = ({ alert }: IgvBrowser, say: (sentence: string) => void): void => {
  const present = alert.present.bind(alert)
  alert.present = (said, done) => {
    if (said instanceof Error) say(said.message.split("\n")[0] ?? "")
    else present(said, done)
  }
}

/** The first two columns are a file of chromosome sizes. */
const own = (track: Track, sequences: string) => ({
  id: labelOf(track),
  format: "chromsizes",
  fastaURL: new File([sequences], "sequences"),
  wholeGenomeView: false
})

const close = async (at: HTMLElement): Promise<void> => {
  // What went wrong with it has been said.
  const opened = await view?.catch(() => null)
  view = null
  if (opened != null) {
    opened.steering.end()
    opened.igv.removeBrowser(opened.browser)
  }
  at.replaceChildren()
}
