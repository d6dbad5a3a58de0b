/** A count with its noun, in the form the noun then takes: `1 file`, `2 files`, and with `many` `2 analyses`. */
export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`
