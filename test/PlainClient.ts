/**
 * A client of other hands, as one writes it in a script: HEAD for the token, form login, cookies by hand, identifiers as
 * integers. It shares no line with ours.
 */
import { request } from "node:http"

interface Answer {
  readonly status: number
  readonly token: string | undefined
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: a script does not know what it gets
  readonly json: () => any
}

export class PlainClient {
  readonly #base: string
  readonly #cookies = new Map<string, string>()
  #token = ""

  constructor(base: string) {
    this.#base = base
  }

  send(method: string, path: string, body?: { readonly type: string; readonly text: string }): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const headers = {
        ...(this.#cookies.size === 0 ? {} : { cookie: [...this.#cookies].map((pair) => pair.join("=")).join("; ") }),
        ...(this.#token === "" ? {} : { "X-CSRF-TOKEN": this.#token }),
        ...(body === undefined ? {} : { "content-type": body.type, "content-length": Buffer.byteLength(body.text) })
      }
      const outgoing = request(`${this.#base}${path}`, { method, headers }, (incoming) => {
        for (const cookie of incoming.headers["set-cookie"] ?? []) {
          const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
          this.#cookies.set(name, value)
        }
        let text = ""
        incoming.setEncoding("utf8").on("data", (part: string) => (text += part))
        incoming.on("error", reject).on("end", () => {
          const token = incoming.headers["x-csrf-token"]
          resolve({
            status: incoming.statusCode ?? 0,
            token: typeof token === "string" ? token : undefined,
            text,
            json: () => JSON.parse(text)
          })
        })
      })
      outgoing.on("error", reject).end(body?.text)
    })
  }

  get(path: string) {
    return this.send("GET", path)
  }

  sendJson(method: string, path: string, value: unknown) {
    return this.send(method, path, { type: "application/json", text: JSON.stringify(value) })
  }

  form(path: string, fields: Readonly<Record<string, string>>) {
    const type = "application/x-www-form-urlencoded"
    return this.send("POST", path, { type, text: new URLSearchParams(fields).toString() })
  }

  async logIn(username: string, password: string): Promise<boolean> {
    this.#token = (await this.send("HEAD", "/")).token ?? ""
    const answer = await this.form("/login", { _csrf: this.#token, username, password })
    if (answer.status !== 200 || answer.token === undefined) return false
    this.#token = answer.token
    return true
  }

  logOut() {
    return this.form("/logout", { _csrf: this.#token })
  }
}
