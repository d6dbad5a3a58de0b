/** The ticket of htsget: where the pieces of the wanted file are (GA4GH htsget 1.3.0, "Response JSON fields"). Pure. */
import { Base64 } from "effect/encoding"
import type { HtsgetError } from "./HtsgetError.ts"
import type { Piece } from "./Pieces.ts"
import { type Datatype, formatOf } from "./TicketRequest.ts"

/** Version of the htsget protocol. */
export const protocolVersion = "1.3.0"

/** Media type of tickets and errors. */
export const mediaType = `application/vnd.ga4gh.htsget.v${protocolVersion}+json; charset=utf-8`

/** Where the bytes of the file are. */
export interface FileAddress {
  readonly url: string
  /** Sent with every request, beside the range. */
  readonly headers: Readonly<Record<string, string>>
}

export interface TicketUrl {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly class?: "header" | "body"
}

export interface Ticket {
  readonly htsget: { readonly format: string; readonly urls: ReadonlyArray<TicketUrl> }
}

/** @param pieces - null for the whole file as it is */
export const ticketOf = (datatype: Datatype, pieces: ReadonlyArray<Piece> | null, place: FileAddress): Ticket => ({
  htsget: {
    format: formatOf[datatype],
    urls:
      pieces === null
        ? [{ url: place.url, ...(Object.keys(place.headers).length === 0 ? {} : { headers: place.headers }) }]
        : pieces.map((piece) => urlOf(piece, place))
  }
})

const urlOf = (piece: Piece, { headers, url }: FileAddress): TicketUrl =>
  piece._tag === "Inline"
    ? { url: `data:application/octet-stream;base64,${Base64.encode(piece.bytes)}`, class: piece.part }
    : { url, headers: { ...headers, Range: `bytes=${piece.first}-${piece.end - 1}` }, class: "body" }

/** An error in the form of the protocol. */
export const errorBody = (error: string, message: string) => ({ htsget: { error, message } })

export type ErrorBody = ReturnType<typeof errorBody>

/** The form of an error that we send. */
export const bodyOf = ({ kind, message }: HtsgetError): ErrorBody => errorBody(kind, message)

/** What `service-info` says of an endpoint (GA4GH service-info 1.0.0). */
export const serviceInfo = (datatype: Datatype, version: string) => ({
  id: `svc-gateway.${datatype}`,
  name: `svc-gateway: ${datatype}`,
  type: { group: "org.ga4gh", artifact: "htsget", version: protocolVersion },
  organization: { name: "svc-steps", url: "https://github.com/org/svc-steps" },
  version,
  htsget: {
    datatype,
    formats: [formatOf[datatype]],
    fieldsParameterEffective: false,
    tagsParametersEffective: false
  }
})
