/**
 * Text from the service made safe to print: a file name or message must not move the cursor, hide or turn text around.
 */

// Control characters (C0, DEL, C1), line and paragraph separators, bidirectional controls, and what has no width: soft
// hyphen, zero-width space, word joiner, byte order mark. The zero-width joiners are letters of some languages.
const unprintable =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to be replaced
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]|\p{Cs}/gu

/** Whether `text` has a character that `printable` would replace. */
export const isPrintable = (text: string): boolean => text.search(unprintable) === -1

/** `text` with every dangerous character written as `\u001b`; the rest, letters of all languages, stays as it is. */
export const printable = (text: string): string => text.replaceAll(unprintable, escapeUnicode)

/** One JSON document, indented by two, that is safe on a terminal and still the same value for a parser. */
export const printableJson = (value: unknown): string =>
  JSON.stringify(value, null, 2).replaceAll(inJson, escapeUnicode)

/** The same in one line. */
export const printableJsonLine = (value: unknown): string => JSON.stringify(value).replaceAll(inJson, escapeUnicode)

// JSON.stringify has escaped C0 and lone surrogates inside strings; the line feeds of its indentation must stay.
const inJson = /[\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]/gu

const escapeUnicode = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`

/** `text` as one word for a shell, in a command that a sentence names. */
export const shellWord = (text: string): string =>
  /^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
