/** The view of reads and variants, by igv.js, which is loaded when it is first opened. */
import { button, element, messageOf, sentence } from "./Elements.ts"
import { need, relayed, token } from "./Gate.ts"

/** The little that is needed of igv.js. */
interface Igv {
  readonly createBrowser: (parent: HTMLElement, config: object) => Promise<IgvBrowser>
  readonly removeBrowser: (browser: IgvBrowser) => void
  readonly setOauthToken: (token: string, host: string) => void
}

interface IgvBrowser {
  readonly loadTrack: (track: object) => Promise<unknown>
  readonly search: (locus: string) => Promise<unknown>
}

export interface Track {
  readonly name: string
  readonly kind: string
  readonly url: string
  readonly indexUrl: string
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
  readonly tracks: Set<string>
}

/** The view that is open, or being opened: who is impatient must not open a second one. */
let view: Promise<Opened> | null = null

const load = async (): Promise<Igv> => {
  const { default: igv } = await import(new URL("igv.js", import.meta.url).href)
  return igv
}

const sequencesOf = async ({ url }: Track): Promise<ReadonlyArray<Sequence>> => {
  const text = await (await need(`${url}/sequences`)).text()
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [name = "", length = "", first = ""] = line.split("\t")
      return { name, length: Number(length), first: first === "" ? null : Number(first) }
    })
}

/** Where the first records are: the whole of a genome would show nothing. */
const locusOf = (sequences: ReadonlyArray<Sequence>): string | null => {
  const begun = sequences.find(({ first }) => first !== null) ?? sequences[0]
  if (begun === undefined) return null
  const start = Math.max(1, (begun.first ?? 1) - window / 10)
  return `${begun.name}:${start}-${Math.min(begun.length, start + window)}`
}

const formats: Readonly<Record<string, object>> = {
  bam: { type: "alignment", format: "bam", height: 320 },
  "vcf.gz": { type: "variant", format: "vcf" }
}

export const isShown = (kind: string): boolean => kind in formats

/** igv.js takes a name for markup. */
const labelOf = (name: string) => name.replaceAll("<", "‹").replaceAll(">", "›")

const trackOf = ({ indexUrl, kind, name, url }: Track) => ({
  ...formats[kind],
  name: labelOf(name),
  url,
  indexURL: indexUrl,
  headers: relayed
})

/** @param genome - as igv.js takes it; null for the sequences of the file itself */
export const show = async (place: HTMLElement, track: Track, genome: string | object | null): Promise<void> => {
  place.scrollIntoView({ block: "start" })
  const opened = view
  if (opened !== null) {
    const { browser, tracks } = await opened
    if (tracks.has(track.name)) return
    tracks.add(track.name)
    await browser.loadTrack(trackOf(track))
    return
  }
  const opening = start(place, track, genome)
  view = opening
  await opening.catch((error) => {
    view = null
    place.replaceChildren(sentence(`${track.name} cannot be shown: ${messageOf(error)}`))
  })
}

const start = async (place: HTMLElement, track: Track, genome: string | object | null): Promise<Opened> => {
  place.replaceChildren(element("p", { role: "status" }, `Opening ${track.name} ...`))
  const [sequences, igv] = await Promise.all([sequencesOf(track), load()])
  const locus = locusOf(sequences)
  if (locus === null) throw new Error(`The header of ${track.name} names no sequence, so there is nothing to show.`)
  const shown = token.get()
  if (shown !== null) igv.setOauthToken(shown, location.hostname)
  const canvas = element("div", { id: "igv" })
  const region = regionForm(place, locus)
  place.replaceChildren(region, canvas)
  const browser = await igv.createBrowser(canvas, {
    ...(typeof genome === "string" ? { genome } : { loadDefaultGenomes: false, reference: genome ?? own(track) }),
    locus,
    showCircularViewButton: false,
    showSampleNameButton: false,
    showSVGButton: true,
    tracks: [trackOf(track)]
  })
  region.querySelector("input")?.focus({ preventScroll: true })
  return { igv, browser, tracks: new Set([track.name]) }
}

/** On a phone igv.js hides its own. */
const regionForm = (place: HTMLElement, locus: string): HTMLFormElement => {
  const input = element("input", {})
  input.value = locus
  input.spellcheck = false
  const form = element(
    "form",
    {},
    element("label", {}, "Region", input),
    element("button", { class: "main" }, "Go there"),
    button("Close the view", () => void close(place))
  )
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    void view?.then(({ browser }) => browser.search(input.value.trim()))
  })
  return form
}

const own = ({ name, url }: Track) => ({
  id: labelOf(name),
  format: "chromsizes",
  fastaURL: `${url}/sequences`,
  wholeGenomeView: false
})

const close = async (place: HTMLElement): Promise<void> => {
  const opened = await view
  view = null
  if (opened !== null) opened.igv.removeBrowser(opened.browser)
  place.replaceChildren()
}
