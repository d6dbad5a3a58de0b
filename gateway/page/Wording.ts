/** How the page says things, by its script and before it. Pure. */

/** What the gateway says as a sentence; one that begins with the name of a file keeps it. */
export const asSentence = (message: string): string =>
  `${/^[a-z]+[ ,]/.test(message) ? message.charAt(0).toUpperCase() : message.charAt(0)}${message.slice(1)}.`

/** `2026-01-31 12:00 UTC` for ISO 8601 in UTC; any other text as it is. */
export const minutes = (time: string): string =>
  time.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::[\d.]+)?Z$/, "$1 $2 UTC")
