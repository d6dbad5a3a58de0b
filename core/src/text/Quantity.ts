/** Counts and sizes as text for people. */
import * as ByteSize from "effect/ByteSize"

/** A count with its noun, in the form the noun then takes: `1 file`, `2 files`, and with `many` `2 analyses`. */
export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`

/** For example `1.2 GiB`; `96 B` below 1024. `bytes` is a whole number, not negative. */
export const humanSize = (bytes: number): string => ByteSize.format(ByteSize.bytes(bytes), { precision: 1 })

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/** `0.4 s`, `12 s`, `3 min 20 s`, `2 h 5 min`, `4 d 3 h` for milliseconds. */
export const durationText = (milliseconds: number): string => {
  if (milliseconds < 10 * second) return `${Math.round(milliseconds / 100) / 10} s`
  const [large, unit, small, smaller] =
    milliseconds < minute
      ? [second, "s", 0, ""]
      : milliseconds < hour
        ? [minute, "min", second, "s"]
        : milliseconds < day
          ? [hour, "h", minute, "min"]
          : [day, "d", hour, "h"]
  const rounded = small === 0 ? Math.round(milliseconds / large) * large : Math.round(milliseconds / small) * small
  const rest = small === 0 ? 0 : (rounded % large) / small
  return `${Math.floor(rounded / large)} ${unit}${rest === 0 ? "" : ` ${rest} ${smaller}`}`
}
