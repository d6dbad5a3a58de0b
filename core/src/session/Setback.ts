/**
 * An exchange that brought no usable answer, and what it leaves in doubt.
 */
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import { waitAsked } from "../Schedules.ts"
import type { TransportFault } from "./TransportFault.ts"

/** An exchange that brought no usable answer; the session decides whether the request is sent again. */
export class Setback extends Data.TaggedError("Setback")<{
  /**
   * `notSent`: the service never received the request. `unanswered` and `broken`: it may have received it and acted on it; none of
   * its answer came, or a part, or nobody knows. `silent`: given up, though it may still be at work on it. `status`: it answered with a status that asks for another try. `page`: with
   * a page where data were due. `garbled`: with something else than the JSON that was due. `unreadable`: in an encoding
   * that cannot be read, as the next answer would be.
   */
  readonly kind: "notSent" | "unanswered" | "broken" | "silent" | "status" | "page" | "garbled" | "unreadable"
  readonly reason: string
  readonly status: number | null
  readonly retryAfter: Duration.Duration | null
  /** No host has the name of the service, and nothing has answered under it before. */
  readonly noSuchHost?: boolean
}> {
  override get message() {
    return this.reason
  }
}

/** The setback of a reply whose status asks for another try, with the wait that `Retry-After` names. */
export const statusSetback = (
  reply: Pick<HttpClientResponse.HttpClientResponse, "status" | "headers">,
  detail: string
): Effect.Effect<Setback> =>
  Effect.map(
    Clock.currentTimeMillis,
    (now) =>
      new Setback({
        kind: "status",
        reason: `status ${reply.status}${detail === "" ? "" : ` (${detail})`}`,
        status: reply.status,
        retryAfter: waitAsked(reply.headers["retry-after"], now)
      })
  )

const setbackKinds = {
  NotSent: "notSent",
  Unanswered: "unanswered",
  Broken: "broken",
  Encoding: "unreadable",
  Tls: "notSent",
  Proxy: "notSent"
} as const satisfies Readonly<Record<TransportFault["kind"], Setback["kind"]>>

/** The setback of a connection that failed. */
export const faultSetback = ({
  kind,
  noSuchHost = false,
  reason
}: Pick<TransportFault, "kind" | "noSuchHost" | "reason">) =>
  new Setback({ kind: setbackKinds[kind], reason, status: null, retryAfter: null, noSuchHost })

/** The setback of an answer that broke off, or never came, or is not what it should be. */
export const brokenSetback = (
  reason: string,
  kind: "broken" | "silent" | "page" | "garbled" | "unreadable" = "broken"
) => new Setback({ kind, reason, status: null, retryAfter: null })

/** Whether a request that changes data may have taken effect although this setback came instead of an answer. */
export const leavesDoubt = ({ kind, status }: Setback): boolean =>
  ["unanswered", "broken", "silent", "page"].includes(kind) ||
  (kind === "status" && ![425, 429, 503].includes(status ?? 0))

/** Why it is in doubt, for a message. */
export const doubt = ({ kind, reason }: Setback): string =>
  kind === "status" || kind === "page"
    ? `the service answered with ${reason}`
    : kind === "silent"
      ? reason
      : "the connection broke before the answer came"
