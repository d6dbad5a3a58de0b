import type { Dice } from "./samples/Dice.ts"

/** A measured value from `min` to `max` with so many digits after the point. */
export const figure = (dice: Dice, min: number, max: number, digits: number): number =>
  Number((min + dice.next() * (max - min)).toFixed(digits))
