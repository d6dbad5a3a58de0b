/**
 * Tells whether the session is alive when a request got 403, by asking again for something that was answered before.
 *
 * A session that ended and a thing that this account may not see look alike (docs/dev/service.md 3). What was answered once is permitted:
 * when it is answered again, the session is alive and the other thing forbidden; when it is refused too, the session is gone.
 */
import * as Effect from "effect/Effect"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Ref from "effect/Ref"
import type * as Scope from "effect/Scope"
import type { ProxyRefused, TlsRefused } from "../Errors.ts"
import type { Exchange, Waits } from "./Exchange.ts"
import { recognise } from "./Recognition.ts"
import { type ReplyResponse, readBeginning, type SessionReply } from "./ReplyReading.ts"
import { PathTemplate } from "./RequestMarks.ts"
import { Setback, statusSetback } from "./Setback.ts"

/** `unknown`: nothing was answered yet that could be asked for again. */
export type Health = "alive" | "gone" | "unknown"

interface Witness {
  readonly request: HttpClientRequest.HttpClientRequest
  /** The whole address, with its query. */
  readonly url: string
  readonly template: string | null
}

/** How many are kept. The second is asked where the first was refused after a new login as well. */
const mostWitnesses = 2

/** An answer that was longer, in bytes, costs the service too much to be asked for again. */
const longestAnswer = 64 * 1024

export const makeWitnesses = (exchange: Exchange, waits: Waits) =>
  Effect.map(Ref.make<ReadonlyArray<Witness>>([]), (known) => {
    const others = (url: string) => (witnesses: ReadonlyArray<Witness>) => witnesses.filter((it) => it.url !== url)
    return {
      /** Remembers what was answered, where it may be asked for again. */
      remember: Effect.fnUntraced(function* (reply: SessionReply, { bodyLength }: ReplyResponse) {
        const { request, status, url } = reply
        if (request.method !== "GET" || status >= 300 || recognise(reply) !== "answer") return
        if (bodyLength === null || bodyLength > longestAnswer) return
        const witness = { request, url, template: yield* PathTemplate }
        yield* Ref.update(known, (witnesses) => [witness, ...others(url)(witnesses)].slice(0, mostWitnesses))
      }),
      /** To be called inside the gate, after `refused`, which it forgets: a request that was refused proves nothing. */
      ask: Effect.fnUntraced(function* (
        refused: SessionReply
      ): Effect.fn.Return<Health, Setback | TlsRefused | ProxyRefused> {
        const [witness] = yield* Ref.get(known)
        if (witness === undefined) return "unknown"
        const forget = Ref.update(known, others(witness.url))
        if (refused.request.method === "GET" && witness.url === refused.url)
          return yield* Effect.as(forget, "gone" as const)
        const answer = Effect.gen(function* (): Effect.fn.Return<
          Health,
          Setback | TlsRefused | ProxyRefused,
          Scope.Scope
        > {
          const reply = yield* exchange.send(witness.request, waits)
          yield* readBeginning(reply)
          const recognised = recognise(reply)
          if (recognised !== "answer") yield* forget
          if (recognised === "transient") return yield* yield* statusSetback(reply, "")
          return recognised === "answer" ? "alive" : "gone"
        })
        return yield* answer.pipe(
          Effect.scoped,
          Effect.provideService(PathTemplate, witness.template),
          // Whatever kept this one from being answered, the refused request had no effect.
          Effect.mapError((error) => (error._tag === "Setback" ? new Setback({ ...error, kind: "notSent" }) : error))
        )
      })
    }
  })
