/** Walks the records of a content that comes in parts, each as a slice cuts it, and tells who listens where they lie. */
import type { ContentFault, RecordCheck, RecordListener } from "../bgzf/ContentCheck.ts"
import { type BlockLayout, ContentPosition } from "../bgzf/ContentPosition.ts"
import { OpenRecord } from "./OpenRecord.ts"
import { type Bytes, bytesOf, type RecordFormat } from "./RecordFormats.ts"

/** Those who listen to the records of a file, as long as these are in order. */
export class Audience {
  readonly #listeners: ReadonlyArray<RecordListener>
  #reference = -1
  #isOver = false

  constructor(listeners: ReadonlyArray<RecordListener>) {
    this.#listeners = listeners
  }

  get isThere(): boolean {
    return this.#listeners.length > 0 && !this.#isOver
  }

  /** What begins at `place` is of this reference. */
  enter(reference: number, name: string, place: ContentPosition): void {
    if (reference === this.#reference) return
    this.leave(place)
    for (const listener of this.#listeners) listener.enter(reference, name)
    this.#reference = reference
  }

  hear(start: number, end: number, mapped: boolean, place: ContentPosition, plainEnd: number): void {
    for (const listener of this.#listeners) listener.record(start, end, mapped, place, plainEnd)
  }

  leave(place: ContentPosition): void {
    if (this.#reference !== -1 && !this.#isOver) for (const listener of this.#listeners) listener.leave(place)
    this.#reference = -1
  }

  /** Records are not in order: nobody is told of more. */
  end(): void {
    this.#isOver = true
  }
}

/** What the records of a format are to a walk. */
export interface WalkedRecords {
  readonly format: Pick<RecordFormat, "size" | "most" | "unjudged" | "terminator">
  /** Bytes of the content that are passed over. */
  readonly skip: number
  /** What is wrong with the whole record `[at, at + size)`, which begins at `place`, as a phrase; null when nothing is. */
  readonly judge: (data: Bytes, at: number, size: number, place: ContentPosition) => string | null
  /** What is wrong with what is none, by its first bytes. */
  readonly refuse: (data: Bytes, at: number) => string
  readonly counts: RecordCheck["counts"]
}

export const recordWalk = (records: WalkedRecords, audience: Audience): RecordCheck => {
  const { format, judge, refuse } = records
  const place = new ContentPosition()
  let skip = records.skip
  /** The record that goes on past the parts so far, and where it begins. */
  let open: OpenRecord | null = null
  let begin = place

  /** Goes on with it; gives where the next one begins, null when it goes on past this part too. */
  const close = (record: OpenRecord, content: Uint8Array): number | ContentFault | null => {
    const { length } = record
    const rest = record.take(content)
    if (rest === 0) return null
    const phrase = rest === -1 ? refuse(record.data, 0) : judge(record.data, 0, length + rest, begin)
    record.release()
    open = null
    return phrase === null ? rest : { at: Math.max(0, rest - 1), phrase }
  }

  const take = (content: Uint8Array, blocks: BlockLayout): ContentFault | null => {
    place.enter(blocks)
    let at = Math.min(skip, content.length)
    skip -= at
    if (open !== null) {
      const closed = close(open, content)
      if (typeof closed !== "number") return closed
      at = closed
    }
    const data = bytesOf(content)
    while (at < content.length) {
      if (audience.isThere) place.seek(at)
      const size = format.size(data, at)
      if (size === -1) return { at, phrase: refuse(data, at) }
      if (size === 0) {
        place.seek(at)
        begin = place.copy()
        open = new OpenRecord(format, content.subarray(at))
        break
      }
      const phrase = judge(data, at, size, place)
      if (phrase !== null) return { at, phrase }
      at += size
    }
    return null
  }

  return {
    take,
    finish: () => {
      place.leave()
      let cut: string | null = null
      if (open !== null) {
        const { data, length } = open
        const claim = length < 4 ? "" : ` and claims ${format.most(data, 0)} bytes`
        cut = `ends inside a record, which begins ${begin.words()}`
        if (format.terminator === null) cut += `${claim}: ${length} are there`
        // A last line may be without its line feed.
        else if (typeof close(open, format.terminator) === "number") cut = null
      }
      audience.leave(place)
      return skip > 0 ? "ends inside its header" : cut
    },
    counts: records.counts
  }
}
