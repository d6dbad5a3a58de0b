/** Debian's Chromium without a window, driven by its DevTools protocol; it can reach nothing but this machine. */
import { writeFileSync } from "node:fs"
import { Effect } from "effect"
import { startServer, until } from "../Executables.ts"
import { connectDevTools, type DevToolsMessage, type DevToolsValues } from "./DevTools.ts"
import { folder, socketFolder } from "./Ground.ts"

export interface View {
  readonly width: number
  readonly height?: number
  readonly media?: "screen" | "print"
  readonly scheme?: "light" | "dark"
  readonly script?: boolean
}

export interface Visit {
  /** The value of an expression in the page, or what it promises; it must be JSON. Undefined when the page is left meanwhile. */
  readonly evaluate: (expression: string) => Effect.Effect<unknown>
  /** Errors, warnings, violations of the page's policy, and uncaught exceptions so far. */
  readonly complaints: () => ReadonlyArray<string>
  /** Addresses that the page asked for so far, its own among them. */
  readonly requests: () => ReadonlyArray<string>
  /** Shows the same page in another way. */
  readonly look: (view: View) => Effect.Effect<void>
  /** The page on paper, as a PDF. */
  readonly print: (path: string) => Effect.Effect<void>
  /** The page as a PNG: whole, or its beginning. */
  readonly picture: (
    path: string,
    beginning?: { readonly width: number; readonly height: number }
  ) => Effect.Effect<void>
}

/** The page was left for another one while it was asked, as after a click on a link: it has no value. */
const leftPage: DevToolsValues = { result: {} }

const flags = [
  ...["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars"],
  ...["--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"],
  "--remote-debugging-port=0"
]

const listening = (line: string) => /^DevTools listening on (ws:\/\/\S+)/.exec(line)?.[1]

/** A browser with one page that is open until the scope closes. */
export const startBrowser = Effect.gen(function* () {
  const profile = yield* folder
  const { value: address } = yield* startServer("chromium", [...flags, `--user-data-dir=${profile}`], listening, {
    env: { HOME: profile, XDG_CONFIG_HOME: profile, XDG_CACHE_HOME: profile, TMPDIR: yield* socketFolder }
  })
  const { listeners, send } = yield* connectDevTools(address)

  /** Opens `url` and waits until it has loaded. */
  const visit = Effect.fnUntraced(function* (url: string, first: View) {
    const { targetId } = yield* send(undefined, "Target.createTarget", { url: "about:blank" })
    const { sessionId } = yield* send(undefined, "Target.attachToTarget", { targetId, flatten: true })
    const call = (method: string, params?: DevToolsValues) => send(String(sessionId), method, params)
    const complaints: Array<string> = []
    const requests: Array<string> = []
    // By their loaders, as the empty page that a target begins with may be loaded later than the page is asked for.
    const loaded = new Set<unknown>()
    listeners.add((message: DevToolsMessage) => {
      if (message.sessionId !== sessionId) return
      const { method, params = {} } = message
      if (method === "Page.lifecycleEvent" && params["name"] === "load") loaded.add(params["loaderId"])
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
    yield* call("Page.setLifecycleEventsEnabled", { enabled: true })
    yield* look(first)
    const { errorText, loaderId } = yield* call("Page.navigate", { url })
    if (errorText !== undefined) return yield* Effect.die(new Error(`${url}: ${errorText}`))
    yield* until(
      `${url} is loaded`,
      Effect.sync(() => loaded.has(loaderId))
    )
    const evaluate = Effect.fnUntraced(function* (expression: string) {
      const reply = yield* Effect.catchDefect(
        call("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true }),
        (defect) => (/navigated or closed/.test(String(defect)) ? Effect.succeed(leftPage) : Effect.die(defect))
      )
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
    const print: Visit["print"] = Effect.fnUntraced(function* (path) {
      const { data } = yield* call("Page.printToPDF", { preferCSSPageSize: true })
      writeFileSync(path, Buffer.from(String(data), "base64"))
    })
    return { evaluate, complaints: () => complaints, requests: () => requests, look, picture, print } satisfies Visit
  })
  return { visit }
})
