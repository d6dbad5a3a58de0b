/** The head of an answer with bytes: what the reader has already, or which part it wants. Pure. */
import { preconditionOf, requestedRange } from "../core/src/serving/Conditions.ts"
import type { SizedVersion } from "../core/src/serving/FileBytes.ts"

const headersOf = ({ etag, lastModified }: SizedVersion): Record<string, string> => ({
  "accept-ranges": "bytes",
  "content-type": "application/octet-stream",
  "cache-control": "private, no-cache",
  ...(isFieldValue(etag) ? { etag } : {}),
  ...(isFieldValue(lastModified) ? { "last-modified": lastModified } : {})
})

/** A link host may state anything; what cannot stand in a header field is not passed on. */
const isFieldValue = (text: string | null): text is string => text !== null && /^[\u0020-\u007e]+$/.test(text)

/** Status, header fields and range (0-based, `end` excluded) of an answer with bytes. */
export const headOf = (version: SizedVersion, headers: Readonly<Record<string, string | undefined>>) => {
  const { size } = version
  const precondition = preconditionOf(headers, version)
  if (precondition !== "Send") {
    return { status: precondition === "Failed" ? 412 : 304, first: 0, end: 0, headers: headersOf(version) }
  }
  const range = requestedRange(headers["range"], headers["if-range"], version, size)
  const known = headersOf(version)
  switch (range._tag) {
    case "Unsatisfiable":
      return { status: 416, first: 0, end: 0, headers: { ...known, "content-range": `bytes */${size}` } }
    case "Whole":
      return { status: 200, first: 0, end: size, headers: { ...known, "content-length": String(size) } }
    case "Part": {
      const { end, first } = range
      const fields = { "content-length": String(end - first), "content-range": `bytes ${first}-${end - 1}/${size}` }
      return { status: 206, first, end, headers: { ...known, ...fields } }
    }
  }
}
