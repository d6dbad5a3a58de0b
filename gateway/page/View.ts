/** The view of reads and variants, by igv.js, which is loaded when it is first opened. */
import { withoutToken } from "./Commands.ts"
import { button, element, messageOf, sentence } from "./Elements.ts"
import { need, token } from "./Gate.ts"
import { type Genome, labelOf, type Track, trackOf } from "./ViewSettings.ts"

/** The little that is needed of igv.js. */
interface Igv {
  readonly createBrowser: (parent: HTMLElement, config: object) => Promise<IgvBrowser>
  readonly removeBrowser: (browser: IgvBrowser) => void
}

interface IgvBrowser {
  readonly loadTrack: (track: object) => Promise<unknown>
  readonly search: (locus: string) => Promise<unknown>
  readonly updateViews: () => Promise<unknown>
  readonly alert: { present: (said: unknown, done: unknown) => void }
  readonly findTracks: (property: "name", value: string) => ReadonlyArray<unknown>
}

interface Sequence {
  readonly name: string
  readonly length: number
  readonly first: number | null
}

/** Bases that are shown first. */
const window = 8000

interface Opened {
  readonly igv: Igv
  readonly browser: IgvBrowser
  /** Names of tracks that are being loaded. */
  readonly loading: Set<string>
}

/** The view that is open, or being opened: who is impatient must not open a second one. */
let view: Promise<Opened> | null = null

const load = async (): Promise<Igv> => {
  const { default: igv } = await import(new URL("igv.js", import.meta.url).href).catch(() => {
    throw new Error("The gateway does not give the script that shows files.")
  })
  return igv
}

/** In lines of tabs. */
const sequencesIn = (text: string): ReadonlyArray<Sequence> =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [name = "", length = "", first = ""] = line.split("\t")
      return { name, length: Number(length), first: first === "" ? null : Number(first) }
    })

/** Where the first records are: the whole of a genome would show nothing. */
const locusOf = (sequences: ReadonlyArray<Sequence>): string | null => {
  const begun = sequences.find(({ first }) => first !== null) ?? sequences[0]
  if (begun === undefined) return null
  const start = Math.max(1, (begun.first ?? 1) - window / 10)
  return `${begun.name}:${start}-${Math.min(begun.length, start + window)}`
}

/** @param genome - null for the sequences of the file itself */
export const show = async (place: HTMLElement, track: Track, genome: Genome | null): Promise<void> => {
  place.scrollIntoView({ block: "start" })
  const opening = view ?? start(place, track, genome)
  view = opening
  const opened = await opening.catch((error) => {
    if (view === opening) view = null
    place.replaceChildren(sentence(`${track.name} cannot be shown: ${messageOf(error)}`))
    return null
  })
  if (opened !== null) await add(opened, track)
}

/** One that failed, or was taken out of the view, can be added again. */
const add = async ({ browser, loading }: Opened, track: Track): Promise<void> => {
  if (loading.has(track.name)) return
  // Reads are first asked for when they are drawn: of a track that is there may nothing have come. Then igv.js says so itself.
  if (browser.findTracks("name", labelOf(track.name)).length > 0) return void (await browser.updateViews())
  loading.add(track.name)
  try {
    await browser.loadTrack(trackOf(track, token.get()))
  } catch {
    // What igv.js says has the address of the page's own requests in it, and with it a token in the path.
    throw new Error(`${track.name} cannot be shown: its header or index cannot be read.`)
  } finally {
    loading.delete(track.name)
  }
}

const start = async (place: HTMLElement, track: Track, genome: Genome | null): Promise<Opened> => {
  place.replaceChildren(element("p", { role: "status" }, `Opening ${track.name} ...`))
  const told = need(`${track.url}/sequences`).then((answer) => answer.text())
  const [sequences, igv] = await Promise.all([told, load()])
  const locus = locusOf(sequencesIn(sequences))
  if (locus === null) throw new Error(`The header of ${track.name} names no sequence, so there is nothing to show.`)
  const canvas = element("div", { id: "igv" })
  const region = regionForm(place, locus)
  place.replaceChildren(region, canvas)
  const browser = await igv.createBrowser(canvas, {
    ...(typeof genome === "string"
      ? { genome }
      : { loadDefaultGenomes: false, reference: genome ?? own(track, sequences) }),
    locus,
    showCircularViewButton: false,
    showSampleNameButton: false,
    showSVGButton: true
  })
  hideTokens(browser)
  region.querySelector("input")?.focus({ preventScroll: true })
  return { igv, browser, loading: new Set() }
}

/** What igv.js says of a failure has, on a line of its own, the address as it was asked for. */
const hideTokens = ({ alert }: IgvBrowser): void => {
  const present = alert.present.bind(alert)
  alert.present = (said, done) =>
    present(said instanceof Error ? new Error(said.message.split("\n").map(withoutToken).join("\n")) : said, done)
}

/** On a phone igv.js hides its own. */
const regionForm = (place: HTMLElement, locus: string): HTMLFormElement => {
  const input = element("input", {})
  input.value = locus
  input.spellcheck = false
  const said = element("span", { class: "bad", role: "status" })
  const form = element(
    "form",
    {},
    element("label", {}, "Region", input),
    element("button", { class: "main" }, "Go there"),
    button("Close the view", () => void close(place)),
    said
  )
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    said.textContent = ""
    view
      ?.then(({ browser }) => browser.search(input.value.trim()))
      .catch((error) => {
        said.textContent = messageOf(error)
      })
  })
  return form
}

/** The first two columns are a file of chromosome sizes. */
const own = ({ name }: Track, sequences: string) => ({
  id: labelOf(name),
  format: "chromsizes",
  fastaURL: new File([sequences], "sequences"),
  wholeGenomeView: false
})

const close = async (place: HTMLElement): Promise<void> => {
  // What went wrong with it has been said.
  const opened = await view?.catch(() => null)
  view = null
  if (opened != null) opened.igv.removeBrowser(opened.browser)
  place.replaceChildren()
}
