/** The DevTools protocol over a WebSocket: how Chromium and the inspector of Node are driven. */
import { Effect } from "effect"

export interface DevToolsMessage {
  readonly id?: number
  /** Whose message it is: of the page that one attached to, or of the browser when it is missing. */
  readonly sessionId?: string
  readonly method?: string
  readonly params?: DevToolsValues
  readonly result?: DevToolsValues
  readonly error?: { readonly message: string }
}

export type DevToolsValues = Readonly<Record<string, unknown>>

/** A connection until the scope closes; `send` gives the result of a method, `listeners` hear of every event. */
export const connectDevTools = Effect.fnUntraced(function* (address: string) {
  const socket = yield* Effect.acquireRelease(
    Effect.callback<WebSocket>((resume) => {
      const socket = new WebSocket(address)
      socket.addEventListener("open", () => resume(Effect.succeed(socket)))
      socket.addEventListener("error", () => resume(Effect.die(new Error(`no connection to ${address}`))))
    }),
    (socket) => Effect.sync(() => socket.close())
  )
  const waiting = new Map<number, (message: DevToolsMessage) => void>()
  const listeners = new Set<(message: DevToolsMessage) => void>()
  let last = 0
  socket.addEventListener("message", ({ data }) => {
    const message: DevToolsMessage = JSON.parse(String(data))
    if (message.id === undefined) for (const tell of listeners) tell(message)
    else waiting.get(message.id)?.(message)
  })
  const send = (sessionId: string | undefined, method: string, params: DevToolsValues = {}) =>
    Effect.callback<DevToolsValues>((resume) => {
      const id = ++last
      waiting.set(id, ({ error, result }) => {
        waiting.delete(id)
        resume(
          error === undefined ? Effect.succeed(result ?? {}) : Effect.die(new Error(`${method}: ${error.message}`))
        )
      })
      socket.send(JSON.stringify({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) }))
    })
  return { send, listeners }
})
