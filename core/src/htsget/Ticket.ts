/** The ticket of htsget: where the pieces of the wanted file are (GA4GH htsget 1.3.0, "Response JSON fields"). Pure. */
import * as Base64 from "effect/encoding/Base64"
import type { TicketPiece } from "./TicketPieces.ts"
import { type Datatype, formatOf } from "./TicketRequest.ts"

/** Version of the htsget protocol. */
export const protocolVersion = "1.3.0"

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

/** Readers repeat a piece that breaks from its beginning, so none is longer. Bytes. */
export const longestPiece = 1_000_000_000

/** @param pieces - of which ranges longer than `longestPiece` are divided */
export const ticketOf = (datatype: Datatype, pieces: ReadonlyArray<TicketPiece>, place: FileAddress): Ticket => {
  // The pieces of a whole file are neither header nor body.
  const classed = pieces.some((piece) => piece._tag === "Inline")
  const urls = pieces.flatMap(divided).map((piece) => urlOf(piece, place, classed))
  return { htsget: { format: formatOf[datatype], urls } }
}

const divided = (piece: TicketPiece): ReadonlyArray<TicketPiece> => {
  if (piece._tag !== "Range" || piece.end - piece.first <= longestPiece) return [piece]
  const { end, first } = piece
  return Array.from({ length: Math.ceil((end - first) / longestPiece) }, (_, i) => ({
    _tag: "Range",
    first: first + i * longestPiece,
    end: Math.min(end, first + (i + 1) * longestPiece)
  }))
}

const urlOf = (piece: TicketPiece, { headers, url }: FileAddress, classed: boolean): TicketUrl => {
  switch (piece._tag) {
    case "Inline":
      return { url: `data:application/octet-stream;base64,${Base64.encode(piece.bytes)}`, class: piece.part }
    case "Whole":
      return { url, ...(Object.keys(headers).length === 0 ? {} : { headers }) }
    case "Range": {
      const ranged = { url, headers: { ...headers, Range: `bytes=${piece.first}-${piece.end - 1}` } }
      return classed ? { ...ranged, class: "body" } : ranged
    }
  }
}

/** An error in the form of the protocol. */
export const errorBody = (error: string, message: string) => ({ htsget: { error, message } })

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
