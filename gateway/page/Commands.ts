/** The commands that a reader copies from the page. A token is never in them: they take it from a variable of the shell. Pure. */

export interface ShownFile {
  /** Absolute, without a token. */
  readonly url: string
  readonly name: string
  /** As the page names it; empty for a file of which no region can be read. */
  readonly kind: string
  /** Whether the gateway wants a token. */
  readonly closed: boolean
}

export interface Command {
  readonly what: string
  readonly text: string
}

const quoted = (text: string) => (/^[\w./:@%+=~-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)

/**
 * Where the gateway stands, and what is asked for there; a token in the path lies between them. Cut from the end: an analysis may be
 * called `files`, and the gateway may stand below any path.
 */
const parts = /^(.*?)(?:\/t\/[^/]+)?(\/files\/[^/]+\/[^/]*)$/s

/** An address as it may be shown: a page that was opened with a token in its path gives it to every address on it. */
export const withoutToken = (url: string): string => url.replace(parts, "$1$2")

/** The address for tools that can send no header, with the token by its variable: in double quotes, where little needs a backslash. */
const tokenUrl = (url: string) => `"${url.replaceAll(/[`$\\"]/g, "\\$&").replace(parts, "$1/t/$$TOKEN$2")}"`

/** What reads a region of each kind of file, and the kind of region; nothing for other files. */
const viewers: Readonly<Record<string, string>> = { bam: "samtools", "vcf.gz": "bcftools" }

/**
 * The commands for a file; with a token they begin with the line that reads it without showing it.
 *
 * @param region - as samtools writes it
 */
export const commandsFor = ({ closed, kind, name, url }: ShownFile, region: string): ReadonlyArray<Command> => {
  const viewer = viewers[kind]
  const place = closed ? tokenUrl(url) : quoted(url)
  const header = closed ? '-H "Authorization: Bearer $TOKEN" ' : ""
  return [
    ...(closed ? [{ what: "The token, once in a shell", text: "read -rs TOKEN" }] : []),
    ...(viewer === undefined ? [] : [{ what: "A region", text: `${viewer} view ${place} ${quoted(region)}` }]),
    { what: "The whole file", text: `curl -fL ${header}-o ${quoted(name)} ${quoted(url)}` }
  ]
}

/** Has IGV on this computer load a file. It listens at this port when that is enabled (View > Preferences > Advanced). */
export const desktopUrl = (file: string, index: string, name: string): string =>
  `http://localhost:60151/load?${new URLSearchParams({ file, index, name, merge: "true" })}`
