/** Counts and sizes as text for people. */
import * as ByteSize from "effect/ByteSize"

/** A count with its noun, in the form the noun then takes: `1 file`, `2 files`, and with `many` `2 analyses`. */
export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`

/** For example `1.2 GiB`; `96 B` below 1024. `bytes` is a whole number, not negative. */
export const humanSize = (bytes: number): string => ByteSize.format(ByteSize.bytes(bytes), { precision: 1 })
