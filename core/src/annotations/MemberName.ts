/** The name of a member of the body while it is read; only `data` and `header` are of interest. */

/** The longest a name of ours can be: `header` with every letter escaped, and the quotes. */
const longest = 6 * 6 + 2

const decoder = new TextDecoder()

export class MemberName {
  /** The bytes so far, quotes included; null outside of a name, empty when it is too long for one of ours. */
  #bytes: Array<number> | null = null

  /** A name begins with its quote. */
  begin(quote: number): void {
    this.#bytes = [quote]
  }

  get isOpen(): boolean {
    return this.#bytes !== null
  }

  /** The bytes `[from, to)` of a chunk belong to it. */
  add(chunk: Uint8Array, from: number, to: number): void {
    const bytes = this.#bytes
    if (bytes === null || bytes.length === 0) return
    if (bytes.length + to - from > longest) this.#bytes = []
    else for (let at = from; at < to; at++) bytes.push(chunk[at] ?? 0)
  }

  /** The name, without quotes and escapes; empty for one that is too long to be ours. */
  end(): string {
    const bytes = this.#bytes ?? []
    this.#bytes = null
    return bytes.length === 0 ? "" : String(JSON.parse(decoder.decode(Uint8Array.from(bytes))))
  }
}
