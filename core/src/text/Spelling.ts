/** "Did you mean": the known name nearest to a mistyped one. */

/** Edits (insert, delete, replace, swap neighbours) that turn `a` into `b`; only used on short names. */
const distance = (a: string, b: string): number => {
  let before: ReadonlyArray<number> = []
  let previous: ReadonlyArray<number> = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let best = Math.min((row[j - 1] ?? 0) + 1, (previous[j] ?? 0) + 1, (previous[j - 1] ?? 0) + (same ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, (before[j - 2] ?? 0) + 1)
      row.push(best)
    }
    before = previous
    previous = row
  }
  return previous[b.length] ?? 0
}

/** The candidate that `word` was probably meant to be, or null: at most a third of its letters may differ. */
export const nearest = (word: string, candidates: ReadonlyArray<string>): string | null => {
  if (word.length > 40) return null
  const typed = word.toLowerCase()
  let best: { readonly candidate: string; readonly edits: number } | null = null
  for (const candidate of candidates) {
    const edits = distance(typed, candidate.toLowerCase())
    if (edits <= Math.max(1, Math.floor(word.length / 3)) && (best === null || edits < best.edits)) {
      best = { candidate, edits }
    }
  }
  return best?.candidate ?? null
}

/** `; did you mean x?`, or nothing. */
export const didYouMean = (candidate: string | null): string =>
  candidate === null ? "" : `; did you mean ${candidate}?`
