/** The script of the page: it shows the token, and adds to the list what needs a script. The page tells everything else by itself. */
import { button, element, messageOf, sentence, textField } from "./Elements.ts"
import { enhanceList } from "./FileList.ts"
import { ask, token } from "./Gate.ts"
import { asSentence } from "./Wording.ts"

const mainOf = (page: Document): HTMLElement => {
  const main = page.getElementById("main")
  if (main === null) throw new Error("The gateway sent something else than its page.")
  return main
}

/** Asks for this address again, with the token, and shows what comes. */
const unlock = async (): Promise<void> => {
  const answer = await ask(location.href.replace(/#.*$/s, ""), { headers: { Accept: "text/html" } })
  // A page at another address: its links are relative to that.
  if (answer.redirected) return location.replace(answer.url)
  const page = new DOMParser().parseFromString(await answer.text(), "text/html")
  const main = document.adoptNode(mainOf(page))
  mainOf(document).replaceWith(main)
  document.title = page.title
  if (answer.status === 401) {
    token.forget()
    return askForToken(main, main.dataset["locked"] ?? null)
  }
  begin(main)
}

const askForToken = (main: HTMLElement, said: string | null): void => {
  const input = textField()
  input.type = "password"
  input.required = true
  const form = element("form", {}, element("label", {}, "Token", input), element("button", { class: "main" }, "Go in"))
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    token.set(input.value.trim())
    unlock().catch((error) => form.after(sentence(messageOf(error))))
  })
  const hint = "It stays in this tab, and is forgotten when you close it. Whoever runs this gateway gives you one."
  main.append(...(said === null ? [] : [sentence(asSentence(said))]))
  main.append(form, element("p", { class: "sub" }, hint))
  input.focus()
}

const begin = (main: HTMLElement): void => {
  const who = document.getElementById("who")
  if (token.get() !== null) {
    who?.replaceChildren(
      button("Forget the token", () => {
        token.forget()
        location.reload()
      })
    )
  }
  const heading = main.querySelector("h1")
  // Whoever went in with a token, by keys alone, is not lost with the form.
  if (heading !== null) heading.tabIndex = -1
  const first = main.querySelector<HTMLElement>("#choose input") ?? heading
  first?.focus()
  enhanceList(main)
}

const main = mainOf(document)
if (main.dataset["locked"] === undefined) begin(main)
else if (token.get() === null) askForToken(main, null)
else unlock().catch((error) => main.append(sentence(messageOf(error))))
