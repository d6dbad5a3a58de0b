/** Debian's Chromium without a window, driven by its DevTools protocol; it can reach nothing but this machine. */
import { writeFileSync } from "node:fs"
import { Effect } from "effect"
import { startServer } from "../Executables.ts"
import { folder } from "./Ground.ts"

interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly message: string }
}

type Values = Readonly<Record<string, unknown>>

export interface View {
  readonly width: number
  readonly height?: number
  readonly media?: "screen" | "print"
  readonly scheme?: "light" | "dark"
  readonly script?: boolean
}

export interface Visit {
  /** The value of an expression in the page; it must be JSON. */
  readonly evaluate: (expression: string) => Effect.Effect<unknown>
  /** Errors, warnings, violations of the page's policy, and uncaught exceptions so far. */
  readonly complaints: () => ReadonlyArray<string>
  /** Addresses that the page asked for so far, its own among them. */
  readonly requests: () => ReadonlyArray<string>
  /** Shows the same page in another way. */
  readonly look: (view: View) => Effect.Effect<void>
  /** The page as a PNG: whole, or its beginning. */
  readonly picture: (
    path: string,
    beginning?: { readonly width: number; readonly height: number }
  ) => Effect.Effect<void>
}

const flags = [
  ...["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars"],
  ...["--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"],
  "--remote-debugging-port=0"
]

const listening = (line: string) => /^DevTools listening on (ws:\/\/\S+)/.exec(line)?.[1]

const connected = (address: string) =>
  Effect.acquireRelease(
    Effect.callback<WebSocket>((resume) => {
      const socket = new WebSocket(address)
      socket.addEventListener("open", () => resume(Effect.succeed(socket)))
      socket.addEventListener("error", () => resume(Effect.die(new Error(`no connection to ${address}`))))
    }),
    (socket) => Effect.sync(() => socket.close())
  )

/** A browser with one page that is open until the scope closes. */
export const startBrowser = Effect.gen(function* () {
  const profile = yield* folder
  const { value: address } = yield* startServer("chromium", [...flags, `--user-data-dir=${profile}`], listening, {
    env: { HOME: profile, XDG_CONFIG_HOME: profile, XDG_CACHE_HOME: profile }
  })
  const socket = yield* connected(address)
  const waiting = new Map<number, (message: Message) => void>()
  const listeners = new Set<(message: Message) => void>()
  let last = 0
  socket.addEventListener("message", ({ data }) => {
    const message: Message = JSON.parse(String(data))
    if (message.id === undefined) for (const tell of listeners) tell(message)
    else waiting.get(message.id)?.(message)
  })
  const send = (sessionId: string | undefined, method: string, params: Values = {}) =>
    Effect.callback<Values>((resume) => {
      const id = ++last
      waiting.set(id, ({ error, result }) => {
        waiting.delete(id)
        resume(
          error === undefined ? Effect.succeed(result ?? {}) : Effect.die(new Error(`${method}: ${error.message}`))
        )
      })
      socket.send(JSON.stringify({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) }))
    })

  /** Opens `url` and waits until it has loaded. */
  const visit = Effect.fnUntraced(function* (url: string, first: View) {
    const { targetId } = yield* send(undefined, "Target.createTarget", { url: "about:blank" })
    const { sessionId } = yield* send(undefined, "Target.attachToTarget", { targetId, flatten: true })
    const call = (method: string, params?: Values) => send(String(sessionId), method, params)
    const complaints: Array<string> = []
    const requests: Array<string> = []
    const loaded = Effect.callback<void>((resume) => {
      const tell = ({ method, params = {} }: Message) => {
        if (method !== "Page.loadEventFired" || params === undefined) return
        listeners.delete(tell)
        resume(Effect.void)
      }
      listeners.add(tell)
      return Effect.sync(() => listeners.delete(tell))
    })
    listeners.add(({ method, params = {} }) => {
      if (
        method === "Runtime.exceptionThrown" ||
        method === "Log.entryAdded" ||
        method === "Runtime.consoleAPICalled"
      ) {
        complaints.push(JSON.stringify(params))
      }
      const request = params["request"] as { readonly url: string } | undefined
      if (method === "Network.requestWillBeSent" && request !== undefined) requests.push(request.url)
    })
    for (const domain of ["Page", "Runtime", "Log", "Network"]) yield* call(`${domain}.enable`)
    const look = Effect.fnUntraced(function* (view: View) {
      const { height = 900, media = "screen", scheme = "light", script = true, width } = view
      yield* call("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false })
      yield* call("Emulation.setEmulatedMedia", {
        media,
        features: [{ name: "prefers-color-scheme", value: scheme }]
      })
      yield* call("Emulation.setScriptExecutionDisabled", { value: !script })
    })
    yield* look(first)
    const navigated = call("Page.navigate", { url })
    yield* Effect.all([loaded, navigated], { concurrency: 2 })
    const evaluate = Effect.fnUntraced(function* (expression: string) {
      const reply = yield* call("Runtime.evaluate", { expression, returnByValue: true })
      if (reply["exceptionDetails"] !== undefined) {
        return yield* Effect.die(new Error(`${expression}: ${JSON.stringify(reply["exceptionDetails"])}`))
      }
      return (reply["result"] as { readonly value?: unknown }).value
    })
    const picture: Visit["picture"] = Effect.fnUntraced(function* (path, beginning) {
      const clip = beginning === undefined ? {} : { clip: { x: 0, y: 0, scale: 1, ...beginning } }
      const { data } = yield* call("Page.captureScreenshot", { format: "png", captureBeyondViewport: true, ...clip })
      writeFileSync(path, Buffer.from(String(data), "base64"))
    })
    return { evaluate, complaints: () => complaints, requests: () => requests, look, picture } satisfies Visit
  })
  return { visit }
})
