/** Where the view is: one field to say it, and the address of the page, which goes along with what igv.js moves and can be gone back to. */
import { button, element } from "./Elements.ts"
import { type Known, type Place, placesOf, regionText } from "./Place.ts"

export interface Steering {
  readonly form: HTMLElement
  /**
   * Goes to what is written.
   *
   * @param typed - not what an address says: the browser then goes back to where it was
   */
  readonly go: (written: string, typed: boolean) => Promise<void>
  /** The view has moved. */
  readonly moved: (place: Place) => void
  /** Says what went wrong, besides what is said already. */
  readonly say: (sentence: string) => void
  /** What the view shows has changed, and its address with it. */
  readonly remember: () => void
  /** The address is again that of no view. */
  readonly end: () => void
}

interface Means {
  readonly known: Known
  /** Where the view is when it opens. */
  readonly first: Place
  /** Has the view go there; false where it cannot. */
  readonly search: (locus: string) => Promise<boolean>
  /** Whether the search may know genes that the page does not. */
  readonly elsewhere: boolean
  /** @param locus - null for no view */
  readonly hashAt: (locus: string | null) => string
  readonly close: () => void
}

/** Browsers refuse an address for each pixel of a drag. In ms. */
const pause = 300

/** Places of a gene that are offered. */
const most = 12

export const makeSteering = ({ close, elsewhere, first, hashAt, known, search }: Means): Steering => {
  let at = first
  /** Why the view is not where the field says. */
  let refusal: string | null = null
  let turn = 0
  let jumping = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const input = element("input", {})
  input.value = regionText(at)
  input.spellcheck = false
  input.autocomplete = "off"
  const said = element("p", { class: "bad", role: "alert" })
  const failures = element("div", { role: "alert" })

  const remember = () => {
    clearTimeout(timer)
    timer = undefined
    history.replaceState(null, "", hashAt(regionText(at)))
  }
  const answer = (...words: ReadonlyArray<Node | string>) => {
    refusal = null
    said.replaceChildren(...words)
    input.setAttribute("aria-invalid", String(words.length > 0))
  }
  const refuse = (problem: string) => {
    answer(`${problem} Still shown: ${regionText(at)}.`)
    refusal = problem
  }
  const offer = (gene: string, places: ReadonlyArray<Place>) => {
    const offers = places.slice(0, most).map((place) => {
      const region = regionText(place)
      return button(region, () => void go(region, true))
    })
    const more = places.length > most ? [`and ${places.length - most} more`] : []
    answer(`${gene} is at ${places.length} places:`, element("span", { class: "row" }, ...offers, ...more))
  }

  const go: Steering["go"] = async (written, typed) => {
    const mine = ++turn
    failures.replaceChildren()
    input.value = written
    const meant = placesOf(written, known)
    if ("places" in meant && meant.places.length > 1) return offer(written.trim(), meant.places)
    const [place] = "places" in meant ? meant.places : []
    const problem = "problem" in meant ? meant.problem : `The genome of this view has no ${written.trim()}.`
    if (place === undefined && !(elsewhere && "problem" in meant && meant.gene)) return refuse(problem)
    answer()
    // Where one was stays what the entry before says.
    if (timer !== undefined) remember()
    jumping = typed
    const found = await search(place === undefined ? written.trim() : regionText(place)).catch(() => false)
    // A later wish has its own answer.
    if (mine !== turn) return
    jumping = false
    if (found) input.value = regionText(at)
    else refuse(problem)
  }

  const moved: Steering["moved"] = (place) => {
    if (regionText(place) === regionText(at)) return
    const resized = place.name === at.name && place.start === at.start
    at = place
    // In a window of another width the view ends elsewhere: what was said of the field stays true.
    if (!resized) answer()
    if (refusal !== null) refuse(refusal)
    else if (said.childNodes.length === 0) input.value = regionText(at)
    clearTimeout(timer)
    timer = undefined
    if (jumping) history.pushState(null, "", hashAt(regionText(at)))
    else timer = setTimeout(remember, pause)
    jumping = false
  }

  const say: Steering["say"] = (sentence) => {
    if ([...failures.children].every((each) => each.textContent !== sentence)) {
      failures.append(element("p", { class: "say" }, sentence))
    }
  }

  const form = element(
    "form",
    {},
    element("label", {}, "Region or gene", input),
    element("button", { class: "main" }, "Go there"),
    button("Close the view", close)
  )
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    void go(input.value, true)
  })
  return {
    form: element("div", {}, form, said, failures),
    go,
    moved,
    say,
    remember,
    end: () => {
      clearTimeout(timer)
      history.replaceState(null, "", hashAt(null))
    }
  }
}
