/** What the script adds to a long list: a field that leaves of it what has some letters. */
import { element } from "./Elements.ts"

export interface Listed {
  readonly element: HTMLElement
  readonly name: string
}

/** A list with fewer is seen at once. */
const many = 12

export const addFilter = (list: HTMLElement, label: string, rows: ReadonlyArray<Listed>): void => {
  if (rows.length < many) return
  const input = element("input", {})
  input.type = "search"
  const count = element("output", { class: "sub" })
  input.addEventListener("input", () => {
    const text = input.value.trim().toLowerCase()
    let shown = 0
    for (const row of rows) {
      row.element.hidden = !row.name.toLowerCase().includes(text)
      const next = row.element.nextElementSibling
      if (next instanceof HTMLElement && next.classList.contains("panel")) next.hidden = row.element.hidden
      if (!row.element.hidden) shown++
    }
    count.textContent = shown === rows.length ? "" : `${shown} of ${rows.length}`
  })
  list.before(element("form", {}, element("label", {}, label, input), count))
}
