/**
 * TBI and CSI: indexes that are themselves BGZF files (tabix and CSI specifications). These functions take the inflated
 * bytes.
 */
import * as Result from "effect/Result"
import { FileDamaged } from "../../Errors.ts"
import { decodeName } from "../ReferenceName.ts"
import { type BinIndex, parseBins } from "./BinIndex.ts"
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

/** `columns` is null for a CSI of a BAM file. */
export interface TabixIndex {
  readonly index: BinIndex
  readonly columns: TabixColumns | null
}

const bad = (file: string, reason: string) => new FileDamaged({ file, fault: "BadIndex", reason })

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

const starts = (bytes: Uint8Array, magic: string) =>
  bytes.length >= 8 && [...magic].every((char, i) => bytes[i] === char.charCodeAt(0)) && bytes[3] === 1

/** Parses the inflated bytes of a `.tbi`. Fails with `FileDamaged` `BadIndex`. */
export const parseTbi = (file: string, bytes: Uint8Array): Result.Result<TabixIndex, FileDamaged> => {
  if (!starts(bytes, "TBI")) {
    return Result.fail(bad(file, "not a tabix index: its first bytes are of another format"))
  }
  const references = new DataView(bytes.buffer, bytes.byteOffset).getUint32(4, true)
  return Result.gen(function* () {
    const columns = yield* parseColumns(bytes, 8)
    if (columns.names.length !== references) {
      return yield* Result.fail(`it has ${references} references and ${columns.names.length} names`)
    }
    const index = yield* parseBins(bytes, 8 + columns.size, "TBI", usualShift, usualDepth, references)
    return { index, columns }
  }).pipe(Result.mapError((reason) => bad(file, `damaged tabix index: ${reason}`)))
}

/** Parses the inflated bytes of a `.csi`, of a BAM or of a text file. Fails with `FileDamaged` `BadIndex`. */
export const parseCsi = (file: string, bytes: Uint8Array): Result.Result<TabixIndex, FileDamaged> => {
  if (!starts(bytes, "CSI") || bytes.length < 20) {
    return Result.fail(bad(file, "not a CSI index: its first bytes are of another format"))
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const minShift = view.getInt32(4, true)
  const depth = view.getInt32(8, true)
  const aux = view.getUint32(12, true)
  return Result.gen(function* () {
    // 9 levels is where bin numbers leave 32 bits; 2^50 bases keeps positions exact.
    if (minShift < 1 || depth < 0 || depth > 9 || minShift + 3 * depth > 50) {
      return yield* Result.fail(`it has ${depth} levels of bins from 2^${minShift} bases on`)
    }
    if (aux > bytes.length - 20) return yield* Result.fail(`its extra field claims ${aux} bytes`)
    const columns = aux < 28 ? null : yield* parseColumns(bytes.subarray(16, 16 + aux), 0)
    const references = view.getUint32(16 + aux, true)
    const index = yield* parseBins(bytes, 20 + aux, "CSI", minShift, depth, references)
    return { index, columns }
  }).pipe(Result.mapError((reason) => bad(file, `damaged CSI index: ${reason}`)))
}
