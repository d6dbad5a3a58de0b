/** Where the view is: one field to say it, and the address of the page, which goes along with what igv.js moves and can be gone back to. */
import { button, element, textField } from "./Elements.ts"
import { type Known, type Place, placesOf, regionText } from "./Place.ts"

export interface Steering {
  /** The field, and what is said of the view. */
  readonly element: HTMLElement
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
}

interface Means {
  readonly known: Known
  /** Where the view is when it opens. */
  readonly first: Place
  /** Has the view go there; false where it cannot. */
  readonly search: (locus: string) => Promise<boolean>
  readonly hashAt: (locus: string) => string
}

/** Browsers refuse an address for each pixel of a drag. In ms. */
const pause = 300

/** Places of a gene that are offered. */
const most = 12

export const makeSteering = ({ first, hashAt, known, search }: Means): Steering => {
  let at = first
  let wishes = 0
  let jumping = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const input = textField(regionText(at))
  const answer = element("p", { class: "bad", role: "alert" })
  const failures = element("div", { role: "alert" })

  const address = (change: "pushState" | "replaceState") => {
    clearTimeout(timer)
    history[change](null, "", hashAt(regionText(at)))
  }
  // From an open view one goes back to the list of files.
  const remember = () => address(location.hash === "" ? "pushState" : "replaceState")
  const reply = (...words: ReadonlyArray<Node | string>) => {
    answer.replaceChildren(...words)
    input.setAttribute("aria-invalid", String(words.length > 0))
  }
  const refuse = (problem: string) => reply(`${problem} Still shown: ${at.name} from ${at.start.toLocaleString("en")}.`)
  const offer = (gene: string, places: ReadonlyArray<Place>) => {
    const offers = places.slice(0, most).map(regionText)
    const more = places.length > most ? [`and ${places.length - most} more`] : []
    const buttons = offers.map((region) => button(region, () => void go(region, true)))
    reply(`${gene} is at ${places.length} places:`, element("span", { class: "row" }, ...buttons, ...more))
  }

  const go: Steering["go"] = async (written, typed) => {
    const mine = ++wishes
    failures.replaceChildren()
    input.value = written
    const meant = placesOf(written, known)
    if (typeof meant === "string") return refuse(meant)
    if (meant.length > 1) return offer(written.trim(), meant)
    reply()
    // Where one was stays what the entry before says.
    if (typed) remember()
    jumping = typed
    const found = await search(meant.map(regionText).join()).catch(() => false)
    // A later wish has its own answer.
    if (mine !== wishes) return
    jumping = false
    if (found) input.value = regionText(at)
    else refuse(`The genome of this view has no ${written.trim()}.`)
  }

  const moved: Steering["moved"] = (place) => {
    if (regionText(place) === regionText(at)) return
    // In a window of another width the view ends elsewhere: what was said of the field stays true.
    const resized = place.name === at.name && place.start === at.start && answer.hasChildNodes()
    at = place
    if (!resized) {
      reply()
      input.value = regionText(at)
    }
    clearTimeout(timer)
    if (jumping) address("pushState")
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
    // The page without a view; from this address, which ends with a slash.
    element("a", { href: "." }, "Close the view")
  )
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    void go(input.value, true)
  })
  return { element: element("div", {}, form, answer, failures), go, moved, say, remember }
}
