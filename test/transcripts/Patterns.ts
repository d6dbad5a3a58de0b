/** What differs from run to run, and the name that stands for it in a transcript. Nothing else is left open. */
import { version } from "../../steps/main/Version.ts"

export type Pattern = readonly [name: string, found: RegExp]

/** What no pattern may fit: else it would let pass whatever a command says. */
const ordinary = [
  "",
  "a",
  "7",
  "out",
  "S1.bam",
  "exit 66",
  "Error: analysis A99: not found",
  "12 files: 4 ok, 8 failed"
]

/** A pattern with a name, and of a length that is known. */
export const pattern = (name: string, found: RegExp): Pattern => {
  const written = found.source.replaceAll(/\\.|\[(?:\\.|[^\]])*\]/g, "x")
  const wrong = !/^[a-z]+$/.test(name)
    ? "its name is not one word"
    : /[*+]|\{\d*,\}/.test(written)
      ? "it has no end"
      : ordinary.some((text) => text.search(found) >= 0)
        ? "it fits ordinary text"
        : null
  if (wrong !== null) throw new Error(`The pattern <${name}> ${found} is refused: ${wrong}`)
  return [name, new RegExp(found, "g")]
}

const patterns = [
  pattern("time", /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z/),
  pattern("digest", /\b[0-9a-f]{64}\b/),
  pattern("query", /(?<=\?)X-Amz-[^\s"]{1,2000}/),
  pattern("port", /(?<=\b127\.0\.0\.1:)\d{2,5}\b/),
  pattern("seconds", /<?\b\d{1,3}(?:\.\d{1,3})?(?= s\b)/),
  pattern("ms", /\b\d{1,5}(?= ms\b)/),
  pattern("rate", /\b\d{1,4}(?:\.\d)? [kMG]?B(?=\/s\b)/),
  pattern("free", /\b\d{1,4}(?:\.\d)? [KMGT]iB(?= free\b)/),
  pattern("received", /\b\d{4,7}(?= bytes received\b)/)
]

/** `exact` are the values of this run, such as the address of its sandbox. */
export const named = (text: string, exact: Readonly<Record<string, string>>): string => {
  const known = Object.entries({ ...exact, version }).reduce(
    (now, [name, value]) => now.replaceAll(value, `<${name}>`),
    text
  )
  return patterns.reduce((now, [name, found]) => now.replaceAll(found, `<${name}>`), known)
}
