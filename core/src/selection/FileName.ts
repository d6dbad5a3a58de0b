/**
 * What a file name of the service says (type, sample, the data file of an index) and whether it may become a local name.
 */
import { UnsafeName } from "../Errors.ts"
import { dataOf, fileTypeOf, indexSuffixes, isDataType, kindOfName } from "../genome/formats/FileNames.ts"
import { isPrintable, printable } from "../text/Printable.ts"

export {
  type Check,
  type ChecksumKind,
  checks,
  checksumKinds,
  dataTypeOf,
  type FileType,
  fileTypeOf,
  fileTypes,
  indexRank,
  kindOfName
} from "../genome/formats/FileNames.ts"

/** `<sample>` of the output names: the name without its type suffix; a name without one is its own sample. */
export const sampleOf = (name: string): string => (fileTypeOf(name) === null ? name : (kindOfName(name)?.stem ?? name))

/** The name of the file that an index belongs to (`S1.bam` for `S1.bam.bai` and `S1.bai`); null when `name` is not an index. */
export const dataFileOf = (name: string): string | null => {
  const type = fileTypeOf(name)
  return type === null || isDataType(type) ? null : dataOf(name)
}

/** What a slice is called instead: `S1.ranged.bam`, or `S1.unmapped.bam` when it holds nothing but unplaced reads. */
export const sliceName = (name: string, form: "ranged" | "unmapped"): string =>
  `${sampleOf(name)}.${form}.${fileTypeOf(name) ?? ""}`

/**
 * One key for all names that could be the same file somewhere: case-insensitive file systems, and those that store
 * accented letters composed (NFC) or decomposed (NFD).
 */
export const collisionKey = (name: string): string => name.normalize("NFC").toUpperCase().toLowerCase().normalize("NFC")

/**
 * Why `name` must not be used as a file name, or null. Names are judged, never repaired: two repaired names could meet.
 * Refused: paths, `.`-names (kept for part files), names a shell or Windows reads as something else, invisible
 * characters, more than 255 bytes.
 */
export const unsafeName = (name: string): UnsafeName | null => {
  const reason = reasonOf(name)
  return reason === null ? null : new UnsafeName({ name: `"${printable(name.slice(0, 300))}"`, reason })
}

/** Why no index of the slice `name` may have its name, or null: it is longer by a suffix. */
export const unsafeIndexName = (name: string): UnsafeName | null =>
  indexSuffixes.map((suffix) => unsafeName(`${name}.${suffix}`)).find((unsafe) => unsafe !== null) ?? null

/** Bytes of a name that every file system takes: eCryptfs and the encrypted folders of a NAS have no more, most others 255. */
const longestAnywhere = 143

/**
 * The name, or its beginning with a sum of the whole, so that `room` further bytes fit into a name that every file system takes.
 * Names that begin alike stay apart: a slice and its index were one file where only the beginning counted.
 */
export const shortened = (name: string, room: number): string => {
  const bytes = encoder.encode(name)
  if (bytes.length + room <= longestAnywhere) return name
  const sum = bytes.reduce((sum, byte) => Math.imul(sum ^ byte, 0x01000193), 0x811c9dc5) >>> 0
  const mark = `~${sum.toString(16).padStart(8, "0")}`
  // The first bytes of a letter decode to U+FFFD, which is dropped again.
  const begun = new TextDecoder().decode(bytes.subarray(0, longestAnywhere - room - mark.length))
  return `${begun.replace(/\ufffd+$/, "")}${mark}`
}

/** Bytes that a lock beside a file appends to a hidden name at most: the card of one that waits, set aside. */
export const longestLockMark: number = ".lock.4194304-0123456789ab.wait.stale".length

/** What a restoration file in an older form is kept as; the number keeps several apart. */
export const backupName = (name: string, number = 0): string => {
  const suffix = number === 0 ? ".bak" : `.${number}.bak`
  return `${shortened(name, suffix.length)}${suffix}`
}

const encoder = new TextEncoder()
const devices = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)/i
const whitespace = /\s/u

const reasonOf = (name: string): string | null => {
  if (name === "") return "it is empty"
  if (name.includes("/") || name.includes("\\")) return "it is a path, not a plain name"
  if (!isPrintable(name)) return "it holds a control or invisible character"
  if (name.startsWith(".")) return "it begins with a dot; such names are kept for unfinished files"
  if (name.startsWith("-")) return "it begins with a hyphen and would be read as an option"
  if (whitespace.test(name[0] ?? "")) return "it begins with a space"
  if (name.endsWith(".") || whitespace.test(name.at(-1) ?? "")) return "it ends with a dot or a space"
  if (/^[a-z]:/i.test(name)) return "it begins like a drive"
  if (devices.test(name)) return "it is the name of a device on some systems"
  if (/\.part(\.json)?$/i.test(name)) return "it is named like an unfinished file"
  if (encoder.encode(name).length > 255) return "it is longer than 255 bytes"
  return null
}
