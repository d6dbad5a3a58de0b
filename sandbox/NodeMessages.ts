/** Requests and responses as Node has them. */
import type { IncomingMessage, ServerResponse } from "node:http"

/** Runs once, when the answer is out or its connection is gone. */
export const onceOver = (response: ServerResponse, run: () => void) => {
  let over = false
  const once = () => {
    if (!over) run()
    over = true
  }
  response.once("finish", once)
  response.once("close", once)
}

export const headerOf = (request: IncomingMessage, name: string): string | undefined => {
  const value = request.headers[name]
  return Array.isArray(value) ? value[0] : value
}
