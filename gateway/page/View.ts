/** The view of reads and variants, by igv.js, which is loaded when it is first opened. */
import { hashOf } from "./Address.ts"
import { element, messageOf, sentence } from "./Elements.ts"
import { need, token } from "./Gate.ts"
import { othersForm } from "./Others.ts"
import { firstPlace, genesIn, type Place, regionText, type Sequence, sequencesIn } from "./Place.ts"
import { makeSteering, type Steering } from "./Steering.ts"
import { type Genome, geneTrack, hasReads, headerReference, labelOf, type Track, trackOf } from "./ViewSettings.ts"

/** The little that is needed of igv.js. */
interface Igv {
  readonly createBrowser: (parent: HTMLElement, config: object) => Promise<IgvBrowser>
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
  readonly browser: IgvBrowser
  readonly steering: Steering
  /** Files that were added, by their labels; igv.js lets its user take them out again. */
  readonly files: Map<string, Track>
  /** Fails for reads of another genome than those of the first file. */
  readonly mustFit: (track: Track) => Promise<void>
}

let view: Opened | null = null

export const isOpen = (): boolean => view !== null

/** Files come one after the other: who is impatient opens no second view, and has no file in it twice. */
let turn = Promise.resolve()

/**
 * Adds a file to the view, which is opened with the first one; it says itself what it cannot show.
 *
 * @param at - the element of the view
 * @param locus - where somebody wants to be, null for where it is
 */
export const show = (at: HTMLElement, track: Track, setting: Setting, locus: string | null): Promise<void> => {
  turn = turn.then(async () => {
    try {
      view ??= await open(at, track, setting)
    } catch (error) {
      return at.replaceChildren(sentence(`${labelOf(track)} cannot be shown: ${messageOf(error)}`))
    }
    const { steering } = view
    if (locus !== null) await steering.go(locus, false)
    await add(view, track).catch((error) => steering.say(messageOf(error)))
  })
  return turn
}

const add = async ({ browser, files, mustFit, steering }: Opened, track: Track): Promise<void> => {
  const label = labelOf(track)
  // Reads are first asked for when they are drawn: of a track that is there may nothing have come. Then igv.js says so itself.
  if (browser.findTracks("name", label).length > 0) return void (await browser.updateViews())
  await mustFit(track)
  await browser.loadTrack(trackOf(track, token.get())).catch(() => {
    // What igv.js says has the address of the page's own requests in it, and with it a token in the path.
    throw new Error(`${label} cannot be shown: its header or index cannot be read.`)
  })
  files.set(label, track)
  steering.remember()
}

const open = async (at: HTMLElement, track: Track, { genesUrl, genome }: Setting): Promise<Opened> => {
  at.replaceChildren(element("p", { role: "status" }, `Opening ${track.name} ...`))
  const [header, bed, igv] = await Promise.all([
    textAt(sequencesUrl(track)),
    genesUrl === null ? null : textAt(genesUrl),
    loadIgv()
  ])
  const sequences = sequencesIn(header)
  const first = firstPlace(sequences)
  if (first === null) throw new Error(`The header of ${track.name} names no sequence, so there is nothing to show.`)
  const files = new Map<string, Track>()
  const shown = () =>
    [...files].flatMap(([label, file]) => (browser.findTracks("name", label).length > 0 ? [file] : []))
  const steering = makeSteering({
    known: { sequences, genes: bed === null ? null : genesIn(bed) },
    first,
    search: (locus) => browser.search(locus),
    hashAt: (locus) => hashOf({ files: shown(), locus })
  })
  const canvas = element("div", { id: "igv", role: "region" })
  canvas.setAttribute("aria-label", "Reads and variants")
  // Where it is narrow it scrolls sideways, by keys too.
  canvas.tabIndex = 0
  const others = othersForm((other) => show(at, other, { genesUrl, genome }, null))
  at.replaceChildren(steering.element, others, canvas)
  const browser = await igv.createBrowser(canvas, {
    loadDefaultGenomes: false,
    reference: genome ?? headerReference(track, header),
    locus: regionText(first),
    ...(bed === null ? {} : { tracks: [geneTrack(bed)] }),
    showCircularViewButton: false,
    showSampleNameButton: false,
    showSVGButton: true
  })
  mendControls(canvas)
  saysItself(browser, steering.say)
  browser.on("locuschange", ([frame]) => {
    if (frame !== undefined) steering.moved(placeOf(browser, sequences, frame))
  })
  return { browser, steering, files, mustFit: makeMustFit(track, sequences) }
}

const textAt = async (url: string) => (await need(url)).text()

const sequencesUrl = ({ url }: Track) => `${url}/sequences`

const loadIgv = async (): Promise<Igv> => {
  const { default: igv } = await import(new URL("igv.js", import.meta.url).href).catch(() => {
    throw new Error("The gateway does not give the script that shows files.")
  })
  return igv
}

/** Two fields for a place would disagree; and what is left has no names. */
const mendControls = ({ shadowRoot }: HTMLElement): void => {
  shadowRoot?.querySelector(".igv-search-container")?.remove()
  shadowRoot?.querySelector("select")?.setAttribute("aria-label", "Chromosome")
  shadowRoot?.querySelector("input[type=range]")?.setAttribute("aria-label", "Zoom")
}

/** Reads of two genomes would stand one below the other as if they were of one place. The header of a VCF may tell no lengths. */
const makeMustFit = (first: Track, sequences: ReadonlyArray<Sequence>): Opened["mustFit"] => {
  const lengths = new Map(sequences.map(({ length, name }) => [name, length]))
  return async (track) => {
    if (track.url === first.url || !hasReads(track) || !hasReads(first)) return
    const all = sequencesIn(await textAt(sequencesUrl(track)))
    const other = all.find(({ length, name }) => (lengths.get(name) ?? length) !== length)
    if (other === undefined) return
    const { length, name } = other
    throw new Error(
      `${labelOf(track)} is of another genome and not shown: its ${name} has ${length} bases, and that of ${labelOf(first)} ${lengths.get(name)}.`
    )
  }
}

/** By the name that the file has for a sequence: a genome of another origin may have another one. */
const placeOf = ({ genome }: IgvBrowser, sequences: ReadonlyArray<Sequence>, { chr, end, start }: IgvFrame): Place => ({
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
