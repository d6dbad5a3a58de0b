/**
 * Marks between the cells of scanned rows.
 *
 * JSON never contains the bytes 0x00 to 0x08, neither inside nor outside of strings. So the scanner of a body writes
 * them into the rows: where a cell ends, where a row ends, and over what belongs to no cell. Later readers of the rows find
 * the cells without a JSON parser: each goes from the end of the one before to the next mark.
 */

/** Never written by the scanner; readers put it after the last byte they have. */
export const stop = 0
/** In place of the comma between two cells. */
export const cellEnd = 1
/** In place of the bracket that closes a row; a row of no cells is this mark alone. */
export const rowEnd = 2
/** In place of white space in rows, of the bracket that opens a row, and of the comma between rows. */
export const skip = 3

/**
 * Which of four bytes are marks: the lowest byte with its highest bit set is the first one; zero when none is.
 * Bytes above the first mark may be reported wrongly.
 */
export const marksIn = (word: number): number => (word - 0x04040404) & ~word & 0x80808080

/** The place (0 to 3) of the first byte that a word of `0x80` bits reports; the word is not zero. */
export const firstOf = (bits: number): number => (31 - Math.clz32(bits & -bits)) >> 3
