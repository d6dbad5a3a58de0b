/** Adds files of other analyses to the view, such as those of the parents. */
import { busy, element, textField } from "./Elements.ts"
import { offerOf } from "./Rows.ts"
import { labelOf, type Track } from "./ViewSettings.ts"

export const othersForm = (add: (track: Track) => Promise<void>): HTMLElement => {
  const input = textField()
  const offers = element("div", { class: "row" })
  const find = busy("List its files", async () => {
    offers.replaceChildren()
    const id = input.value.trim()
    if (id === "") throw new Error("The id of an analysis is missing.")
    const { title, tracks } = await offerOf(id)
    if (tracks.length === 0) throw new Error(`${title}: nothing of it can be shown here.`)
    offers.replaceChildren(title, ...tracks.map((track) => busy(`Add ${labelOf(track)}`, () => add(track))))
  })
  const form = element("form", {}, element("label", {}, "Id of another analysis", input), find)
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    find.querySelector("button")?.click()
  })
  return element("details", {}, element("summary", {}, "Add files of another analysis"), form, offers)
}
