/** What the script adds to the list of files: a view, and for each file its address, commands and restoration. */
import { shownIn } from "./Address.ts"
import { commandsFor, desktopUrl, withoutToken } from "./Commands.ts"
import { busy, button, copyButton, element, messageOf, sentence } from "./Elements.ts"
import { need, token } from "./Gate.ts"
import { addressOf, type Row, rowsIn, trackIn, trackNamed } from "./Rows.ts"
import { isOpen, show } from "./View.ts"
import { genomeOf, isShown, relayed, type Track } from "./ViewSettings.ts"
import { minutes } from "./Wording.ts"

/** Shows a file in the view, at a place where one is named. */
type Show = (track: Track, locus: string | null) => Promise<void>

export const enhanceList = (main: HTMLElement): void => {
  const [table, view] = [main.querySelector("table"), main.querySelector<HTMLElement>("#view")]
  if (table === null || view === null) return
  const root = new URL("../../", location.href)
  const { genes, genome } = main.dataset
  const setting = {
    genome: genome === undefined ? null : genomeOf(genome, root, token.get()),
    genesUrl: genes === undefined ? null : new URL("genes", root).href
  }
  const showIn: Show = (track, locus) => show(view, track, setting, locus)
  const rows = rowsIn(main)
  for (const row of rows) addButtons(main, view, row, showIn)
  if (token.get() !== null) table.addEventListener("click", downloadByLink)
  const follow = () => void showAddressed(view, rows, showIn)
  // Also where somebody puts another address of this page into the browser.
  addEventListener("popstate", follow)
  follow()
}

/** Shows what the address says. */
const showAddressed = async (view: HTMLElement, rows: ReadonlyArray<Row>, showIn: Show): Promise<void> => {
  const { files, locus } = shownIn(location.hash)
  if (files.length === 0 && isOpen()) return location.reload()
  const problems: Array<string> = []
  let place = locus
  for (const file of files) {
    try {
      await showIn(await trackNamed(file, rows), place)
      place = null
    } catch (error) {
      problems.push(messageOf(error))
    }
  }
  view.prepend(...problems.map(sentence))
}

/** A link takes no token along: the browser follows an address that is signed for this file. */
const downloadByLink = (event: MouseEvent) => {
  const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>("tbody th a") : null
  if (link === null) return
  event.preventDefault()
  void signedUrl(link.href).then(
    (url) => location.assign(url),
    (error: Error) => alertAt(link, error.message)
  )
}

const alertAt = (link: HTMLElement, message: string) => {
  link.parentElement?.querySelector("[role=alert]")?.remove()
  link.after(element("span", { class: "bad", role: "alert" }, ` ${message}`))
}

const signedUrl = async (url: string): Promise<string> => {
  const { url: signed }: { url: string } = await (await need(`${url}/address`)).json()
  return signed
}

const addButtons = (main: HTMLElement, view: HTMLElement, row: Row, showIn: Show) => {
  const details = button("Details", () => {
    const next = row.element.nextElementSibling
    const expanded = next?.classList.contains("panel") === true
    if (expanded) next.remove()
    else {
      const cell = element("td", {}, element("div", {}, ...panel(main, row)))
      cell.colSpan = 4
      row.element.after(element("tr", { class: "panel" }, cell))
    }
    details.setAttribute("aria-expanded", String(!expanded))
  })
  details.setAttribute("aria-expanded", "false")
  details.setAttribute("aria-label", `Details of ${row.name}`)
  const track = trackIn(row)
  const act = row.element.querySelector(".act")
  if (track !== null) {
    const press = button("View", async () => {
      view.scrollIntoView()
      await showIn(track, null)
      view.querySelector("input")?.focus()
    })
    press.setAttribute("aria-label", `View ${row.name}`)
    act?.append(press)
  }
  act?.append(details)
  // The link of an archived file is for programs, which are refused there: a person asks for it in the panel.
  if (row.archived) {
    row.element.querySelector("th a")?.addEventListener("click", (event) => {
      event.preventDefault()
      event.stopPropagation()
      details.click()
    })
  }
}

/** Where most look first; what the commands take until somebody has another wish. */
const exampleRegion = "chr17:43044295-43125364"

const panel = (main: HTMLElement, row: Row): ReadonlyArray<Node> => {
  if (row.archived) return [restoration(main, row)]
  const { index, kind, name } = row
  const url = addressOf(name)
  const closed = main.dataset["closed"] !== undefined
  const list = element("dl", {})
  const shown = withoutToken(url)
  const commands = commandsFor({ url: shown, name, kind: index === null ? "" : kind, closed }, exampleRegion)
  for (const { text, what } of [{ what: "Address", text: shown }, ...commands])
    list.append(element("dt", {}, what), element("dd", {}, element("code", {}, text), copyButton(text)))
  const age = element("p", { class: "sub", role: "status" })
  void changedAt(url).then((time) => age.append(time === null ? "" : `Last changed: ${time}.`))
  const track = trackIn(row)
  if (track !== null) return [openInIgv(track), list, age]
  const lacking = element("p", { class: "away" }, `${name} has no index here, so no region of it can be shown.`)
  return isShown(kind) ? [lacking, list, age] : [list, age]
}

/** The service does not list it; the host of the file knows. */
const changedAt = async (url: string): Promise<string | null> => {
  const answer = await need(url, { method: "HEAD", headers: relayed }).catch(() => null)
  return answer?.headers.get("last-modified") ?? null
}

const openInIgv = ({ indexUrl, name, url }: Track): HTMLElement =>
  busy("Open in IGV", async () => {
    // At once: a tab that is opened later than the click is taken for a pop-up by some browsers.
    const tab = open("", "_blank")
    if (tab === null) throw new Error("This browser opens no tab for IGV: allow pop-ups of this page.")
    tab.opener = null
    try {
      const [file, beside] = await Promise.all([signedUrl(url), signedUrl(indexUrl)])
      tab.location.href = desktopUrl(file, beside, name)
    } catch (error) {
      tab.close()
      throw error
    }
  })

const restoration = (main: HTMLElement, row: Row): HTMLElement => {
  if (row.element.dataset["restoring"] !== undefined)
    return element(
      "p",
      {},
      "It is on its way back from the archive. Look again later: this page shows when it is there."
    )
  const waits = element("p", {}, "It is in the archive, and cannot be read until it is restored.")
  if (main.dataset["restore"] === undefined) {
    const advice = "You may not ask for that here: whoever runs this gateway can."
    return element("div", {}, waits, element("p", { class: "sub" }, advice))
  }
  const confirm = busy("Yes, restore them", async () => {
    const answer = await need(`${addressOf(row.name)}/restore`, { method: "POST" })
    const { restoreEstimation }: { restoreEstimation: string | null } = await answer.json()
    const until = restoreEstimation === null ? "" : ` It is expected ${minutes(restoreEstimation)}.`
    question.replaceWith(element("p", { class: "good", role: "status" }, `Asked for.${until}`))
    for (const other of main.querySelectorAll<HTMLElement>("tr[data-archived]:not([data-restoring])")) {
      other.dataset["restoring"] = ""
      other.querySelector(".away")?.replaceChildren("Being restored")
    }
  })
  const price = `All archived files of ${main.dataset["analysis"]} come back, within hours. This costs money.`
  const question = element(
    "details",
    {},
    element("summary", {}, "Ask for restoration"),
    element("p", {}, price),
    confirm
  )
  return element("div", {}, waits, question)
}
