/** Files of other analyses in the view, such as those of the parents. */
import { busy, element } from "./Elements.ts"
import { tracksOf } from "./Rows.ts"
import { labelOf, type Track } from "./ViewSettings.ts"

export const othersForm = (add: (track: Track) => Promise<void>): HTMLElement => {
  const input = element("input", {})
  input.spellcheck = false
  input.autocomplete = "off"
  const offers = element("div", { class: "row" })
  const find = busy("List its files", async () => {
    offers.replaceChildren()
    const id = input.value.trim()
    if (id === "") throw new Error("The id of an analysis is missing.")
    const tracks = await tracksOf(id)
    if (tracks.length === 0) throw new Error(`${id} has nothing that can be shown here.`)
    offers.replaceChildren(...tracks.map((track) => busy(`Add ${labelOf(track)}`, () => add(track))))
  })
  const form = element("form", {}, element("label", {}, "Id of another analysis", input), find)
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    find.querySelector("button")?.click()
  })
  return element("details", {}, element("summary", {}, "Add files of another analysis"), form, offers)
}
