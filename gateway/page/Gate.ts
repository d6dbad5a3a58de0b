/** The token of this tab, and what is asked of the gateway with it. It stays in the tab, and never stands in an address. */
import { asSentence } from "./Wording.ts"

const key = "svc-gateway-token"

export const token = {
  get: (): string | null => sessionStorage.getItem(key),
  set: (text: string): void => sessionStorage.setItem(key, text),
  forget: (): void => sessionStorage.removeItem(key)
}

export const ask = async (url: string, init: RequestInit = {}): Promise<Response> => {
  const shown = token.get()
  const headers = new Headers(init.headers)
  if (shown !== null) headers.set("Authorization", `Bearer ${shown}`)
  return fetch(url, { cache: "no-store", ...init, headers }).catch(() => {
    throw new Error("The gateway cannot be reached. Is it still running?")
  })
}

/** The same for what is no page; fails with the sentence of the gateway. */
export const need = async (url: string, init: RequestInit = {}): Promise<Response> => {
  const answer = await ask(url, init)
  if (answer.ok) return answer
  const body: unknown = await answer.json().catch(() => null)
  const message = typeof body === "object" && body !== null && "message" in body ? String(body.message) : ""
  throw new Error(message === "" ? `The gateway answered ${answer.status}.` : asSentence(message))
}
