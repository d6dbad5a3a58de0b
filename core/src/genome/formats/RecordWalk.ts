/** Walks the records of a content that comes in parts, each as a slice cuts it, and tells who listens where they lie. */

import * as Bgzf from "../bgzf/Bgzf.ts"
import type { ContentFault, RecordCheck, RecordListener } from "../bgzf/ContentCheck.ts"
import { type BlockLayout, ContentPosition } from "../bgzf/ContentPosition.ts"
import { release } from "../bgzf/InflatedRun.ts"
import { type Bytes, bytesOf, largestRecord, type RecordFormat } from "./RecordFormats.ts"

/** A record that goes on past the bytes that have come. What nobody judges of it, such as the bases of a read, is not kept. */
export class OpenRecord {
  readonly #format: Pick<RecordFormat, "size" | "most" | "unjudged">
  /** Its bytes, and behind them those that came with its end. Pages to which nothing is written take no memory. */
  #bytes: Uint8Array
  #length: number

  /** @param begin - its bytes so far, copied */
  constructor(format: Pick<RecordFormat, "size" | "most" | "unjudged">, begin: Uint8Array) {
    this.#format = format
    this.#bytes = begin.slice()
    this.#length = begin.length
  }

  /** Number of its bytes that have come. */
  get length(): number {
    return this.#length
  }

  /** The whole record is at its beginning. */
  get data(): Bytes {
    return bytesOf(this.#bytes.subarray(0, this.#length))
  }

  /** Takes the bytes that follow; gives how many of them are its own, 0 when it goes on past them, -1 when it is no record. */
  take(content: Uint8Array): number {
    const before = this.#length
    const length = before + content.length
    const known = this.data
    const unjudged = this.#format.unjudged(known, 0)
    if (length > this.#bytes.length) {
      // With what is there, which may reach past the record, and not with what is claimed; what is not kept is not copied.
      const larger = new Uint8Array(Math.max(length, Math.min(length * 2, this.#format.most(known, 0) + Bgzf.maxBlock)))
      copyJudged(known.bytes, larger, 0, unjudged)
      release(this.#bytes)
      this.#bytes = larger
    }
    copyJudged(content, this.#bytes, before, unjudged)
    this.#length = length
    const size = this.#format.size(this.data, 0, before)
    if (size === 0) return length > largestRecord ? -1 : 0
    return size === -1 ? -1 : size - before
  }

  /** It is not used any more. */
  release(): void {
    release(this.#bytes)
  }
}

/** Copies to `at` of a record what lies outside of `[from, to)` of it. */
const copyJudged = (
  source: Uint8Array,
  record: Uint8Array,
  at: number,
  [from, to]: readonly [number, number]
): void => {
  record.set(source.subarray(0, Math.max(0, from - at)), at)
  const rest = Math.max(0, to - at)
  if (rest < source.length) record.set(source.subarray(rest), at + rest)
}

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
