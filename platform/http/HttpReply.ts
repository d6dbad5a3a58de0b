/**
 * The head of an HTTP/1.1 response and the framing of its body (RFC 9112), strictly: what two readers could understand
 * in two ways is refused.
 */
import * as Result from "effect/Result"

export type Framing =
  | { readonly _tag: "Length"; readonly length: number }
  | { readonly _tag: "Chunked" }
  /** The end of the connection ends the body. */
  | { readonly _tag: "Close" }

export interface HttpHead {
  readonly status: number
  /** Lower-case names; repeated fields joined by `, `. */
  readonly headers: ReadonlyMap<string, string>
  readonly framing: Framing
  /** Whether the connection can carry another request after the body. */
  readonly keepAlive: boolean
}

/** Longer heads are refused, in bytes. */
export const longestHead = 32 * 1024

/** Parses the bytes up to the empty line, without it. The failure is the end of "the link host ...". */
export const parseHead = (text: string): Result.Result<HttpHead, string> => {
  const [statusLine = "", ...lines] = text.split(/\r?\n/)
  const status = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: .*)?$/.exec(statusLine)
  if (status === null) return Result.fail("does not speak HTTP/1.1")
  const headers = new Map<string, string>()
  for (const line of lines) {
    const field = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):(.*)$/.exec(line)
    const name = field?.[1]?.toLowerCase()
    const value = field?.[2]?.trim()
    if (name === undefined || value === undefined) return Result.fail("sent a header field that cannot be read")
    const earlier = headers.get(name)
    headers.set(name, earlier === undefined ? value : `${earlier}, ${value}`)
  }
  return framingOf(Number(status[2]), headers).pipe(
    Result.map((framing) => ({
      status: Number(status[2]),
      headers,
      framing,
      keepAlive: framing._tag !== "Close" && staysOpen(status[1] === "1", headers.get("connection"))
    }))
  )
}

const staysOpen = (http11: boolean, connection = ""): boolean =>
  http11 ? !/\bclose\b/i.test(connection) : /\bkeep-alive\b/i.test(connection)

const framingOf = (status: number, headers: ReadonlyMap<string, string>): Result.Result<Framing, string> => {
  if (status < 200 || status === 204 || status === 304) return Result.succeed({ _tag: "Length", length: 0 })
  const encoding = headers.get("transfer-encoding")
  const length = headers.get("content-length")
  if (encoding !== undefined) {
    if (length !== undefined) return Result.fail("sent both a length and a transfer encoding")
    return encoding.toLowerCase() === "chunked"
      ? Result.succeed({ _tag: "Chunked" })
      : Result.fail("sent an unknown transfer encoding")
  }
  if (length === undefined) return Result.succeed({ _tag: "Close" })
  // Two equal lengths, joined by a comma, are refused as well: one of two readers would take the second.
  if (!/^\d{1,16}$/.test(length) || Number(length) > Number.MAX_SAFE_INTEGER) {
    return Result.fail("sent a length that is none")
  }
  return Result.succeed({ _tag: "Length", length: Number(length) })
}

const mostTrailers = 100

/** Follows the framing of a chunked body through bytes that come in any portions. */
export class ChunkedFrames {
  #state: "size" | "data" | "gap" | "trailer" | "end" = "size"
  #left = 0
  #line = ""
  #trailers = 0

  get ended(): boolean {
    return this.#state === "end"
  }

  /**
   * Looks at the next bytes: `skip` of them are framing, the `data` bytes after those are body. The failure is the end
   * of "the link host ...".
   */
  look(bytes: Uint8Array): Result.Result<{ readonly skip: number; readonly data: number }, string> {
    let at = 0
    while (at < bytes.length && this.#state !== "end") {
      if (this.#state === "data") {
        const data = Math.min(this.#left, bytes.length - at)
        this.#left -= data
        if (this.#left === 0) this.#state = "gap"
        return Result.succeed({ skip: at, data })
      }
      const letter = bytes[at++] ?? 0
      if (letter !== 10) {
        this.#line += String.fromCharCode(letter)
        if (this.#line.length > 1024) return Result.fail("sent a chunk line that does not end")
        continue
      }
      const line = this.#line.replace(/\r$/, "")
      this.#line = ""
      if (!this.#closeLine(line)) return Result.fail("sent a chunk that cannot be read")
    }
    return Result.succeed({ skip: at, data: 0 })
  }

  /** A framing line is complete. */
  #closeLine(line: string): boolean {
    if (this.#state === "gap") {
      this.#state = "size"
      return line === ""
    }
    if (this.#state === "trailer") {
      if (line === "") this.#state = "end"
      return this.#trailers++ < mostTrailers
    }
    const size = /^([0-9a-f]{1,13})(?:[ \t]*;.*)?$/i.exec(line)?.[1]
    if (size === undefined) return false
    this.#left = Number.parseInt(size, 16)
    this.#state = this.#left === 0 ? "trailer" : "data"
    return true
  }
}
