/** A session where there is no Node: Bun, Deno, and Node's own `fetch`. */
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import type { ConfigUnusable, SessionError } from "../Errors.ts"
import { AccountLock } from "./Gate.ts"
import { Session } from "./Session.ts"
import type { SessionSettings } from "./SessionSettings.ts"

/** Asked as by a page of the service, and a redirect that is followed hides a lost session behind its login page. */
const requests = { mode: "same-origin", redirect: "manual" } as const

/**
 * The session over the `fetch` of the platform, with its cookies in memory. Only this process may use the account meanwhile: nothing
 * keeps others out.
 *
 * **Example** (A client in Bun or Deno)
 *
 * ```ts
 * import { Layer, Redacted } from "effect"
 * import { Client, Session } from "svc-steps"
 *
 * const account = { username: "ada", password: Redacted.make("secret") }
 * const settings = {
 *   baseUrl: new URL("https://lab.example.org"),
 *   ...account,
 *   profile: Session.makeSessionProfile("my-program")
 * }
 * const client = Client.ServiceClient.layer.pipe(Layer.provide(Session.layerFetch(settings)))
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const layerFetch = (settings: SessionSettings): Layer.Layer<Session, SessionError | ConfigUnusable> =>
  Session.layer(settings).pipe(
    Layer.provide([FetchHttpClient.layer, AccountLock.layerNone]),
    Layer.provide(Layer.succeed(FetchHttpClient.RequestInit, requests))
  )
