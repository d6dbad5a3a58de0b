/** What is spoilt, and how: by text, a line at a time. */
import { transformSync } from "esbuild"

export interface Mutant {
  readonly path: string
  readonly line: number
  readonly operator: string
  /** The line as it becomes. */
  readonly spoilt: string
}

const opposite: Readonly<Record<string, string>> = {
  "===": "!==",
  "!==": "===",
  "<": ">=",
  ">=": "<",
  ">": "<=",
  "<=": ">"
}

type Operator = readonly [
  name: string,
  pattern: RegExp,
  replacement: (found: string, ...groups: Array<string>) => string
]

const operators: ReadonlyArray<Operator> = [
  ["flipped comparison", / (===|!==|<=|>=|<|>) /g, (_, sign = "") => ` ${opposite[sign]} `],
  ["moved bound", / (<=|>=|<|>) /g, (_, sign = "") => ` ${sign.length === 2 ? sign[0] : `${sign}=`} `],
  ["condition always holds", /\bif \((?=.*\) )/g, () => "if (true || "],
  ["condition never holds", /\bif \((?=.*\) )/g, () => "if (false && "],
  ["and becomes or", / && /g, () => " || "],
  ["or becomes and", / \|\| /g, () => " && "],
  ["another constant", /(?<![\w.'"`-])\d[\d_]*(?![\w.'"`])/g, (found) => `${Number(found.replaceAll("_", "")) + 1}`],
  ["another constant", /\b(true|false)\b/g, (found) => (found === "true" ? "false" : "true")],
  ["one off", / [+-] 1\b(?![\w.])/g, () => ""],
  [
    "swapped arguments",
    /(?<=\w(?<!Math\.(?:min|max))\()([\w.]+), ([\w.]+)(?=\))/g,
    (_, one = "", other = "") => `${other}, ${one}`
  ],
  ["not dropped", /!(?=[\w(])/g, () => ""],
  ["statement removed", /^ +(?:yield\* (?!\*).*\)|[\w.]+\(.*\)|[\w.]+ [+-]?= .*)$/g, () => ""]
]

/** Whether a text is a program: a line that is spoilt by text alone may be none. */
export const isProgram = (text: string): boolean => {
  try {
    transformSync(text, { loader: "ts" })
    return true
  } catch {
    return false
  }
}

/** Every mutant of a file. Comments, imports, types and texts are left alone. */
export const mutantsOf = (path: string, text: string): ReadonlyArray<Mutant> => {
  const lines = text.split("\n")
  return lines.flatMap((line, at) => {
    if (/^\s*(\*|\/\/|\/\*|import |export \* |readonly |export (type|interface) |type |interface )/.test(line))
      return []
    return operators.flatMap(([operator, pattern, replacement]) =>
      [...line.matchAll(pattern)].flatMap((found) => {
        const before = line.slice(0, found.index)
        // Inside of a text: an odd number of quotes is in front of it.
        if ((before.match(/["`]/g) ?? []).length % 2 === 1) return []
        const spoilt =
          before + replacement(...(found as unknown as [string])) + line.slice(found.index + found[0].length)
        return [{ path, line: at + 1, operator, spoilt }]
      })
    )
  })
}
