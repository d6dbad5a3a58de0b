/** A visitor of the sandbox for its tests, on plain node:http: what it sends and keeps is written out here, no client code. */

import { type IncomingHttpHeaders, request } from "node:http"
import { Effect } from "effect"
import { type RunningSandbox, type SandboxOptions, start } from "../../sandbox/Sandbox.ts"

export interface Heard {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  /** The connection broke before the body was complete. */
  readonly broken: boolean
}

export interface Said {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Path and query exactly as they are to be sent. */
  readonly path?: string
}

/** One request on a connection of its own. Status 0: the connection broke before an answer began. */
export const say = (url: string, { body, headers = {}, method = "GET", path }: Said = {}): Effect.Effect<Heard> =>
  Effect.callback((resume) => {
    const { hostname, pathname, port, search } = new URL(url)
    const chunks: Array<Buffer> = []
    let seen: { status: number; headers: IncomingHttpHeaders } = { status: 0, headers: {} }
    const end = (broken: boolean) => resume(Effect.succeed({ ...seen, body: Buffer.concat(chunks), broken }))
    const sent = request(
      { hostname, port, method, path: path ?? pathname + search, headers, agent: false },
      (response) => {
        seen = { status: response.statusCode ?? 0, headers: response.headers }
        response.on("data", (chunk: Buffer) => chunks.push(chunk))
        response.on("end", () => end(!response.complete))
        response.on("error", () => end(true))
      }
    )
    sent.on("error", () => end(true))
    sent.end(body)
    return Effect.sync(() => sent.destroy())
  })

export const json = (heard: Heard) => JSON.parse(heard.body.toString())

const cookieOf = (heard: Heard) => heard.headers["set-cookie"]?.[0]?.split(";")[0] ?? ""
const tokenOf = (heard: Heard) => String(heard.headers["x-csrf-token"] ?? "")

export interface Pass {
  readonly cookie: string
  readonly "x-csrf-token": string
}

/** Cookie and token before the login. */
export const arrive = Effect.fnUntraced(function* (url: string, path = "/") {
  const heard = yield* say(`${url}${path}`, { method: "HEAD" })
  const pass: Pass = { cookie: cookieOf(heard), "x-csrf-token": tokenOf(heard) }
  return { heard, pass }
})

const form = { "content-type": "application/x-www-form-urlencoded" }

/** The form login with the given words; `pass` is what to use afterwards, if there is something. */
export const logIn = Effect.fnUntraced(function* ({
  password,
  url,
  user
}: Pick<RunningSandbox, "password" | "url" | "user">) {
  const { pass } = yield* arrive(url)
  const body = new URLSearchParams({ _csrf: pass["x-csrf-token"], username: user, password }).toString()
  const heard = yield* say(`${url}/login`, { method: "POST", headers: { cookie: pass.cookie, ...form }, body })
  const after: Pass = { cookie: cookieOf(heard), "x-csrf-token": tokenOf(heard) }
  return { heard, before: pass, pass: after }
})

export const logOut = (url: string, pass: Pass) =>
  say(`${url}/logout`, {
    method: "POST",
    headers: { cookie: pass.cookie, ...form },
    body: new URLSearchParams({ _csrf: pass["x-csrf-token"] }).toString()
  })

/** An authenticated request. */
export const ask = (url: string, pass: Pass, path: string, said: Said = {}) =>
  say(`${url}${path}`, { ...said, headers: { ...pass, ...said.headers } })

export const postForm = (url: string, pass: Pass, path: string, fields: ReadonlyArray<readonly [string, string]>) =>
  ask(url, pass, path, {
    method: "POST",
    headers: form,
    body: new URLSearchParams(fields.map(([name, value]): [string, string] => [name, value])).toString()
  })

export const sendJson = (url: string, pass: Pass, method: string, path: string, body: unknown) =>
  ask(url, pass, path, { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) })

export interface ListedAnalysis {
  readonly id: string | number
  readonly personLimsId: string | null
  readonly sampleId: string | null
}

export interface ListedFile {
  readonly fileName: string
  readonly downloadLink: string
  readonly currentlyArchived: boolean
  readonly size: number | null
}

/** A sandbox, and somebody who has logged in there. */
export const visit = Effect.fnUntraced(function* (options: SandboxOptions = {}) {
  const sandbox = yield* start(options)
  const { url } = sandbox
  const { pass } = yield* logIn(sandbox)
  const getJson = (path: string) => Effect.map(ask(url, pass, path), json)
  const payload = (path: string) => Effect.map(getJson(path), ({ response }) => response)
  const files = (analysis: string | number) =>
    Effect.map(
      payload(`/api/analysis/${analysis}/get-file-download-links`),
      ({ apiFileLinks }): ReadonlyArray<ListedFile> => apiFileLinks
    )
  const listed = Effect.fnUntraced(function* (analysis: string, name: string) {
    const file = (yield* files(analysis)).find(({ fileName }) => fileName === name)
    return file ?? (yield* Effect.die(new Error(`${analysis} has no ${name}`)))
  })
  return {
    sandbox,
    pass,
    get: (path: string) => ask(url, pass, path),
    getJson,
    payload,
    analyses: Effect.map(payload("/api/analyses"), (items): ReadonlyArray<ListedAnalysis> => items),
    files,
    listed,
    link: (analysis: string, name: string) => Effect.map(listed(analysis, name), ({ downloadLink }) => downloadLink),
    form: (path: string, fields: ReadonlyArray<readonly [string, string]>) => postForm(url, pass, path, fields),
    send: (method: string, path: string, body: unknown) => sendJson(url, pass, method, path, body)
  }
})
