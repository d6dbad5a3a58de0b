/**
 * The restoration file of a run (docs/dev/service.md 2.3): its text as a list of entries, and back. `platform/files/TrackingFile.ts`
 * keeps it on a disk.
 *
 * Every entry keeps its own text: a change of one leaves all others byte for byte as they were, whatever is in them.
 * Two layouts are read, an array of entries and an object with `restorations`; the array is written.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { parseExactly } from "../contract/ExactNumber.ts"
import type { TrackingError, TrackingReadError } from "../Errors.ts"
import { elements, isDeeper, members, readJson } from "../text/JsonText.ts"
import { keyOf, type NewEntry, readEntry, type TrackingEntry, textOf, withChanges } from "./TrackingEntry.ts"

/** An entry with its text; one that cannot be used has its `problem`, and stays. */
export type Item =
  | { readonly text: string; readonly entry: TrackingEntry; readonly problem: null }
  | { readonly text: string; readonly entry: null; readonly problem: string }

/** What a restoration file holds, every entry with its own text. */
export interface TrackingDocument {
  readonly layout: "array" | "object"
  readonly items: ReadonlyArray<Item>
}

/** What is read from a file that does not exist. */
export const empty: TrackingDocument = { layout: "array", items: [] }

/** Real entries nest two levels deep; a text that nests deeper than this was made to overflow the stack. */
const deepest = 64

/** Reads the text of a file; fails with a reason for a person. */
export const parse = (text: string): Result.Result<TrackingDocument, string> => {
  if (text === "") return Result.fail("it is empty (0 bytes), which no run leaves behind")
  if (text.startsWith("\ufeff")) return Result.fail("it begins with a byte order mark: save it as UTF-8 without one")
  if (isDeeper(text, deepest)) return Result.fail("it is nested deeper than a restoration file can be")
  const parsed = Result.mapError(
    Result.try((): unknown => parseExactly(text, "integers")),
    () => syntaxFault(text)
  )
  return Result.flatMap(parsed, (value) => documentOf(text, value))
}

/** Finds where the JSON is wrong: the message of `JSON.parse` has no reliable position and may quote the text. */
const syntaxFault = (text: string): string => {
  if (/^\0*$/.test(text)) return "it holds only zero bytes, as after a crash of the machine"
  const fault = readJson(text)
  return Result.isFailure(fault)
    ? `it is not JSON: ${fault.failure.reason} in line ${fault.failure.line}, column ${fault.failure.column}`
    : "it is not JSON"
}

const documentOf = (text: string, value: unknown): Result.Result<TrackingDocument, string> => {
  if (Array.isArray(value)) return Result.succeed({ layout: "array", items: itemsOf(text, value, text.indexOf("[")) })
  if (typeof value !== "object" || value === null) return Result.fail("it is neither a list of entries nor an object")
  const places = members(text, text.indexOf("{")).filter(({ name }) => name === "restorations")
  const [place, ...others] = places
  if (place === undefined) return Result.fail("it has no list of entries (`restorations`)")
  if (others.length > 0) return Result.fail("it has `restorations` twice")
  const list: unknown = Reflect.get(value, "restorations")
  return Array.isArray(list)
    ? Result.succeed({ layout: "object", items: itemsOf(text, list, place.start) })
    : Result.fail("its `restorations` is not a list")
}

const itemsOf = (text: string, values: ReadonlyArray<unknown>, start: number): ReadonlyArray<Item> => {
  const spans = elements(text, start)
  return values.map((value, index) => {
    const span = spans[index] ?? { start: 0, end: 0 }
    const own = text.slice(span.start, span.end)
    return Result.match(readEntry(value), {
      onSuccess: (entry) => ({ text: own, entry, problem: null }),
      onFailure: (problem) => ({ text: own, entry: null, problem })
    })
  })
}

/** The text of a file in the array layout. */
export const render = ({ items }: TrackingDocument): string =>
  items.length === 0 ? "[]\n" : `[\n  ${items.map(({ text }) => text).join(",\n  ")}\n]\n`

/** Names the target of an entry, so that a name and the address it stands for are the same. */
export type TargetName = (stored: string | null) => string

/** The service of a run, as entries name it. */
export interface ServiceAddress {
  /** Address of the service; it is also part of the identity of unfinished files. */
  readonly target: string
  readonly nameOf: TargetName
}

/** The key of an item; null for one that cannot be used. */
export const keyOfItem = ({ entry }: Item, nameOf: TargetName): string | null =>
  entry === null ? null : keyOf(nameOf(entry.target), entry)

/** The usable entries of one target, each request once, in the order of the file. */
export const entriesOf = (
  { items }: TrackingDocument,
  target: string,
  nameOf: TargetName
): ReadonlyMap<string, TrackingEntry> => {
  const entries = new Map<string, TrackingEntry>()
  for (const item of items) {
    if (item.entry === null || nameOf(item.entry.target) !== target) continue
    const key = keyOf(target, item.entry)
    if (!entries.has(key)) entries.set(key, item.entry)
  }
  return entries
}

/** The document with this request in it: the entry it has already, brought up to date, or a new one at the end. */
export const put = (document: TrackingDocument, entry: NewEntry, nameOf: TargetName): TrackingDocument => {
  const text = textOf(entry)
  const fresh = itemOf(text)
  const key = keyOfItem(fresh, nameOf)
  const { askedAgain, requestTime, restoreEstimation, status } = entry
  const changes = { restoreEstimation, requestTime, status, ...(askedAgain === undefined ? {} : { askedAgain }) }
  let found = false
  const items = document.items.map((item) => {
    if (key === null || keyOfItem(item, nameOf) !== key) return item
    found = true
    return itemOf(withChanges(item.text, changes))
  })
  return { ...document, items: found ? items : [...items, fresh] }
}

const itemOf = (text: string): Item => {
  const indented = text.replaceAll("\n", "\n  ")
  return Result.match(readEntry(parseExactly(text, "integers")), {
    onSuccess: (entry): Item => ({ text: indented, entry, problem: null }),
    onFailure: (problem): Item => ({ text: indented, entry: null, problem })
  })
}

/** The document with `clean` run over the estimates that came since `before`: they are words of the service. */
export const withCleanEstimates = (
  document: TrackingDocument,
  before: TrackingDocument,
  clean: (estimate: string) => string
): TrackingDocument => {
  const known = new Set(before.items)
  const items = document.items.map((item) => {
    const estimate = known.has(item) ? null : (item.entry?.restoreEstimation ?? null)
    if (estimate === null || clean(estimate) === estimate) return item
    return itemOf(withChanges(item.text, { restoreEstimation: clean(estimate) }))
  })
  return { ...document, items }
}

/** The document without the items for which `drop` holds. */
export const without = (document: TrackingDocument, drop: (item: Item, index: number) => boolean): TrackingDocument => {
  const items = document.items.filter((item, index) => !drop(item, index))
  return items.length === document.items.length ? document : { ...document, items }
}

/** What a run finds when its turn to ask has come. */
export interface Turn {
  /** What the file says now. */
  readonly document: TrackingDocument
  /** False when another run has taken the turn, for example while this one was suspended. Fails when that cannot be seen. */
  readonly stillOurs: Effect.Effect<boolean, TrackingError>
}

/** Keeps the requests that wait for a restoration. */
export class TrackingFile extends Context.Service<
  TrackingFile,
  {
    /** As the user gave it. */
    readonly path: string
    /** What it holds now; empty when it does not exist. A file that cannot be read or trusted is never changed. */
    readonly read: Effect.Effect<TrackingDocument, TrackingReadError>
    /**
     * Applies `edit` to what the file holds at that moment, whoever changed it since it was read, and returns what it
     * holds then. Durable when it returns; on failure the file is as it was. `edit` may be applied several times, and
     * returning the same document means nothing is to be written.
     */
    readonly change: (
      edit: (document: TrackingDocument) => TrackingDocument
    ) => Effect.Effect<TrackingDocument, TrackingError>
    /** Makes an empty one when there is none. */
    readonly ensure: Effect.Effect<void, TrackingError>
    /**
     * Runs `self` while no other run of this file asks for a restoration: from the look whether one is asked for already until what
     * the service answered is in the file. One that was killed in the middle is not waited for. Others may change the file.
     */
    readonly inTurn: <A, E, R>(self: (turn: Turn) => Effect.Effect<A, E, R>) => Effect.Effect<A, E | TrackingError, R>
  }
>()("svc-steps/core/archive/TrackingFile") {}
