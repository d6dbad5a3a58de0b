/**
 * Standard error as seen by a person: log lines, and below them a status (progress) that is redrawn in place.
 *
 * The status appears only on a terminal that can redraw: not with `TERM=dumb`, in CI, in a file or a pipe, or when the
 * window is too narrow. Log lines are written above it.
 */
import * as Context from "effect/Context"

// Ideographs, syllables, full-width forms and emoji take two columns.
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u

/** Columns of a terminal that a character takes. */
export const columnsOfCharacter = (character: string): number => (wide.test(character) ? 2 : 1)

export const textWidth = (text: string): number =>
  [...text].reduce((sum, character) => sum + columnsOfCharacter(character), 0)

const isSet = (text: string | undefined) => text !== undefined && text !== ""

/** 80 where the terminal does not say; never less than 20. */
export const columnsOf = (columns: number | undefined): number =>
  columns === undefined || columns === 0 ? 80 : Math.max(20, columns)

export class Screen extends Context.Service<
  Screen,
  {
    /** Whether a status may be drawn. */
    readonly live: boolean
    readonly colors: boolean
    /** At this moment: the window may have been resized. */
    readonly columns: () => number
    /** Writes one whole line above the status, as it is: the log and the runner have scrubbed it. */
    readonly line: (text: string) => void
    /**
     * Replaces the status; an empty list removes it. The lines must be shorter than `columns`; where the window has not
     * the rows for all, the last are shown. Nothing if not `live`.
     */
    readonly status: (lines: ReadonlyArray<string>) => void
  }
>()("svc-steps/platform/terminal/Screen") {}

/** What a Screen draws on; `process.stderr` is one. */
export interface ScreenStream {
  readonly isTTY?: boolean
  readonly columns?: number
  readonly rows?: number
  readonly write: (text: string) => unknown
}

/** @param prose - what the lines of a status go through */
export const makeScreen = (
  stream: ScreenStream,
  environment: Readonly<Record<string, string | undefined>>,
  prose: (text: string) => string
): Screen["Service"] => {
  const { CI, NO_COLOR, TERM } = environment
  const live = stream.isTTY === true && TERM !== "dumb" && !isSet(CI) && columnsOf(stream.columns) >= 40
  let shown: ReadonlyArray<string> = []
  // A window that became narrower has wrapped the lines; what has scrolled out of it cannot be taken back.
  const rowsOf = (text: string) => Math.max(1, Math.ceil(textWidth(text) / columnsOf(stream.columns)))
  const windowRows = () => (stream.rows === undefined || stream.rows === 0 ? 24 : stream.rows)
  const erase = () => {
    const rows = Math.min(
      shown.reduce((sum, text) => sum + rowsOf(text), 0),
      windowRows() - 1
    )
    return rows < 1 ? "" : `\r\u001b[${rows}A\u001b[J`
  }
  const draw = () => shown.map((text) => `${text}\n`).join("")
  return {
    live,
    // no-color.org
    colors: live && !isSet(NO_COLOR),
    columns: () => columnsOf(stream.columns),
    line: (text) => stream.write(`${erase()}${text}\n${draw()}`),
    status: (lines) => {
      if (!live) return
      const erased = erase()
      // The last lines are about all, and must not scroll away.
      shown = lines.slice(-Math.max(1, windowRows() - 1)).map(prose)
      stream.write(`${erased}${draw()}`)
    }
  }
}
