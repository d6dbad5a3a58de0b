/**
 * A list of files with their links, as it goes through the gateway: read by the contract as our own client reads it, and written again
 * with all that it held. Its links are exchanged file by file.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { makeJsonReader, openEnvelope, parseReply } from "../core/src/client/Reply.ts"
import { AnalysisFiles } from "../core/src/contract/Files.ts"
import { ReplyMalformed } from "../core/src/Errors.ts"
import { utf8Text } from "../core/src/session/ReplyReading.ts"
import { placeOfIssue } from "../core/src/text/IssuePlace.ts"

const request = "getFileDownloadLinks"
const malformed = (reason: string) => new ReplyMalformed({ request, reason })

type JsonObject = { readonly [key: string]: Schema.Json }
interface Payload extends JsonObject {
  readonly apiFileLinks: ReadonlyArray<JsonObject>
}

export interface FileListing {
  readonly files: AnalysisFiles
  /** The whole answer; where a file has a link, that of `linkOf` for its name stands in its place. */
  readonly withLinks: (linkOf: (fileName: string) => string) => Schema.Json
}

/** Null where the service says, in words of the contract, that there is none. */
export const readListing = Effect.fnUntraced(function* (
  body: Uint8Array,
  status: number
): Effect.fn.Return<FileListing | null, ReplyMalformed> {
  const text = utf8Text(body)
  if (text === null) return yield* malformed("its text is not UTF-8")
  const answer = yield* parseReply(text, request, makeJsonReader("all"))
  const payload = yield* openEnvelope(answer, status, { request, subject: request, missing: [] }).pipe(
    Effect.catchTag(["SvcNotFound", "SvcRequestRejected"], () => Effect.succeed(null))
  )
  if (payload === null) return null
  const files = yield* Effect.mapError(Schema.decodeUnknownEffect(AnalysisFiles)(payload), (error) =>
    malformed(placeOfIssue(error))
  )
  return {
    files,
    withLinks: (linkOf) => {
      const changed = withLinks(payload as Payload, linkOf)
      return answer === payload ? changed : { ...(answer as JsonObject), response: changed }
    }
  }
})

/** A link to a file that has no name of its own would lead to another one, or to none. */
const withLinks = (payload: Payload, linkOf: (fileName: string) => string): Payload => {
  const named = (name: Schema.Json | undefined) => payload.apiFileLinks.filter((file) => file["fileName"] === name)
  const link = (name: Schema.Json | undefined) =>
    typeof name === "string" && hasAddress(name) && named(name).length === 1 ? linkOf(name) : null
  const apiFileLinks = payload.apiFileLinks.map((file) =>
    (file["downloadLink"] ?? "") === "" ? file : { ...file, downloadLink: link(file["fileName"]) }
  )
  return { ...payload, apiFileLinks }
}

/** Whether it can be one part of a path: dots would change the path itself. */
const hasAddress = (name: string) => name !== "" && name !== "." && name !== ".." && name.isWellFormed()
