/** Answers: addresses as the caller reaches them, and failures with an HTTP status, an error code for programs and a message for people. */

import { createHmac, randomBytes, timingSafeEqual } from "node:crypto"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import {
  AdviceOf,
  type Advising,
  codeOf,
  ending,
  type OutcomeUnknown,
  type SessionError,
  sentenceOf
} from "../core/src/Errors.ts"
import { errorBody, mediaType } from "../core/src/htsget/Ticket.ts"
import { errorStatus } from "../core/src/htsget/TicketRequest.ts"
import type { InArchive } from "../core/src/serving/LinkStore.ts"
import { Restorations } from "../core/src/serving/Restorations.ts"
import type { TicketError } from "../core/src/serving/Tickets.ts"
import { printable } from "../core/src/text/Printable.ts"
import { Scrubber } from "../core/src/text/Scrubber.ts"
import type { NamedReader, Right } from "./Readers.ts"

/** How a caller reaches the gateway, and what its tickets must carry. */
export interface CallerView {
  /** Without a slash at its end; with the token when the caller has it in the path. */
  readonly base: string
  /** The fields that a request to the gateway needs, for tickets. */
  readonly headers: Readonly<Record<string, string>>
  readonly may: (right: Right) => boolean
  /** As `base`, without the token. */
  readonly origin: string
  /** Whose token let the caller in; null for none. */
  readonly reader: NamedReader | null
  /** Runs what this reader asks for, whom the caller has turned out to be. */
  readonly as: (
    reader: NamedReader | null
  ) => Effect.Effect<<A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>>
}

export const Caller = Context.Reference<CallerView>("svc-steps/gateway/Answers/Caller", {
  defaultValue: () => ({
    base: "",
    headers: {},
    may: () => true,
    origin: "",
    reader: null,
    as: () => Effect.succeed((work) => work)
  })
})

/** The address of a file, as the caller reaches it. */
export const fileUrl = ({ base }: CallerView, analysisId: string, fileName: string): string =>
  `${base}${filePath(analysisId, fileName)}`

const filePath = (analysisId: string, fileName: string) =>
  `/files/${encodeURIComponent(analysisId)}/${encodeURIComponent(fileName)}`

/** The same for programs that get no token: signed, where one is wanted, and with an end as links of the service have. */
export const openUrl = (
  { origin, reader }: CallerView,
  signedLinks: SignedLinks,
  analysisId: string,
  fileName: string,
  now: number
): string => {
  const path = filePath(analysisId, fileName)
  return `${origin}${reader === null ? `${path}?${lifeFrom(now)}` : signedLinks.sign(path, reader.digest, now)}`
}

/** `Retry-After` of a 503, in seconds. */
const retryAfter = "5"

interface ErrorAnswer {
  readonly status: number
  readonly error: string
  readonly message: string
}

/**
 * No proxy or browser keeps it: it may hold links and tokens, and no is soon yes.
 *
 * @param headers - besides those of the status
 */
export const json = <A>(status: number, body: A, headers: Record<string, string> = {}) =>
  HttpServerResponse.jsonUnsafe(body, {
    status,
    headers: { "cache-control": "no-store", ...(status === 503 ? { "retry-after": retryAfter } : {}), ...headers }
  })

/** This reader may not do that, whatever it asks of. */
export class Denied extends Data.TaggedError("Denied")<{ readonly message: string }> {}

const deeds: Readonly<Record<Right, string>> = {
  read: "read",
  restore: "ask for restorations, which cost money",
  change: "change anything"
}

/** Fails for a reader without this right. */
export const mustMay = (right: Right): Effect.Effect<void, Denied> =>
  Effect.flatMap(Caller, ({ may }) =>
    may(right) ? Effect.void : Effect.fail(new Denied({ message: `this token may not ${deeds[right]}` }))
  )

/** Why a file, or something about it, cannot be had. */
export type FileFailure = TicketError | OutcomeUnknown | Denied

export const failureOf = (
  error: Exclude<TicketError, InArchive> | Denied | SessionError | OutcomeUnknown,
  adviceOf: Advising
): ErrorAnswer => {
  const sentence = sentenceOf(adviceOf)
  switch (error._tag) {
    case "HtsgetError":
      return { status: errorStatus[error.kind], error: error.kind, message: error.message }
    case "SvcNotFound":
      return { status: 404, error: "NotFound", message: sentence(error) }
    case "Denied":
      return { status: 403, error: "Forbidden", message: error.message }
    case "SvcForbidden":
      return { status: 403, error: "Forbidden", message: sentence(error) }
    case "ServiceAway":
      return { status: 503, error: "ServiceAway", message: `${error.reason}; try again in a moment` }
    case "FileChanged":
      return { status: 502, error: "FileChanged", message: `the file has changed: ${error.reason}` }
    case "SvcOutcomeUnknown":
      return { status: 502, error: codeOf(error), message: sentence(error) }
    default:
      return { status: error.retryable ? 503 : 502, error: codeOf(error), message: sentence(error) }
  }
}

const htsgetHeaders = { "content-type": mediaType }

export const htsgetAnswer = (body: unknown) => json(200, body, htsgetHeaders)

/** Makes the answers to failures of file requests and of ticket requests. */
export const makeFailures = Effect.gen(function* () {
  const restorations = yield* Restorations
  const { prose } = yield* Scrubber
  const adviceOf = yield* AdviceOf

  /** A 409: what is known of the restoration, or how to ask for one; and when to come back, where the service says so. */
  const archivedAnswer = Effect.fnUntraced(function* ({ answer, file }: InArchive) {
    const fact = `${printable(file.fileName)} is in the archive`
    if (answer !== undefined) {
      // The service would answer that there is nothing to restore.
      const said = ending(`${fact}: ${answer}`, adviceOf({ advice: "restoreListed" }))
      const unknown = { restoringSince: null, restoreEstimation: null, restoreUrl: null }
      return { body: { error: "Archived", message: prose(said), ...unknown }, headers: {} }
    }
    const restoring = yield* restorations.of(file)
    const caller = yield* Caller
    const mayRestore = caller.may("restore")
    const known =
      restoring === null
        ? mayRestore
          ? "ask for its restoration with a POST to restoreUrl"
          : "have it restored with svc-request-restore"
        : `it is being restored${clause(" since ", restoring.since)}${clause(" and expected at ", restoring.estimation)}`
    const body = {
      error: "Archived",
      message: prose(`${fact}: ${known}`),
      restoringSince: restoring?.since ?? null,
      restoreEstimation: restoring?.estimation ?? null,
      restoreUrl: mayRestore ? `${fileUrl(caller, file.analysisId, file.fileName)}/restore` : null
    }
    const wait = secondsUntil(restoring?.estimation ?? null, yield* Clock.currentTimeMillis)
    return { body, headers: wait === null ? {} : { "retry-after": String(wait) } }
  })

  /** The failure of a request for `asked`, such as `A1/S1.bam`, as status and body. */
  const told = Effect.fnUntraced(function* (asked: string, error: FileFailure) {
    if (error._tag === "InArchive") {
      const { body, headers } = yield* archivedAnswer(error)
      yield* logAnswer(asked, 409, body.message)
      return { status: 409, message: body.message, body, headers }
    }
    const { message, status, ...body } = failureOf(error, adviceOf)
    yield* logAnswer(asked, status, message)
    const said = prose(message)
    return { status, message: said, body: { ...body, message: said }, headers: {} }
  })

  return {
    told,
    /** The answer to a request for `asked`. */
    file: (asked: string) => (error: FileFailure) =>
      Effect.map(told(asked, error), ({ body, headers, status }) => json<unknown>(status, body, headers)),
    /** The answer to a request for a ticket, in the form of htsget, which has no error code for archived files. */
    ticket: (asked: string) => (error: FileFailure) =>
      Effect.map(told(asked, error), ({ body, headers, message, status }) =>
        json(status, errorBody(body.error, message), { ...headers, ...htsgetHeaders })
      )
  }
})

/** Null when the estimate is not known, or cannot be read as a time; a minute when it is over. */
const secondsUntil = (estimation: string | null, now: number): number | null => {
  const time = Option.getOrNull(DateTime.make(estimation ?? ""))
  return time === null ? null : Math.max(60, Math.ceil((DateTime.toEpochMillis(time) - now) / 1000))
}

const clause = (words: string, text: string | null) => (text === null ? "" : `${words}${printable(text)}`)

/** Most readers (samtools, a browser) show neither status nor message. */
const logAnswer = (asked: string, status: number, message: string) =>
  Effect.logWarning(`${printable(asked)}: ${status}, ${printable(message)}`)

/**
 * Addresses of files that need no token: what `--relay` puts in the place of links in the answers of the service. Whoever follows a link
 * shows no token, so the address has a signature, which ends, and is good as long as the token of its reader. The end stands where links
 * of the service have it, for programs that look.
 */
export interface SignedLinks {
  /** @param path - as it will be asked for, without a query; `reader`: the digest of the token */
  readonly sign: (path: string, reader: string, now: number) => string
  /** The digest of the token for which an address was signed; null when it was not, or is over. */
  readonly readerOf: (url: string, now: number) => string | null
}

/** In seconds. */
const lifetime = 3600

/** As the links of S3 have it: when it begins, `YYYYMMDDTHHMMSSZ`, and for how many seconds it is good. */
export const lifeFrom = (now: number): string =>
  `X-Amz-Date=${new Date(now).toISOString().replace(/[-:]|\.\d+/g, "")}&X-Amz-Expires=${lifetime}`

const endOf = (begun: string): number =>
  Date.parse(begun.replace(/^(....)(..)(..T..)(..)(..Z)$/, "$1-$2-$3:$4:$5")) + lifetime * 1000

/** The key lives as long as the process: after a restart a reader asks for links again, as after their end. */
export const makeSignedLinks = (): SignedLinks => {
  const key = randomBytes(32)
  const signature = (path: string, reader: string, life: string) =>
    createHmac("sha256", key).update(`${path}\n${reader}\n${life}`).digest("hex")
  return {
    sign: (path, reader, now) => {
      const life = lifeFrom(now)
      return `${path}?Reader=${reader}&${life}&Signature=${signature(path, reader, life)}`
    },
    readerOf: (url, now) => {
      const match =
        /^(\/files\/[^/?#]+\/[^/?#]+)\?Reader=([0-9a-f]{64})&(X-Amz-Date=(\d{8}T\d{6}Z)&X-Amz-Expires=\d+)&Signature=([0-9a-f]{64})$/.exec(
          url
        )
      if (match === null) return null
      const [, path = "", reader = "", life = "", begun = "", given = ""] = match
      const right = Buffer.from(signature(path, reader, life))
      return timingSafeEqual(right, Buffer.from(given)) && now < endOf(begun) ? reader : null
    }
  }
}
