/**
 * TBI and CSI (tabix and CSI specifications), and which of the three kinds an index is. These functions take the inflated bytes.
 */
import * as Result from "effect/Result"
import * as Struct from "effect/Struct"
import { FileDamaged } from "../../Errors.ts"
import { foreignContent } from "../bgzf/Blocks.ts"
import { decodeName } from "../ReferenceName.ts"
import { type BinIndex, parseBai, parseBins } from "./BinIndex.ts"
import { usualDepth, usualShift } from "./Bins.ts"

/** How the lines of the indexed file are to be read. Columns count from 1. */
export interface TabixColumns {
  /** 0 generic, 1 SAM, 2 VCF; plus 0x10000 when positions are 0-based half-open. */
  readonly format: number
  readonly name: number
  readonly begin: number
  readonly end: number
  /** Lines that begin with this byte are comments. */
  readonly meta: number
  /** Lines to skip at the start. */
  readonly skip: number
  /** Names of the references, in the order of the index. */
  readonly names: ReadonlyArray<string>
}

/** `columns` is null for the index of a BAM file, BAI or CSI. */
export interface TabixIndex {
  readonly index: BinIndex
  readonly columns: TabixColumns | null
}

/** The seven numbers and the names that a TBI begins with and a CSI of a text file has in its aux field. */
const parseColumns = (
  bytes: Uint8Array,
  at: number
): Result.Result<TabixColumns & { readonly size: number }, string> => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length - at < 28) return Result.fail("it ends inside its header")
  const length = view.getUint32(at + 24, true)
  if (length > bytes.length - at - 28) return Result.fail(`its names claim ${length} bytes`)
  const end = at + 28 + length
  if (length > 0 && bytes[end - 1] !== 0) return Result.fail("its last name has no end")
  const names: Array<string> = []
  for (let from = at + 28; from < end; ) {
    const zero = bytes.indexOf(0, from)
    names.push(decodeName(bytes.subarray(from, zero)))
    from = zero + 1
  }
  return Result.succeed({
    format: view.getInt32(at, true),
    name: view.getInt32(at + 4, true),
    begin: view.getInt32(at + 8, true),
    end: view.getInt32(at + 12, true),
    meta: view.getInt32(at + 16, true),
    skip: view.getInt32(at + 20, true),
    names,
    size: 28 + length
  })
}

/** Parses a whole TBI, whose magic bytes were seen; fails with what is wrong, in words. */
export const parseTbi = (bytes: Uint8Array): Result.Result<TabixIndex, string> => {
  if (bytes.length < 8) return Result.fail("it ends inside its header")
  const references = new DataView(bytes.buffer, bytes.byteOffset).getUint32(4, true)
  return Result.gen(function* () {
    const columns = yield* parseColumns(bytes, 8)
    if (columns.names.length !== references) {
      return yield* Result.fail(`it has ${references} references and ${columns.names.length} names`)
    }
    const index = yield* parseBins(bytes, 8 + columns.size, "TBI", usualShift, usualDepth, references)
    return { index, columns }
  })
}

/** Parses a whole CSI, of a BAM or of a text file, whose magic bytes were seen; fails with what is wrong, in words. */
export const parseCsi = (bytes: Uint8Array): Result.Result<TabixIndex, string> => {
  if (bytes.length < 20) return Result.fail("it ends inside its header")
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const minShift = view.getInt32(4, true)
  const depth = view.getInt32(8, true)
  const aux = view.getUint32(12, true)
  return Result.gen(function* () {
    if (minShift < 1 || depth < 0 || depth > mostLevels || minShift + 3 * depth > 50) {
      return yield* Result.fail(`it has ${depth} levels of bins from 2^${minShift} bases on`)
    }
    if (aux > bytes.length - 20) return yield* Result.fail(`its extra field claims ${aux} bytes`)
    const columns = aux < 28 ? null : yield* parseColumns(bytes.subarray(16, 16 + aux), 0)
    const references = view.getUint32(16 + aux, true)
    const index = yield* parseBins(bytes, 20 + aux, "CSI", minShift, depth, references)
    return { index, columns }
  })
}

const parsers: Readonly<Record<BinIndex["format"], (bytes: Uint8Array) => Result.Result<TabixIndex, string>>> = {
  BAI: (bytes) => Result.map(parseBai(bytes), (index) => ({ index, columns: null })),
  CSI: parseCsi,
  TBI: parseTbi
}

/** Where bin numbers leave 32 bits; 2^50 bases keep positions exact. */
const mostLevels = 9

/** Levels of bins of a CSI that may be sound and cannot be read; null for any other. */
const levelsBeyond = (bytes: Uint8Array): number | null => {
  if (bytes.length < 12) return null
  const levels = new DataView(bytes.buffer, bytes.byteOffset).getInt32(8, true)
  return levels > mostLevels && levels <= 2 * mostLevels ? levels : null
}

/** How many bytes tell what an index is. */
export const magicLength = 4

/** Which kind of index begins so. As htslib we believe its magic bytes, not its name: a CSI under `.bai` or `.tbi` is common. */
const formatOf = (bytes: Uint8Array): BinIndex["format"] | null =>
  Struct.keys(parsers).find(
    (format) => bytes[3] === 1 && [...format].every((char, i) => bytes[i] === char.charCodeAt(0))
  ) ?? null

/** True for bytes that begin as an index of some kind. */
export const isIndex = (bytes: Uint8Array): boolean => formatOf(bytes) !== null

/** Parses the inflated bytes of an index of any kind. Fails with `FileDamaged` `BadIndex`, which says what else it is. */
export const parseIndex = (file: string, bytes: Uint8Array): Result.Result<TabixIndex, FileDamaged> => {
  const bad = (reason: string) => new FileDamaged({ file, fault: "BadIndex", reason })
  const format = formatOf(bytes)
  if (format === null) {
    return Result.fail(bad(`not an index (BAI, TBI or CSI): ${foreignContent(bytes)}`))
  }
  const levels = format === "CSI" ? levelsBeyond(bytes) : null
  if (levels !== null) return Result.fail(bad(`a CSI of ${levels} levels of bins, and at most ${mostLevels} are read`))
  return Result.mapError(parsers[format](bytes), (reason) => bad(`damaged ${format} index: ${reason}`))
}
