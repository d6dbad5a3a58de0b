/** Serves htsget: tickets for reads and variants, and `service-info`. */
import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import { serviceInfo, ticketOf } from "../core/src/htsget/Ticket.ts"
import {
  type Datatype,
  fromBody,
  fromQuery,
  HtsgetError,
  type TicketRequest
} from "../core/src/htsget/TicketRequest.ts"
import { LinkStore, type ServedFile } from "../core/src/serving/LinkStore.ts"
import { makeReaderShare } from "../core/src/serving/ReaderShare.ts"
import { Tickets } from "../core/src/serving/Tickets.ts"
import { LinkHost } from "../core/src/transfer/LinkHost.ts"
import { beginReading, describeReading } from "./AccessLog.ts"
import { Caller, fileUrl, htsgetAnswer, makeFailures, mustMay } from "./Answers.ts"
import { GatewayApi } from "./GatewayApi.ts"
import { GatewaySettings } from "./GatewaySettings.ts"

type Request = HttpServerRequest.HttpServerRequest

/** Largest body of a POST. The regions of an exome are 10 MB of JSON, those of a gene panel about a hundredth of that. */
const longestBody = ByteSize.mebibytes(16)
/** Bodies above this, in characters, are answered one at a time: the regions of the longest one take 300 MB. */
const longBody = 128 * 1024

/** Bodies of one reader that are on their way at a time: each takes memory. */
const mostUploads = 4

export const ticketHandlers = HttpApiBuilder.group(
  GatewayApi,
  "htsget",
  Effect.fn(function* (handlers) {
    const tickets = yield* Tickets
    const store = yield* LinkStore
    const { relay, version } = yield* GatewaySettings
    const failures = yield* makeFailures
    const links = yield* LinkHost
    const uploads = yield* makeReaderShare(mostUploads)
    const oneLong = yield* Semaphore.make(1)
    const oneLongOfReader = yield* makeReaderShare(1)

    /** Where a ticket sends its reader: with relay to the gateway, with the caller's token; else to the link, never with the token. */
    const placeOf = Effect.fnUntraced(function* (file: ServedFile) {
      const caller = yield* Caller
      if (relay) return { url: fileUrl(caller, file.analysisId, file.fileName), headers: caller.headers }
      const link = yield* store.handOut(file)
      return { url: yield* links.approve({ file: file.fileName, link }), headers: {} }
    })

    const answer = Effect.fnUntraced(function* (
      datatype: Datatype,
      id: string,
      asked: Result.Result<TicketRequest, HtsgetError>
    ) {
      const [analysis = id, file = null] = id.split(/\/(.*)/s)
      yield* beginReading({
        what: "ticket",
        analyses: [analysis],
        file,
        range: Result.isSuccess(asked) ? rangeOf(asked.success) : null
      })
      yield* mustMay("read")
      const request = yield* Effect.fromResult(asked)
      const { file: found, pieces } = yield* tickets.parts(datatype, id, request)
      yield* describeReading({ file: found.fileName })
      return htsgetAnswer(ticketOf(datatype, pieces, yield* placeOf(found)))
    })

    const queryOf = ({ url }: Request) => new URLSearchParams(/\?(.*)$/s.exec(url)?.[1] ?? "")

    const get = (datatype: Datatype, id: string, request: Request) =>
      Effect.catch(answer(datatype, id, fromQuery(datatype, queryOf(request))), failures.ticket(id))

    const post = (datatype: Datatype, id: string, request: Request) =>
      uploads(request.text).pipe(
        Effect.provideService(HttpIncomingMessage.MaxBodySize, longestBody),
        Effect.mapError(() => new HtsgetError({ kind: "PayloadTooLarge", message: "the body has more than 16 MiB" })),
        // What is long takes its turn once it is here: a sender of a byte in a minute holds nobody else up.
        Effect.flatMap((text) => {
          const answered = Effect.suspend(() => answer(datatype, id, fromBody(datatype, queryOf(request), text)))
          return text.length <= longBody ? answered : oneLongOfReader(oneLong.withPermit(answered))
        }),
        Effect.catch(failures.ticket(id))
      )

    const idOf = ({ fileName, id }: { readonly id: string; readonly fileName: string }) => `${id}/${fileName}`
    const info = (datatype: Datatype) => Effect.succeed(htsgetAnswer(serviceInfo(datatype, version)))

    return handlers
      .handleRaw("readsInfo", () => info("reads"))
      .handleRaw("reads", ({ params, request }) => get("reads", params.id, request))
      .handleRaw("readsOfFile", ({ params, request }) => get("reads", idOf(params), request))
      .handleRaw("readsPost", ({ params, request }) => post("reads", params.id, request))
      .handleRaw("readsOfFilePost", ({ params, request }) => post("reads", idOf(params), request))
      .handleRaw("variantsInfo", () => info("variants"))
      .handleRaw("variants", ({ params, request }) => get("variants", params.id, request))
      .handleRaw("variantsOfFile", ({ params, request }) => get("variants", idOf(params), request))
      .handleRaw("variantsPost", ({ params, request }) => post("variants", params.id, request))
      .handleRaw("variantsOfFilePost", ({ params, request }) => post("variants", idOf(params), request))
  })
)

/** What is asked for in the words of samtools, such as `chr17:100-200`; null for the whole file. */
const rangeOf = ({ header, regions, unplaced }: TicketRequest): string | null => {
  if (header) return "header"
  if (regions === null) return null
  const left = regions.length - mostRegions
  return [
    ...regions.slice(0, mostRegions).map(({ text }) => text),
    ...(left > 0 ? [`... (${left} more)`] : []),
    ...(unplaced ? ["*"] : [])
  ].join(",")
}

/** Of a ticket, so many regions stand in the access log. */
const mostRegions = 10
