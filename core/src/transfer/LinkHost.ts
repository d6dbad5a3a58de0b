/**
 * The byte plane: one GET to a link host, with no session, no cookie and no token.
 *
 * The interface only; `platform/http/LinkHttp.ts` speaks HTTP. Which replies are good is judged by `RangeReply`, which
 * addresses may be visited by `LinkAddress`.
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import type { LinkRefused, ProxyRefused, TlsRefused } from "../Errors.ts"

/** What to ask for; the link travels byte for byte. */
export interface LinkRequest {
  /** For messages. */
  readonly file: string
  readonly link: Redacted.Redacted
  /** Value of `Range`, for example `bytes=0-99`. */
  readonly range: string | null
}

/** The head of a reply and its body, taken batch by batch. */
export interface LinkReply {
  readonly host: string
  readonly status: number
  /** Names in lower case; repeated fields joined by `, `. */
  readonly headers: ReadonlyMap<string, string>
  /** False when only the end of the connection ends the body, so that a cut connection looks like the end. */
  readonly framed: boolean
  /** The next bytes of the body, null after the last. The array is reused by the next call. */
  readonly next: Effect.Effect<Uint8Array | null, LinkBroken>
}

/** The exchange failed below HTTP semantics; another attempt may work. `reason` never holds the link. */
export class LinkBroken extends Data.TaggedError("LinkBroken")<{
  readonly host: string
  readonly fault: "Connect" | "Reset" | "Short" | "Stalled" | "Slow" | "Protocol"
  readonly reason: string
}> {}

/** Ways in which asking a link host fails before there is a reply. */
export type LinkError = LinkBroken | LinkRefused | TlsRefused | ProxyRefused

export class LinkHost extends Context.Service<
  LinkHost,
  {
    /** Sends one GET; the connection is given back, or closed when the body was not taken to its end, with the scope. */
    readonly get: (request: LinkRequest) => Effect.Effect<LinkReply, LinkError, Scope.Scope>
    /**
     * The link as it may be handed to somebody who follows it alone, judged by the rules of `get`: an address in which every byte can
     * stand in a header field.
     */
    readonly approve: (link: Pick<LinkRequest, "file" | "link">) => Effect.Effect<string, LinkRefused>
  }
>()("svc-steps/core/transfer/LinkHost") {}
