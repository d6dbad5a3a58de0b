/** Times as services and people write them: ISO 8601, in UTC where they name no offset. Numbers are ms since 1970. */

const timestamp = /^(\d{4}-\d\d-(\d\d))[Tt ](\d\d:\d\d)(?::(\d\d)(?:(\.\d{1,9}))?)?([Zz]|[+-]\d\d:?\d\d)?$/

/** Null for any other text, and for a day that its month does not have; a leap second is the second before it. */
export const timeOf = (text: string | null): number | null => {
  const match = timestamp.exec(text?.trim() ?? "")
  if (match === null) return null
  const [, date, day, minute, second = "00", fraction = "", zone = "Z"] = match
  const offset = zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone.toUpperCase()
  const time = Date.parse(`${date}T${minute}:${second === "60" ? "59" : second}${fraction}${offset}`)
  // The engine takes 30 February for 2 March.
  return Number.isNaN(time) || new Date(`${date}T00:00Z`).getUTCDate() !== Number(day) ? null : time
}

/** From `start` up to `end`, which is not part of it. */
export interface TimeSpan {
  readonly start: number
  readonly end: number
}

/** What a text means: all of a day, a month or a year in UTC (`2026-09-30`, `2026-09`, `2026`), or one instant; null for any other text. */
export const spanOf = (text: string): TimeSpan | null => {
  const match = /^(\d{4})(?:-(\d\d)(?:-(\d\d))?)?$/.exec(text.trim())
  if (match === null) {
    const instant = timeOf(text)
    return instant === null ? null : { start: instant, end: instant + 1 }
  }
  const [, year, month, day] = match
  const start = timeOf(`${year}-${month ?? "01"}-${day ?? "01"}T00:00Z`)
  if (start === null) return null
  const end = new Date(start)
  if (day !== undefined) end.setUTCDate(end.getUTCDate() + 1)
  else if (month !== undefined) end.setUTCMonth(end.getUTCMonth() + 1)
  else end.setUTCFullYear(end.getUTCFullYear() + 1)
  return { start, end: end.getTime() }
}
