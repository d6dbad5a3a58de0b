/**
 * Links in little memory: of each is kept what it has for itself.
 *
 * A presigned link has 500 to 1,500 characters. Most of them are credentials, a token and dates, and the same in all links
 * that were made at one time; its own are a path and a signature.
 */

/** A link as text: `own` has the pieces for the gaps (null) of the `frame` that it shares with its neighbours. */
export interface PackedLink {
  readonly frame: ReadonlyArray<string | null>
  readonly own: string
}

/** Packs links one after the other, each like the one before where that fits. */
export const makeLinkPacker = (): ((link: string) => PackedLink) => {
  let before: ReadonlyArray<string> = []
  let frame: PackedLink["frame"] = []
  return (link) => {
    const pieces = piecesOf(link)
    let own = ownIn(frame, pieces)
    // A frame with many gaps would fit for ever, although the neighbours may be alike again.
    if (own === null || own.length * 2 > link.length) {
      frame = pieces.map((piece, at) => (piece === before[at] ? before[at] : null))
      own = ownIn(frame, pieces) ?? ""
    }
    before = pieces.map((piece, at) => frame[at] ?? piece)
    return { frame, own }
  }
}

export const unpackLink = ({ frame, own }: PackedLink): string => {
  const left = piecesOf(own).values()
  return frame.map((piece) => piece ?? left.next().value ?? "").join("")
}

/** The address, and each parameter with the character before it. */
const piecesOf = (link: string): ReadonlyArray<string> => link.split(/(?=[?&])/)

/** What fills the gaps; null when the pieces do not fit the frame. */
const ownIn = (frame: PackedLink["frame"], pieces: ReadonlyArray<string>): string | null => {
  const fits = frame.length === pieces.length && frame.every((piece, at) => piece === null || piece === pieces[at])
  return fits ? pieces.filter((_, at) => frame[at] === null).join("") : null
}
