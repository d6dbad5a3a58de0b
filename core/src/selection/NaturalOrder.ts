/**
 * Order of identifiers as people read them: runs of digits compare as whole numbers of any length, the rest as text.
 */

const chunks = /\d+|\D+/g

/** Negative, zero or positive; numeric for numbers (`9` before `10`), natural otherwise (`A9` before `A10`). */
export const compareNatural = (left: string, right: string): number => {
  const a = left.match(chunks) ?? []
  const b = right.match(chunks) ?? []
  const shared = Math.min(a.length, b.length)
  for (let i = 0; i < shared; i++) {
    const order = compareChunk(a[i] ?? "", b[i] ?? "")
    if (order !== 0) return order
  }
  return a.length - b.length || compareText(left, right)
}

const isDigits = (chunk: string) => chunk.charCodeAt(0) >= 48 && chunk.charCodeAt(0) <= 57

const compareChunk = (a: string, b: string): number => {
  if (!isDigits(a) || !isDigits(b)) return compareText(a, b)
  // `Number` would lose digits: identifiers may have more than a double holds.
  const x = a.replace(/^0+/, "")
  const y = b.replace(/^0+/, "")
  return x.length - y.length || compareText(x, y)
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
