/**
 * JSON texts that are in memory: where one stops being JSON, which names its outermost object gives twice, and where its parts
 * lie. `JSON.parse` says none of these, or only together with a piece of the text, which may hold a password.
 */
import * as Result from "effect/Result"
import { deepest, type JsonListener, JsonScanner, tooDeep } from "./JsonScanner.ts"

export interface JsonFault {
  /** From 1. */
  readonly line: number
  /** From 1, in UTF-16 units. */
  readonly column: number
  /** For example `expected a colon`. */
  readonly reason: string
}

/** `not JSON: expected a colon at line 2, column 6` */
export const faultText = ({ column, line, reason }: JsonFault): string =>
  `not JSON: ${reason} at line ${line}, column ${column}`

export interface JsonText {
  readonly value: unknown
  readonly duplicates: ReadonlyArray<string>
}

/** From the character `start` up to `end`. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** UTF-16 units that are scanned together, so that a large text needs no copy of itself. */
const together = 64 * 1024

/**
 * A byte for each UTF-16 unit, so that offsets stay those of the text. What is not ASCII can stand only inside strings, where
 * a question mark means the same to the grammar; elsewhere both are refused.
 */
const unitsOf = (text: string, from: number): Uint8Array => {
  const units = new Uint8Array(Math.min(together, text.length - from))
  for (let at = 0; at < units.length; at++) {
    const unit = text.charCodeAt(from + at)
    units[at] = unit < 0x80 ? unit : 0x3f
  }
  return units
}

interface Scan {
  readonly fault: { readonly at: number; readonly reason: string } | null
  /** The items of the outermost list, or the values of the outermost object. */
  readonly items: ReadonlyArray<Span>
  /** The names of the outermost object, one for each value. */
  readonly names: ReadonlyArray<string>
}

/** Reads the value that begins at `start`; more text after it is a fault. */
const scan = (text: string, start: number, most: number): Scan => {
  const items: Array<Span> = []
  const names: Array<string> = []
  let base = start
  let began = 0
  const listener: JsonListener = {
    began: (at, _, depth) => {
      if (depth === 1) began = base + at
      return null
    },
    ended: (at, depth) => {
      if (depth === 1) items.push({ start: began, end: base + at })
    },
    named: (_, from, to) => {
      names.push(String(JSON.parse(text.slice(base + from, base + to))))
      return null
    }
  }
  const scanner = new JsonScanner(listener, 1, most)
  for (; base < text.length; base += together) {
    const wrong = scanner.push(unitsOf(text, base))
    if (wrong !== null) return { fault: { ...wrong, at: start + wrong.at }, items, names }
  }
  const cut = scanner.end()
  return { fault: cut === null ? null : { at: text.length, reason: `expected ${scanner.expected}` }, items, names }
}

/** Whether lists and objects are nested deeper than `most` levels, before anything else is wrong with the text. */
export const isDeeper = (text: string, most: number = deepest): boolean =>
  scan(text, 0, most).fault?.reason === tooDeep(most)

/** The items of the list that begins at `start` of a JSON text, without the white space around them. */
export const elements = (text: string, start: number): ReadonlyArray<Span> => scan(text, start, deepest).items

/** The members of the object that begins at `start` of a JSON text: each name, and where its value begins. */
export const members = (
  text: string,
  start: number
): ReadonlyArray<{ readonly name: string; readonly start: number }> => {
  const { items, names } = scan(text, start, deepest)
  return items.map((item, i) => ({ name: names[i] ?? "", start: item.start }))
}

/** Reads a whole JSON text, with or without a byte order mark. */
export const readJson = (source: string): Result.Result<JsonText, JsonFault> => {
  const text = source.startsWith("\ufeff") ? source.slice(1) : source
  const { fault, names } = scan(text, 0, deepest)
  if (fault !== null) {
    const before = text.slice(0, fault.at)
    const line = before.split("\n").length
    return Result.fail({ line, column: before.length - before.lastIndexOf("\n"), reason: fault.reason })
  }
  const seen = new Set<string>()
  const duplicates = names.filter((name) => seen.size === seen.add(name).size)
  return Result.succeed({ value: JSON.parse(text), duplicates })
}

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const openBracket = 0x5b
const closeBracket = 0x5d

/**
 * Where the value ends that begins at `from`, in bytes that are known to be JSON: at the comma, bracket or white space after it;
 * -1 when it is not complete before `to`.
 */
export const endOfValue = (bytes: Uint8Array, from: number, to: number): number => {
  let depth = 0
  for (let at = from; at < to; at++) {
    const byte = bytes[at] ?? 0
    if (byte === quote) {
      at++
      while (at < to && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1
    } else if (depth === 0 && (byte === comma || byte === closeBracket || byte <= 0x20)) return at
    // Opening brackets and braces are 0x5b and 0x7b, closing ones 0x5d and 0x7d.
    else if ((byte & 0xdf) === openBracket) depth++
    else if ((byte & 0xdf) === closeBracket) depth--
  }
  return -1
}
