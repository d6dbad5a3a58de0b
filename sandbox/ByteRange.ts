/** A Range header against a size: nothing to apply, nothing to give, or the bytes from `start` to before `end`. */
export type ByteRange =
  | { readonly _tag: "Whole" }
  | { readonly _tag: "Unsatisfiable" }
  | { readonly _tag: "Part"; readonly start: number; readonly end: number }

const whole: ByteRange = { _tag: "Whole" }
const unsatisfiable: ByteRange = { _tag: "Unsatisfiable" }

/**
 * One range of a Range header (RFC 9110 section 14.1.2). A malformed header and a list of several ranges count as
 * absent: that is what object stores do.
 */
export const parseByteRange = (header: string | undefined, size: number): ByteRange => {
  const found = /^bytes=(\d*)-(\d*)$/.exec((header ?? "").trim())
  if (found === null) return whole
  const [first, last] = [found[1] ?? "", found[2] ?? ""]
  if (first === "" && last === "") return whole
  if (first === "") {
    const length = Math.min(Number(last), size)
    return length === 0 ? unsatisfiable : { _tag: "Part", start: size - length, end: size }
  }
  if (last !== "" && Number(last) < Number(first)) return whole
  if (Number(first) >= size) return unsatisfiable
  return { _tag: "Part", start: Number(first), end: last === "" ? size : Math.min(Number(last) + 1, size) }
}
