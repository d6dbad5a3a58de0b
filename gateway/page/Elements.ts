/** Elements of the page; text goes in as text, never as markup. */

type Child = Node | string | null

interface Attributes {
  readonly class?: string
  readonly id?: string
  readonly role?: string
  readonly href?: string
  readonly onclick?: () => void
}

export const element = <K extends keyof HTMLElementTagNameMap>(
  tag: K,
  { onclick, ...attributes }: Attributes,
  ...children: ReadonlyArray<Child>
): HTMLElementTagNameMap[K] => {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  if (onclick !== undefined) made.addEventListener("click", onclick)
  made.append(...children.filter((child) => child !== null))
  return made
}

export const button = (text: string, onclick: () => void, kind = ""): HTMLButtonElement => {
  const made = element("button", { onclick, ...(kind === "" ? {} : { class: kind }) }, text)
  made.type = "button"
  return made
}

/** For a name of something, which no browser mends or completes. */
export const textField = (value = ""): HTMLInputElement => {
  const input = element("input", {})
  input.value = value
  input.spellcheck = false
  input.autocomplete = "off"
  return input
}

/** A sentence that is read out at once. */
export const sentence = (text: string): HTMLElement => element("p", { class: "say", role: "alert" }, text)

/** A button while it works: it cannot be pressed again, and what goes wrong is said after it. */
export const busy = (text: string, work: () => Promise<void>, kind = ""): HTMLElement => {
  const said = element("span", { role: "status" })
  const press = button(
    text,
    () => {
      press.disabled = true
      said.textContent = ""
      said.className = ""
      work()
        .catch((error) => {
          said.className = "bad"
          said.textContent = messageOf(error)
        })
        .finally(() => {
          press.disabled = false
        })
    },
    kind
  )
  return element("span", { class: "row" }, press, said)
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

export const copyButton = (text: string): HTMLButtonElement => {
  const press = button("Copy", () => {
    // Browsers have no clipboard for pages of plain http from another machine.
    if (navigator.clipboard === undefined) {
      const range = document.createRange()
      if (press.previousElementSibling !== null) range.selectNodeContents(press.previousElementSibling)
      getSelection()?.removeAllRanges()
      getSelection()?.addRange(range)
      press.textContent = "Selected"
    } else {
      void navigator.clipboard.writeText(text).then(() => {
        press.textContent = "Copied"
      })
    }
    setTimeout(() => {
      press.textContent = "Copy"
    }, 2000)
  })
  return press
}
