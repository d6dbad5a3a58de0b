/** What the script adds to the list of files: for each its address, commands, view and restoration. */
import { hashOf, shownIn } from "./Address.ts"
import { commandsFor, desktopUrl, withoutToken } from "./Commands.ts"
import { addFilter, busy, button, copyButton, element, messageOf, sentence } from "./Elements.ts"
import { need, token } from "./Gate.ts"
import { addressOf, type Row, rowsIn, trackIn, trackNamed } from "./Rows.ts"
import { isOpen, type Setting, show } from "./View.ts"
import { genomeOf, isShown, relayed } from "./ViewSettings.ts"
import { minutes } from "./Wording.ts"

export const enhanceList = (main: HTMLElement): void => {
  const table = main.querySelector("table")
  if (table === null) return
  const rows = rowsIn(main)
  for (const row of rows) addButton(main, row)
  addFilter(table, "Find a file", rows)
  if (token.get() !== null) table.addEventListener("click", downloadByLink)
  const follow = () => void goTo(main, rows)
  // Also where somebody puts another address of this page into the browser.
  addEventListener("popstate", follow)
  follow()
}

/** Shows what the address says: a file in the list, or files in the view. */
const goTo = async (main: HTMLElement, rows: ReadonlyArray<Row>): Promise<void> => {
  const { files, locus } = shownIn(location.hash)
  const view = main.querySelector<HTMLElement>("#view")
  if (locus === null || view === null) {
    if (!isOpen())
      rows
        .find(({ name }) => name === files[0]?.name)
        ?.element.querySelector("button")
        ?.click()
    return
  }
  for (const [at, file] of files.entries()) {
    try {
      await show(view, await trackNamed(file, rows), settingOf(main), at === 0 ? locus : null)
    } catch (error) {
      view.prepend(sentence(messageOf(error)))
    }
  }
}

const settingOf = (main: HTMLElement): Setting => {
  const root = new URL("../../", location.href)
  return {
    genome: genomeOf(main.dataset["genome"] ?? null, root, token.get()),
    genesUrl: main.dataset["genes"] === undefined ? null : new URL("genes", root).href
  }
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

const addButton = (main: HTMLElement, row: Row) => {
  const press = button("Open", () => {
    const next = row.element.nextElementSibling
    if (next?.classList.contains("panel")) {
      next.remove()
      expanded(false)
      return
    }
    const cell = element("td", {}, element("div", {}, ...panel(main, row)))
    cell.colSpan = 4
    row.element.after(element("tr", { class: "panel" }, cell))
    expanded(true)
    // An open view has its own.
    if (!isOpen()) history.replaceState(null, "", hashOf({ files: [{ name: row.name, analysis: null }], locus: null }))
  })
  const expanded = (on: boolean) => {
    press.textContent = on ? "Close" : "Open"
    press.setAttribute("aria-expanded", String(on))
    press.setAttribute("aria-label", `${press.textContent} ${row.name}`)
  }
  expanded(false)
  row.element.querySelector(".act")?.append(press)
  // The link of an archived file is for programs, which are refused there: a person asks for it in the panel.
  if (row.archived) {
    row.element.querySelector("th a")?.addEventListener("click", (event) => {
      event.preventDefault()
      event.stopPropagation()
      press.click()
    })
  }
}

/** Where most look first; what the commands take until somebody has another wish. */
const exampleRegion = "chr17:43044295-43125364"

const panel = (main: HTMLElement, row: Row): ReadonlyArray<Node> => {
  if (row.archived) return [restoration(main, row)]
  const url = addressOf(row.name)
  const closed = main.dataset["closed"] !== undefined
  const list = element("dl", {})
  const add = (what: string, text: string) =>
    list.append(element("dt", {}, what), element("dd", {}, element("code", {}, text), copyButton(text)))
  const shown = withoutToken(url)
  add("Address", shown)
  for (const { text, what } of commandsFor(
    { url: shown, name: row.name, kind: row.index === null ? "" : row.kind, closed },
    exampleRegion
  ))
    add(what, text)
  const age = element("p", { class: "sub", role: "status" })
  void changedAt(url).then((text) => {
    age.textContent = text
  })
  return [element("div", { class: "row" }, ...actions(main, row, url)), list, age]
}

const actions = (main: HTMLElement, row: Row, url: string): ReadonlyArray<Node> => {
  const { kind, name } = row
  if (!isShown(kind)) return []
  const view = main.querySelector<HTMLElement>("#view")
  const track = trackIn(row)
  if (track === null || view === null) {
    return [element("p", { class: "away" }, `${name} has no index here, so no region of it can be shown.`)]
  }
  const setting = settingOf(main)
  return [
    busy("View here", () => show(view, track, setting), "main"),
    busy("Open in IGV", async () => {
      // At once: a tab that is opened later than the click is taken for a pop-up by some browsers.
      const tab = open("", "_blank")
      if (tab === null) throw new Error("This browser opens no tab for IGV: allow pop-ups of this page.")
      tab.opener = null
      try {
        const [file, beside] = await Promise.all([signedUrl(url), signedUrl(track.indexUrl)])
        tab.location.href = desktopUrl(file, beside, name, typeof setting.genome === "string" ? setting.genome : null)
      } catch (error) {
        tab.close()
        throw error
      }
    })
  ]
}

/** The service does not list it; the host of the file knows. */
const changedAt = async (url: string): Promise<string> => {
  const answer = await need(url, { method: "HEAD", headers: relayed }).catch(() => null)
  const time = Date.parse(answer?.headers.get("last-modified") ?? "")
  if (Number.isNaN(time)) return ""
  const days = Math.floor((Date.now() - time) / 86_400_000)
  const ago = days < 1 ? "today" : days === 1 ? "yesterday" : `${days} days ago`
  return `Last changed ${ago}, ${minutes(new Date(time).toISOString())}.`
}

const restoration = (main: HTMLElement, row: Row): HTMLElement => {
  const underWay = row.element.dataset["restoring"] !== undefined
  const place = element("div", {})
  const waits = underWay
    ? "It is on its way back from the archive. Look again later: this page shows when it is there."
    : "It is in the archive, and cannot be read until it is restored."
  place.append(element("p", {}, waits))
  if (underWay) return place
  if (main.dataset["restore"] === undefined) {
    place.append(element("p", { class: "sub" }, "You may not ask for that here: whoever runs this gateway can."))
    return place
  }
  const ask = busy("Ask for restoration", async () => {
    if (!(await confirmed(main.dataset["analysis"] ?? ""))) return
    const answer = await need(`${addressOf(row.name)}/restore`, { method: "POST" })
    const { restoreEstimation }: { restoreEstimation: string | null } = await answer.json()
    const until = restoreEstimation === null ? "" : ` It is expected ${minutes(restoreEstimation)}.`
    ask.replaceWith(element("p", { class: "good", role: "status" }, `Asked for.${until}`))
    for (const other of main.querySelectorAll<HTMLElement>("tr[data-archived]:not([data-restoring])")) {
      other.dataset["restoring"] = ""
      other.querySelector(".away")?.replaceChildren("Being restored")
    }
  })
  place.append(ask)
  return place
}

const confirmed = (analysisId: string): Promise<boolean> =>
  new Promise((resolve) => {
    const dialog = element("dialog", {})
    const end = (answer: boolean) => {
      dialog.close()
      dialog.remove()
      resolve(answer)
    }
    dialog.append(
      element("h2", {}, "Ask for a restoration?"),
      element("p", {}, `All archived files of ${analysisId} come back, within hours. This costs money.`),
      element(
        "div",
        { class: "row" },
        button("No", () => end(false)),
        button("Yes, restore them", () => end(true), "main")
      )
    )
    dialog.addEventListener("cancel", () => end(false))
    document.body.append(dialog)
    dialog.showModal()
  })
