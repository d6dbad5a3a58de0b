/** Lists of identifiers that stand in files: `--analysisIds @ids.txt`, or `@-` for standard input. */
import * as Effect from "effect/Effect"
import { InputMalformed, type LocalIo, type NotFound } from "../../core/src/Errors.ts"
import { type KeyName, keyNames, table } from "../../core/src/settings/Keys.ts"
import { type Layer, nameAt, type Source } from "../../core/src/settings/Settings.ts"
import { readInput } from "./InputFile.ts"

/** The identifiers of a text: blank lines are left out, and so is what follows a `#` at the start of a line or after a space. */
export const idsIn = (text: string): ReadonlyArray<string> => [
  ...new Set(
    text
      .replace(/^\ufeff/, "")
      .split(/\r\n|\n|\r/)
      .map((line) => line.replace(/(?:^|\s)#.*$/, "").trim())
      .filter((line) => line !== "")
  )
]

/** The layer with the lines of these files in place of their names. */
export const withIdFiles = Effect.fnUntraced(function* (
  layer: Layer,
  source: Source
): Effect.fn.Return<Layer, InputMalformed | LocalIo | NotFound> {
  const read: { [K in KeyName]?: ReadonlyArray<string> } = { ...layer }
  for (const name of keyNames.filter((name) => table[name].fromFile === true)) {
    const texts = layer[name]
    if (texts?.some((text) => text.startsWith("@")) !== true) continue
    read[name] = (yield* Effect.forEach(texts, (text) =>
      text.startsWith("@") ? idsOf(text.slice(1), nameAt(name, source)) : Effect.succeed([text])
    )).flat()
  }
  return read
})

const idsOf = Effect.fnUntraced(function* (path: string, givenBy: string) {
  const input = yield* readInput(path, givenBy)
  const text = yield* Effect.try({
    try: () => new TextDecoder("utf-8", { fatal: true }).decode(input.bytes),
    catch: () => new InputMalformed({ input: input.name, reason: "it is not UTF-8 text" })
  })
  const ids = idsIn(text)
  // An empty list would mean all analyses, or none: neither is what was meant.
  return ids.length > 0 ? ids : yield* new InputMalformed({ input: input.name, reason: "it names nothing" })
})
