/**
 * Reads the body of a reply as text and as JSON. A body that cannot be read is a `ReplyMalformed`, whose message never quotes it.
 */
import * as Effect from "effect/Effect"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import type * as Schema from "effect/Schema"
import { type Exactness, parseExactly } from "../contract/ExactNumber.ts"
import { ReplyMalformed } from "../Errors.ts"
import { deepest, tooDeep } from "../text/JsonScanner.ts"
import { isDeeper } from "../text/JsonText.ts"

/** How messages name a request, and how the service answers it when the thing asked for does not exist. */
export interface ExpectedReply {
  /** For example `getPerson (person L1)`. */
  readonly request: string
  /** What a "not found" is about, such as `person L1`; null when the request names nothing that could be missing. */
  readonly subject: string | null
  /** Whether the message of a "not found" names the HTTP status. */
  readonly sayStatus?: boolean
  /** Statuses that mean "not found" here. */
  readonly missing: ReadonlyArray<number>
  /** The payload to use when the service reports success without one; absent, such a reply is "not found" too. */
  readonly whenNull?: Schema.Json
  /** Which numbers keep their digits where a `number` would lose some; integers when absent. */
  readonly exactness?: Exactness
}

/** The body as text; a leading byte order mark is dropped. */
export const textOf = (response: HttpClientResponse.HttpClientResponse, request: string) =>
  response.text.pipe(
    Effect.map((text) => (text.startsWith("\uFEFF") ? text.slice(1) : text)),
    Effect.mapError(() => new ReplyMalformed({ request, reason: "its body cannot be read to the end" }))
  )

/**
 * `text` as JSON (H17, H18, H19).
 *
 * @param exactness - which numbers that would lose digits become an `ExactNumber`
 */
export const parseReply = Effect.fnUntraced(function* (
  text: string,
  request: string,
  exactness: Exactness = "integers"
): Effect.fn.Return<Schema.Json, ReplyMalformed> {
  const malformed = (reason: string) => new ReplyMalformed({ request, reason })
  if (/^\s*$/.test(text)) return yield* malformed("its body is empty")
  if (/^\s*</.test(text)) return yield* malformed("a page of HTML or XML instead of JSON")
  if (isDeeper(text)) return yield* malformed(tooDeep(deepest))
  return yield* Effect.try({
    try: (): Schema.Json => parseExactly(text, exactness),
    // The parser's own message quotes the body.
    catch: (error) => malformed(`not JSON${placeOf(error, text.length)}`)
  })
})

/** Where the text stops being JSON. The parser names the position of most errors, but not in short texts. */
const placeOf = (error: unknown, length: number): string => {
  const message = error instanceof SyntaxError ? error.message : ""
  const position = /at position (\d+)( \(line \d+ column \d+\))?$/.exec(message)?.[1]
  if (position === undefined ? message.startsWith("Unexpected end") : Number(position) >= length) {
    return `: it breaks off after ${length} characters`
  }
  return position === undefined ? "" : ` at character ${Number(position) + 1} of ${length}`
}
