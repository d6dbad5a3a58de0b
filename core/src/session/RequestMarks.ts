/**
 * What a caller can say about a request besides the request itself.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/**
 * Set to `true` around a PUT or POST that may be sent twice: it is then repeated as a GET is.
 *
 * **Example** (An update that does the same when it is sent twice)
 *
 * ```ts
 * import { Effect } from "effect"
 * import { HttpClientRequest } from "effect/http"
 * import { Client, Session } from "svc-steps"
 *
 * const update = Client.ServiceClient.use(({ request }) =>
 *   request(HttpClientRequest.put("/api/note/7").pipe(HttpClientRequest.bodyJsonUnsafe({ text: "seen" })))
 * ).pipe(Effect.provideService(Session.RepeatSafe, true))
 * ```
 *
 * @category references
 * @since 0.1.0
 */
export const RepeatSafe: Context.Reference<boolean> = Context.Reference<boolean>("svc-steps/core/session/RepeatSafe", {
  defaultValue: () => false
})

/**
 * The path of a request as the contract declares it, with parameter names in place of ids. Traces record this instead of the
 * address, which holds ids of persons. Null when the request is not one of the contract.
 */
export const PathTemplate: Context.Reference<string | null> = Context.Reference<string | null>(
  "svc-steps/core/session/PathTemplate",
  { defaultValue: () => null }
)

/** Says why a text is no JSON; null when it is. */
export type JsonJudge = (text: string) => string | null

/**
 * Set around a request whose answer must be JSON: anything else is a page in place of data, or garbled. Whoever reads the JSON is
 * the judge too, so that it is parsed once.
 */
export const JsonReply: Context.Reference<JsonJudge | null> = Context.Reference<JsonJudge | null>(
  "svc-steps/core/session/JsonReply",
  { defaultValue: () => null }
)

/** A reply with an error status, or with an envelope that says `success: false`. */
export interface RefusedReply {
  readonly status: number
  /** Its body as text; of a long page only the beginning. */
  readonly body: string
}

/** Set to a listener around requests whose error bodies are wanted. It is called for each one, also when another try follows. */
export const RefusedReplies: Context.Reference<(reply: RefusedReply) => Effect.Effect<void>> = Context.Reference<
  (reply: RefusedReply) => Effect.Effect<void>
>("svc-steps/core/session/RefusedReplies", { defaultValue: () => () => Effect.void })
