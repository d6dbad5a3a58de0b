/**
 * Sizes in bytes as text for people, in powers of 1024.
 */
import * as ByteSize from "effect/ByteSize"

/** For example `1.2 GiB`; `96 B` below 1024. `bytes` is a whole number, not negative. */
export const humanSize = (bytes: number): string => ByteSize.format(ByteSize.bytes(bytes), { precision: 1 })
