/** What the script adds to the list of files: for each its address, commands, view and restoration. */
import { commandsFor, desktopUrl, withoutToken } from "./Commands.ts"
import { addFilter, busy, button, copyButton, element, type Listed } from "./Elements.ts"
import { need, token } from "./Gate.ts"
import { show } from "./View.ts"
import { type Genome, genomeOf, isShown, relayed } from "./ViewSettings.ts"
import { fileNameIn, minutes } from "./Wording.ts"

interface Row extends Listed {
  readonly kind: string
  readonly index: string | null
  readonly archived: boolean
}

export const enhanceList = (main: HTMLElement): void => {
  const table = main.querySelector("table")
  if (table === null) return
  const rows = [...(table.tBodies[0]?.rows ?? [])].map(
    (row): Row => ({
      element: row,
      name: row.cells[0]?.textContent ?? "",
      kind: row.dataset["kind"] ?? "",
      index: row.dataset["index"] ?? null,
      archived: row.dataset["archived"] !== undefined
    })
  )
  for (const row of rows) addButton(main, row)
  addFilter(table, "Find a file", rows)
  if (token.get() !== null) table.addEventListener("click", downloadByLink)
  const asked = fileNameIn(location.hash)
  if (asked !== "")
    rows
      .find(({ name }) => name === asked)
      ?.element.querySelector("button")
      ?.click()
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
    history.replaceState(null, "", `#${encodeURIComponent(row.name)}`)
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

/** Where this page gets a file: with the token, where the page has it in its path. */
const addressOf = (name: string) => `${new URL(".", location.href).href}${encodeURIComponent(name)}`

/** Where most look first; what the commands take until somebody has another wish. */
const exampleRegion = "chr17:43044295-43125364"

const panel = (main: HTMLElement, row: Row): ReadonlyArray<Node> => {
  if (row.archived) return [restoration(main, row)]
  const url = addressOf(row.name)
  const closed = main.dataset["closed"] !== undefined
  const genome = genomeOf(main.dataset["genome"] ?? null, new URL("../../", location.href), token.get())
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
  return [element("div", { class: "row" }, ...actions(main, row, url, genome)), list, age]
}

const actions = (main: HTMLElement, row: Row, url: string, genome: Genome | null): ReadonlyArray<Node> => {
  const { index, kind, name } = row
  if (!isShown(kind)) return []
  const view = main.querySelector<HTMLElement>("#view")
  if (index === null || view === null) {
    return [element("p", { class: "away" }, `${name} has no index here, so no region of it can be shown.`)]
  }
  const indexUrl = addressOf(index)
  return [
    busy("View here", () => show(view, { name, kind, url, indexUrl }, genome), "main"),
    busy("Open in IGV", async () => {
      // At once: a tab that is opened later than the click is taken for a pop-up by some browsers.
      const tab = open("", "_blank")
      if (tab === null) throw new Error("This browser opens no tab for IGV: allow pop-ups of this page.")
      tab.opener = null
      try {
        const [file, beside] = await Promise.all([signedUrl(url), signedUrl(indexUrl)])
        tab.location.href = desktopUrl(file, beside, name, typeof genome === "string" ? genome : null)
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
